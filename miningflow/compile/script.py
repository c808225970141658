"""The scoring script: one SELECT over new data, with everything learned frozen into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from miningflow.compile.names import table
from miningflow.compile.pieces import Piece
from miningflow.compile.statements import SQL_TYPES, typed_source
from miningflow.declare.concept import Concept
from miningflow.errors import CompileError, Diagnostic, Place, suggestion
from miningflow.learn.kernels import KernelModel
from miningflow.resolve import BoundCase
from miningflow.sql.any_column import any_category, any_time
from miningflow.sql.block import Block, Naming, Values
from miningflow.sql.compared_values import Compared, compared_values
from miningflow.sql.dialect import DIALECTS, NotInDialect, one_line, render
from miningflow.sql.dialects.dialect import Dialect
from miningflow.sql.literal_table import tables_read, values_select
from miningflow.sql.literals import column
from miningflow.sql.models.kernels.called import called


@dataclass(frozen=True)
class NewRows:
    """A table of new rows, read as a source concept."""

    concept: Concept

    def select(self, dialect: str, compared: Compared | None) -> exp.Select:
        """Casts its columns; `compared` is given where nothing is known of their types."""
        name = self.concept.name
        raw = typed_source(self.concept, table(name))
        if compared is None:
            return raw
        for cast, feature in zip(raw.expressions, self.concept.features.values(), strict=True):
            given, values = column(feature.name), compared.get((name, feature.name), ())
            if feature.type == "time":
                cast.set("this", any_time(given, dialect))
            elif feature.type in ("nominal", "binary"):
                cast.set("this", any_category(given, dialect, values))
        return raw


Part = tuple[str, Block | Values | NewRows]


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
    models: frozenset[str] = frozenset()
    """The parts before the last that compute a model, each once where the dialect can say so."""

    def tree(self, dialect: str, any_types: bool = False) -> exp.Expression:
        """Returns the SELECT for an engine, each part before the last as a separate WITH.

        With `any_types`, the tables that it reads may have columns of any type.
        """
        compared = self._compared(dialect) if any_types else None
        written = {name: self._select(part, dialect, compared) for name, part in self.parts}
        tables = [part for _, part in self.parts if isinstance(part, Values)]
        read = {table.name for table in tables_read(tables, *written.values())}
        unread = {table.name for table in tables} - read
        *before, (_, last) = [(n, query) for n, query in written.items() if n not in unread]
        once = self.models if DIALECTS[dialect].materializes else frozenset()
        ctes = [
            exp.CTE(
                this=query,
                alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
                materialized=True if name in once else None,
            )
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
        if not self.inputs:
            lines[-1] = "It reads no tables."
        if DIALECTS[dialect].is_duckdb and self.inputs:
            lines.append(
                "CSV files are best read as text, because guessing makes yes/no a boolean:"
            )
            first = next(iter(self.inputs))
            reader = "SELECT * FROM read_csv('new.csv', all_varchar = true)"
            lines.append(f'    CREATE VIEW "{first}" AS {reader};')
        lines += _versions(DIALECTS[dialect])
        lines.append(f"To keep the result: {DIALECTS[dialect].keeping}")
        header = "\n".join(
            f"--{' ' * (len(line) - len(line.lstrip()) + 1)}{one_line(line)}" for line in lines
        )
        try:
            return f"{header}\n{render(self.tree(dialect, any_types=True), dialect)};\n"
        except NotInDialect as error:
            raise self._refused(dialect) or CompileError(
                Diagnostic(str(error), None, error.hint)
            ) from None

    def _refused(self, dialect: str) -> CompileError | None:
        """Names the steps that the dialect cannot do."""
        diagnostics: list[Diagnostic] = []
        for name, part in self.parts:
            try:
                render(self._select(part, dialect), dialect)
            except NotInDialect as error:
                place = self.places.get(name)
                diagnostics.append(Diagnostic(f"step {name!r}: {error}", place, error.hint))
        return CompileError(*diagnostics) if diagnostics else None

    def called(self) -> tuple[ScoreScript, dict[str, KernelModel]]:
        """Returns the same script for this process alone: kernels become calls of functions.

        Also returns the models behind these functions, which the session must offer by their names.
        """
        models: dict[str, KernelModel] = {}
        parts: list[Part] = []
        for name, part in self.parts:
            parts.append((name, called(part, models) if isinstance(part, Block) else part))
        read = {v.name for _, part in parts if isinstance(part, Block) for v in part.values()}
        needed = tuple(p for p in parts if not isinstance(p[1], Values) or p[0] in read)
        return replace(self, parts=needed), models

    def _select(
        self, part: Block | Values | NewRows, dialect: str, compared: Compared | None = None
    ) -> exp.Select:
        match part:
            case Block():
                return part.select(self.naming, dialect)
            case Values():
                return values_select(part, dialect)
            case NewRows():
                return part.select(dialect, compared)

    def _compared(self, dialect: str) -> Compared:
        """Returns the texts that the columns of the tables are compared with."""
        blocks = {name: part for name, part in self.parts if isinstance(part, Block)}
        return compared_values(blocks, dialect)


def score_script(
    bound: BoundCase, pieces: Mapping[str, Piece], step: str, keep: tuple[str, ...] = ()
) -> ScoreScript:
    """Compiles what is needed to score, and nothing more: unused columns are pruned upstream."""
    return rows_script(bound, pieces, step, _columns(pieces[step], keep))


def rows_script(
    bound: BoundCase, pieces: Mapping[str, Piece], step: str, columns: tuple[str, ...]
) -> ScoreScript:
    """Compiles some columns of a concept or step over new data."""
    renamed = _cte_names(bound)

    def naming(name: str) -> exp.Table:
        return table(renamed.get(name, name))

    order = [name for name in (*bound.sources, *bound.steps) if name in pieces]
    needed: dict[str, dict[str, str]] = {step: dict.fromkeys(columns, step)}
    parts: list[Part] = []
    models: set[str] = set()
    for name in reversed(order):
        if name not in needed or name in bound.sources:
            continue
        if name != step and _computes_model(pieces[name], needed[name]):
            models.add(name)
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
            parts.append((renamed[name], NewRows(slim)))
    parts.reverse()
    needed_by = {f"{c}.{f}": needed[c][f] for c, features in inputs.items() for f in features}
    places = {name: bound.steps[name].place() for name, _ in parts if name in bound.steps}
    return ScoreScript(
        bound.name,
        step,
        columns,
        inputs,
        needed_by,
        tuple(parts),
        naming,
        places,
        frozenset(models),
    )


def _versions(dialect: Dialect) -> list[str]:
    """Says which version of an engine the script needs, or was tried on."""
    if dialect.needs:
        lines = [f"It needs {dialect.needs}."]
    elif dialect.tried:
        lines = [f"It was tried on {dialect.tried}."]
    else:
        lines = []
    if dialect.older:
        lines.append(f"For an older one: miningflow compile --score --dialect {dialect.older}")
    return lines


def _computes_model(piece: Piece, needed: Iterable[str]) -> bool:
    """Returns whether what a step adds by a model is needed, by a later part of the script."""
    operator = piece.operator
    if operator is None or not operator.applies_model or piece.inline:
        return False
    return not operator.made_features().isdisjoint(needed)


def _columns(piece: Piece, keep: tuple[str, ...]) -> tuple[str, ...]:
    """Chooses the key, what the user wants to keep, what the model predicts, and the segment."""
    assert piece.operator is not None
    concept = piece.presence.concept
    for name in keep:
        if name not in concept.features:
            lost = piece.presence.deselected.get(name)
            hint = suggestion(name, concept.features, "features")
            if lost is not None:
                hint = f"step {lost.step!r} deselected it: {lost.reason}"
            message = f"{piece.name!r} has no feature {name!r} to keep"
            raise CompileError(Diagnostic(message, None, hint))
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
