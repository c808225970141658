"""A model as SQL functions: what it predicts, as functions of the features that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sqlglot import exp

from miningflow.compile.names import table
from miningflow.compile.pieces import Piece
from miningflow.compile.statements import SQL_TYPES
from miningflow.resolve import BoundCase
from miningflow.sql.any_column import any_category, any_time
from miningflow.sql.block import Block, Naming
from miningflow.sql.compared_values import compared_values
from miningflow.sql.dialect import DIALECTS, identifier, render
from miningflow.sql.flat import NotFlat, Reading, flat, is_row_wise
from miningflow.sql.literals import column
from miningflow.sql.stored import ours


def why_none(dialect: str) -> str:
    """Returns why a model is not a function."""
    if DIALECTS[dialect].functions is None:
        return f"dialect '{dialect}' has no SQL functions for models; use the scoring script"
    return (
        "it needs more than one row, runs in segments, would be too long as text, or, on spark, "
        "needs a separate table"
    )


@dataclass(frozen=True)
class ModelFunction:
    """A function of the features of one concept that returns a prediction."""

    step: str
    feature: str
    """What it predicts; the function has the same name."""
    concept: str
    """The concept whose rows it is meant for."""
    parameters: Mapping[str, str]
    """Feature → feature type, in order."""
    type: str
    reads_table: bool
    body: exp.Expression = field(repr=False)

    def create(self, schema: str, dialect: str) -> str:
        """Prints the statement that makes the function."""
        body = render(self.body.copy(), dialect)
        target = render(ours(table(self.feature, schema)), dialect)
        way = DIALECTS[dialect].functions
        if way == "macro":
            names = ", ".join(identifier(name, dialect) for name in self.parameters)
            return f"CREATE OR REPLACE MACRO {target}({names}) AS {body}"
        typed = ", ".join(
            f"{identifier(name, dialect)} {_type(kind, dialect)}"
            for name, kind in self.parameters.items()
        )
        returns = _type(self.type, dialect)
        if way == "postgres":
            stable = "STABLE" if self.reads_table else "IMMUTABLE"
            return (
                f"CREATE OR REPLACE FUNCTION {target}({typed}) RETURNS {returns}\n"
                f"LANGUAGE SQL {stable} PARALLEL SAFE\nRETURN {body}"
            )
        return f"CREATE OR REPLACE FUNCTION {target}({typed}) RETURNS {returns}\nRETURN {body}"

    def drop(self, schema: str, dialect: str) -> str:
        """Prints the statement that drops the function."""
        kind = "MACRO" if DIALECTS[dialect].functions == "macro" else "FUNCTION"
        target = render(ours(table(self.feature, schema)), dialect)
        return f"DROP {kind} IF EXISTS {target}"

    def call(self, schema: str) -> str:
        """Shows how it is called."""
        shown = ", ".join(self.parameters)
        return f"{schema}.{self.feature}({shown})"


def model_functions(
    pieces: Mapping[str, Piece], step: str, naming: Naming, dialect: str
) -> list[ModelFunction]:
    """Returns a function for each prediction of a step that follows from a row alone.

    Steps before that work row by row, such as feature constructions, are part of the function; its
    parameters are the features of the first concept behind them.
    """
    piece = pieces[step]
    if piece.operator is None or DIALECTS[dialect].functions is None:
        return []
    found: list[ModelFunction] = []
    concept = piece.presence.concept
    for name in piece.operator.prediction_features():
        if name not in concept.features:
            continue
        with suppress(NotFlat):
            found.append(_function(pieces, piece, name, naming, dialect))
    return found


def named_functions(
    bound: BoundCase, pieces: Mapping[str, Piece], naming: Naming, dialect: str
) -> dict[str, ModelFunction]:
    """Returns the functions of all models by name; where two predict the same, the later has it.

    The step that scores comes before all others.
    """
    models = [n for n, s in bound.steps.items() if s.operator.scores and n in pieces]
    if bound.scoring in models:
        models = [*(n for n in models if n != bound.scoring), bound.scoring]
    found: dict[str, ModelFunction] = {}
    for step in models:
        for function in model_functions(pieces, step, naming, dialect):
            found[function.feature] = function
    return found


def _function(
    pieces: Mapping[str, Piece], piece: Piece, name: str, naming: Naming, dialect: str
) -> ModelFunction:
    read: dict[str, dict[str, str]] = {}

    def behind(scanned: str) -> Block | None:
        before = pieces[scanned]
        is_step = before.operator is not None
        return before.block if is_step and is_row_wise(before.block, dialect) else None

    compared = compared_values(_on_the_way(piece, name, behind), dialect)

    def leaf(scanned: str, feature: str) -> exp.Expression:
        kind = pieces[scanned].presence.concept.columns[feature].type
        read.setdefault(scanned, {})[feature] = kind
        if kind not in SQL_TYPES:
            return column(feature)
        if DIALECTS[dialect].functions == "macro":  # which takes arguments of any type
            if kind == "time":
                return any_time(column(feature), dialect)
            if kind in ("nominal", "binary"):
                return any_category(column(feature), dialect, compared.get((scanned, feature), ()))
        return exp.Cast(this=column(feature), to=exp.DataType.build(SQL_TYPES[kind]))

    body = flat(piece.block, name, Reading(behind, leaf), naming, dialect)
    (concept, features), *_ = read.items() or [(piece.name, {})]
    order = pieces[concept].presence.concept.columns
    parameters = {f: features[f] for f in order if f in features}
    kind = piece.presence.concept.features[name].type
    reads = body.find(exp.Subquery) is not None and bool(piece.block.values())
    return ModelFunction(piece.name, name, concept, parameters, kind, reads, body)


def _on_the_way(piece: Piece, name: str, behind: Callable[[str], Block | None]) -> dict[str, Block]:
    """Returns the blocks on the way to a prediction, with the columns that it needs."""
    blocks: dict[str, Block] = {}
    wanted: dict[str, Block] = {piece.name: piece.block.project([name]).prune([name])}
    while wanted:
        step, block = wanted.popitem()
        blocks[step] = block
        read: dict[str, list[str]] = {}
        for source, feature in block.users(step, dict.fromkeys(block.columns, step)):
            read.setdefault(source, []).append(feature)
        for source, features in read.items():
            below = behind(source)
            if below is not None:
                wanted[source] = below.prune(features)
    return blocks


def _type(kind: str, dialect: str) -> str:
    return exp.DataType.build(SQL_TYPES.get(kind, "text")).sql(dialect=DIALECTS[dialect].printer)
