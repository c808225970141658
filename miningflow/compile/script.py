"""The scoring script: one SELECT over new data, with everything learned frozen into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from miningflow.compile.names import table
from miningflow.compile.pieces import Piece
from miningflow.compile.statements import SQL_TYPES, typed_source
from miningflow.errors import CompileError, Mistake, Place
from miningflow.learn.kernels import KernelModel
from miningflow.resolve import BoundCase
from miningflow.sql.block import Block, Naming
from miningflow.sql.dialect import DIALECTS, NotInDialect, one_line, render
from miningflow.sql.literal_table import Values, tables_read, values_select
from miningflow.sql.models.called_kernels import called

Part = tuple[str, Block | Values | exp.Select]


@dataclass(frozen=True)
class ScoreScript:
    """One SELECT that scores new rows; `inputs` are the tables and columns it reads."""

    case: str
    step: str
    columns: tuple[str, ...]
    inputs: Mapping[str, Mapping[str, str]]
    """Source concept → feature → feature type."""
    needed_by: Mapping[str, str]
    """`Concept.feature` → the step that reads it."""
    parts: tuple[Part, ...] = field(repr=False)
    naming: Naming = field(repr=False)
    places: Mapping[str, Place] = field(default_factory=dict, repr=False)
    """Where each step stands in the case."""

    def tree(self, dialect: str) -> exp.Expression:
        """Gives the SELECT for an engine, each part before the last a WITH of its own."""
        written = {name: self._select(part, dialect) for name, part in self.parts}
        tables = [part for _, part in self.parts if isinstance(part, Values)]
        read = {table.name for table in tables_read(tables, *written.values())}
        unread = {table.name for table in tables} - read
        *before, (_, last) = [(n, query) for n, query in written.items() if n not in unread]
        ctes = [
            exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
            for name, query in before
        ]
        if ctes:
            last.set("with_", exp.With(expressions=ctes))
        return last

    def sql(self, dialect: str) -> str:
        """Prints the script with a header that says what it reads."""
        lines = [
            f"Scores new rows with step '{self.step}' of case '{self.case}'. Everything learned is "
            "frozen in here; no Python is needed.",
            "It reads these tables; make views with these names and columns over your own data:",
        ]
        for concept, features in self.inputs.items():
            shown = ", ".join(f"{n} {SQL_TYPES.get(t, 'key')}" for n, t in features.items())
            lines.append(f'    "{concept}" ({shown})')
        if DIALECTS[dialect].is_duckdb:
            lines.append(
                "CSV files are best read as text, because guessing makes yes/no a boolean:"
            )
            first = next(iter(self.inputs))
            reader = "SELECT * FROM read_csv('new.csv', all_varchar = true)"
            lines.append(f'    CREATE VIEW "{first}" AS {reader};')
        lines.append(f"To keep the result: {DIALECTS[dialect].keeping}")
        header = "\n".join(
            f"--{' ' * (len(line) - len(line.lstrip()) + 1)}{one_line(line)}" for line in lines
        )
        try:
            return f"{header}\n{render(self.tree(dialect), dialect)};\n"
        except NotInDialect as error:
            raise self._refused(dialect) or CompileError(
                Mistake(str(error), None, error.hint)
            ) from None

    def _refused(self, dialect: str) -> CompileError | None:
        """Names the steps that the dialect cannot do."""
        mistakes: list[Mistake] = []
        for name, part in self.parts:
            try:
                render(self._select(part, dialect), dialect)
            except NotInDialect as error:
                place = self.places.get(name)
                mistakes.append(Mistake(f"step {name!r}: {error}", place, error.hint))
        return CompileError(*mistakes) if mistakes else None

    def called(self) -> tuple[ScoreScript, dict[str, KernelModel]]:
        """Gives the same script for this process alone: kernels become calls of functions.

        Also gives the models behind these functions, which the session must offer by their names.
        """
        models: dict[str, KernelModel] = {}
        parts: list[Part] = []
        for name, part in self.parts:
            parts.append((name, called(part, models) if isinstance(part, Block) else part))
        read = {v.name for _, part in parts if isinstance(part, Block) for v in part.values()}
        needed = tuple(p for p in parts if not isinstance(p[1], Values) or p[0] in read)
        return replace(self, parts=needed), models

    def _select(self, part: Block | Values | exp.Select, dialect: str) -> exp.Select:
        match part:
            case Block():
                return part.select(self.naming, dialect)
            case Values():
                return values_select(part, dialect)
        return part.copy()


def score_script(
    bound: BoundCase, pieces: Mapping[str, Piece], step: str, keep: tuple[str, ...] = ()
) -> ScoreScript:
    """Compiles what is needed to score, and nothing more: unused columns are pruned upstream."""
    piece = pieces[step]
    columns = _columns(piece, keep)
    renamed = _cte_names(bound)

    def naming(name: str) -> exp.Table:
        return table(renamed.get(name, name))

    order = [name for name in (*bound.sources, *bound.steps) if name in pieces]
    needed: dict[str, dict[str, str]] = {step: dict.fromkeys(columns, step)}
    parts: list[Part] = []
    for name in reversed(order):
        if name not in needed or name in bound.sources:
            continue
        block = pieces[name].block.prune(needed[name])
        for (source, feature), user in block.users(name, needed[name]).items():
            needed.setdefault(source, {})[feature] = user
        parts.append((name, block))
        parts += [(v.name, v) for v in block.values()]
    inputs: dict[str, dict[str, str]] = {}
    for name, concept in bound.sources.items():
        if name in needed:
            slim = concept.only(needed[name])
            inputs[name] = {f.name: f.type for f in slim.features.values()}
            parts.append((renamed[name], typed_source(slim, table(name))))
    parts.reverse()
    needed_by = {f"{c}.{f}": needed[c][f] for c, features in inputs.items() for f in features}
    places = {name: bound.steps[name].place() for name, _ in parts if name in bound.steps}
    return ScoreScript(bound.name, step, columns, inputs, needed_by, tuple(parts), naming, places)


def _columns(piece: Piece, keep: tuple[str, ...]) -> tuple[str, ...]:
    """Chooses the key, what the user wants to keep, what the model predicts, and the segment."""
    assert piece.operator is not None
    concept = piece.presence.concept
    for name in keep:
        if name not in concept.features:
            raise CompileError(Mistake(f"{piece.name!r} has no feature {name!r} to keep", None))
    predicted = [f for f in piece.operator.prediction_features() if f in concept.features]
    key = [concept.key] if concept.key else []
    segments = [s.feature for s in concept.segmentations]
    return tuple(dict.fromkeys([*key, *keep, *predicted, *segments]))


def _cte_names(bound: BoundCase) -> dict[str, str]:
    """Names the parts of the script; a source must not bear the name of the table it reads."""
    taken = {name.casefold() for name in (*bound.sources, *bound.steps)}
    names: dict[str, str] = {}
    for source in bound.sources:
        name = f"{source}_input"
        while name.casefold() in taken:
            name += "_"
        names[source] = name
    return names
