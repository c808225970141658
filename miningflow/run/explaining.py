"""Explains a step: what it learned and where, the SQL it became, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from miningflow.compile import Names, Piece
from miningflow.compile.functions import model_functions, why_none
from miningflow.declare.segmentation import artifacts_of
from miningflow.errors import CompileError, Mistake, suggestion
from miningflow.repository import Repository
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.frozen import frozen_pieces, stored_build
from miningflow.sql.dialect import NotInDialect, render
from miningflow.sql.literal_table import tables_read, values_select


@dataclass(frozen=True)
class Explanation:
    """What is known of a step, by topic."""

    step: str
    operator: str
    dialect: str
    topics: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """Gives the explanation as plain data for programs."""
        return asdict(self)


def explain_step(
    bound: BoundCase, repository: Repository | None, name: str, dialect: str
) -> Explanation:
    """Explains a step as it was learned, or as it will be."""
    meant = bound.chains.get(name, name)
    step = bound.steps.get(meant)
    if step is None:
        hint = suggestion(name, bound.steps, "steps")
        raise CompileError(Mistake(f"there is no step {name!r}", None, hint))
    compiled = frozen_pieces(bound, repository)
    piece = compiled.pieces.get(meant)
    topics: dict[str, str] = {}
    if piece is None or piece.operator is None:
        topics["state"] = f"no SQL yet: it {compiled.missing.get(meant, 'is left out')}"
        topics |= step.operator.explanation(None)
    else:
        topics |= _as_learned(bound, repository, step, piece)
        topics |= _as_sql(bound, compiled.pieces, piece, dialect)
    return Explanation(meant, type(step.operator).__name__, dialect, topics)


def _as_learned(
    bound: BoundCase, repository: Repository | None, step: BoundStep, piece: Piece
) -> dict[str, str]:
    assert piece.operator is not None
    if step.operator.learns is None or repository is None:
        return piece.operator.explanation(None)
    record, artifact = stored_build(bound, step, repository)
    topics: dict[str, str] = {}
    for segment, learned in artifacts_of(artifact):
        where = f" ({segment})" if segment.labels else ""
        told = piece.operator.explanation(learned)
        topics |= {f"{topic}{where}": text for topic, text in told.items()}
    if record is not None:
        parity = repository.parity(bound.name).get((record.step, record.fingerprint, record.run))
        if parity is not None:
            topics["parity"] = str(parity)
    return topics


def _as_sql(
    bound: BoundCase, pieces: Mapping[str, Piece], piece: Piece, dialect: str
) -> dict[str, str]:
    names = Names(bound.name)
    topics: dict[str, str] = {}
    try:
        select = piece.block.select(names.public, dialect)
        tables = tables_read(piece.block.values(), select)
        topics["SQL"] = f"{len(render(select, dialect)):,} characters for {dialect}"
        for values in tables:
            written = render(values_select(values, dialect), dialect)
            topics["tables"] = (
                f"{values.name}: {len(values.rows):,} rows of {len(values.columns)} columns, "
                f"{len(written):,} characters to make it"
            )
        functions = model_functions(pieces, piece.name, names.public, dialect)
        if functions:
            topics["functions"] = "; ".join(f.call(names.schema) for f in functions)
        elif piece.operator is not None and piece.operator.scores:
            topics["functions"] = f"none: {why_none(dialect)}"
    except NotInDialect as error:
        topics["SQL"] = f"refused: {error}"
    return topics
