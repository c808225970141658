"""Scores new rows with the statement of the scoring script."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from sqlglot import exp

from miningflow.arguments import check_folder
from miningflow.checked_folder import scratch_folder, unguessable_name
from miningflow.compile import Names, ScoreScript
from miningflow.engines import Session
from miningflow.engines.column_names import matching_columns
from miningflow.engines.csv_header import uses_delimiter
from miningflow.engines.file_access import FileAccess, access_to
from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, Place, RunError, suggestion
from miningflow.learn.kernels import KernelModel
from miningflow.read import Scalar, SourceText
from miningflow.resolve import BoundCase
from miningflow.sql.dialect import render
from miningflow.sql.models.cost import choose
from miningflow.store.opening import Store
from miningflow.store.source_checks import check_source
from miningflow.store.source_columns import relation_of
from miningflow.store.source_files import find_files
from miningflow.store.sources import SourceLocation, key_types_of, parse_table
from miningflow.verbs.score.category_spellings import with_known_spellings
from miningflow.verbs.score.given_rows import given_table
from miningflow.verbs.score.judged_rows import JudgedRows
from miningflow.verbs.score.new_keys import expected_types, frame_keys
from miningflow.warn import ResultWarning, collapsed
from miningflow.warn.of_scores import ScoredRows, score_warnings

NewRows: TypeAlias = str | Path | Any
"""A file, a table of the store, or a frame that Arrow can read."""

NOWHERE = Place("", 0, 0)
# Beyond that many seconds of a processor this process computes kernels itself.
SECONDS_OF_SQL = 10.0
GIVEN = "the given rows"
_EMPTY = {"numeric": pa.float64(), "time": pa.timestamp("us"), "key": pa.int64()}
FILES = {".csv", ".tsv", ".txt", ".gz", ".parquet"}


@dataclass(frozen=True)
class Scores:
    """The scores of new rows, or where they were written."""

    rows: int
    table: pa.Table | None = None
    written: str | None = None
    report: ScoredRows | None = None
    """How many rows have no score and why, and values that were not learned."""
    warnings: tuple[ResultWarning, ...] = ()
    """What makes the scores doubtful, and what to do about it."""


@dataclass(frozen=True)
class Scoring:
    """What scoring needs: the case, its script, and how the connection names columns."""

    bound: BoundCase
    script: ScoreScript
    sources: Mapping[str, SourceText]
    """What the connection says about the source of each concept."""
    judged: JudgedRows | None = None
    """How to look at the rows that the model is applied to."""

    def column(self, concept: str, feature: str) -> str:
        """Names the column of a feature in the source of its concept."""
        source = self.sources.get(concept)
        named = source.columns.get(feature) if source else None
        return named.text if named else feature

    def read_as(self, concept: str) -> dict[str, KeyType]:
        """Returns what the keys of a concept are to be read as."""
        source = self.sources.get(concept)
        return key_types_of(source) if source else {}

    def numbered(self, concept: str) -> str | None:
        """Returns the key that is the number of the row, if the source has none."""
        source = self.sources.get(concept)
        return source.number_rows.text if source and source.number_rows else None


@dataclass(frozen=True)
class Output:
    """Where scores go: to a file, to a table of the store, or to the caller."""

    named: str | Path | None
    scratch: Path | None
    """A folder beside the file, where it is written before it is complete."""


def output_to(named: str | Path | None) -> Output:
    """Returns where scores go that somebody wants in a file or table of this name."""
    is_file = named is not None and _is_file(str(named))
    scratch = Path(str(named)).absolute().parent / unguessable_name() if is_file else None
    return Output(named, scratch)


def access_for(inputs: Mapping[str, NewRows], output: Output) -> FileAccess:
    """Returns the access to files of new rows and scores; what is missing is told later."""
    files: list[Path] = []
    for rows in inputs.values():
        if isinstance(rows, str | Path) and _is_file(str(rows)):
            with suppress(RunError):
                files += find_files(Path("."), Scalar(str(rows), "text", NOWHERE))
    return access_to(files, [output.scratch] if output.scratch else ())


def score_rows(
    scoring: Scoring, store: Store, inputs: Mapping[str, NewRows], output: Output
) -> Scores:
    """Scores new rows; concepts without new rows are read from the store as last published."""
    for name in inputs:
        if name not in scoring.bound.sources:
            hint = suggestion(name, scoring.bound.sources, "concepts")
            raise RunError(Diagnostic(f"the case has no source concept {name!r}", None, hint))
    _check_output(store, output.named)
    with store.engine.session() as session:
        for name in scoring.script.inputs:
            if name in inputs:
                try:
                    _offer(session, scoring, store, name, inputs[name])
                except RunError as error:  # new rows stand in no file with lines
                    raise RunError(*(replace(m, place=None) for m in error.diagnostics)) from None
            else:
                published = render(Names(scoring.bound.name).public(name), store.engine.dialect)
                target = session.quoted(name)
                session.execute(f"CREATE TEMP VIEW {target} AS SELECT * FROM {published}")
        script, models = scoring.script.called()
        offered = store.engine.offers_models
        if not offered or not _is_worth_it(session, scoring.script, models):
            script, models = scoring.script, {}
        sql = render(script.tree(store.engine.dialect), store.engine.dialect)
        with session.offering(models):
            scores = _scores(session, store, sql, output)
        return _reported(session, store, scoring, scores)


def _reported(session: Session, store: Store, scoring: Scoring, scores: Scores) -> Scores:
    """Adds what the new rows have that the model is applied to."""
    if scoring.judged is None or not scores.rows:
        return replace(scores, report=ScoredRows(scores.rows))
    found = session.rows(scoring.judged.sql(store.engine.dialect))[0]
    report = scoring.judged.report(found)
    warnings = collapsed(score_warnings(scoring.script.step, report))
    return replace(scores, report=report, warnings=warnings)


def _is_worth_it(session: Session, script: ScoreScript, models: Mapping[str, KernelModel]) -> bool:
    """Returns whether to compute kernels in this process: faster, but the last digit may differ.

    A score that is a matter of seconds is that of the exported SQL, whatever rows are beside it.
    """
    per_million = sum(
        choose(model, model.support.shape[1]).seconds_per_million for model in models.values()
    )
    if not models:
        return False
    rows = max(
        int(session.rows(f"SELECT count(*) FROM {session.quoted(name)}")[0][0])
        for name in script.inputs
    )
    return per_million * rows / 1e6 > SECONDS_OF_SQL


def _scores(session: Session, store: Store, sql: str, output: Output) -> Scores:
    named, scratch = output.named, output.scratch
    if named is None:
        table = session.arrow(sql)
        return Scores(table.num_rows, table=table)
    if scratch is not None:
        rows = session.sparing(sql, lambda: _write_file(session, sql, Path(named), scratch))
        return Scores(rows, written=str(named))
    rows = session.sparing(sql, lambda: _write_table(session, store, sql, str(named)))
    return Scores(rows, written=f"table {named}")


def _check_output(store: Store, output: str | Path | None) -> None:
    """Refuses an output that cannot be written, before anything is computed."""
    if output is None:
        return
    written = "scores go to .parquet or .csv files, or to a new table of the store"
    if _is_file(str(output)):
        path = Path(output)
        if path.suffix not in (".csv", ".parquet"):
            raise RunError(Diagnostic(f"cannot write {path}", None, written))
        check_folder(path)
        return
    table = _output_table(store, str(output))
    if table.db not in store.engine.schemas():
        raise RunError(
            Diagnostic(f"there is no schema {table.db!r} for the table {output!r}", None, written)
        )


def _output_table(store: Store, name: str) -> exp.Table:
    try:
        return parse_table(Scalar(name, "text", NOWHERE), store.engine.default_schema)
    except RunError as error:
        raise RunError(*(replace(m, place=None) for m in error.diagnostics)) from None


def _write_file(session: Session, sql: str, path: Path, scratch: Path) -> int:
    """Writes beside the file first, so that a file is replaced as a whole or not at all."""
    with scratch_folder(scratch) as aside:
        rows = session.write(sql, aside / f"rows{path.suffix}")
        (aside / f"rows{path.suffix}").replace(path)
    return rows


def _write_table(session: Session, store: Store, sql: str, name: str) -> int:
    table = _output_table(store, name)
    if any(t.casefold() == table.name.casefold() for t in store.engine.objects(table.db)):
        raise RunError(
            Diagnostic(f"table {name!r} already exists", None, "name another one, or drop it first")
        )
    target = render(table, store.engine.dialect)
    session.execute(f"CREATE TABLE {target} AS {sql}")
    return int(session.rows(f"SELECT count(*) FROM {target}")[0][0])


def _offer(session: Session, scoring: Scoring, store: Store, name: str, rows: NewRows) -> None:
    """Makes the needed features of new rows readable under the name of their concept."""
    expected = expected_types(scoring.bound, scoring.script, name, store, session)
    if isinstance(rows, str | Path):
        location = _locate(store, scoring, name, str(rows)).reading(scoring.read_as(name))
    else:
        given = given_table(name, rows, _readable(scoring, name))
        location = _registered(session, scoring, name, given)
    reader = session.files() if location.paths else session
    found = list(reader.columns(f"SELECT * FROM {relation_of(location, reader)}"))
    columns = _columns(scoring, name, found, location.shown)
    concept = scoring.bound.sources[name].only(scoring.script.inputs[name])
    key = _numbered(scoring, name, columns)
    named = replace(location, columns=columns, numbered=key)
    raw = check_source(session, concept, named, may_be_empty=True, expected=expected)
    kinds = scoring.script.inputs[name]
    raw = with_known_spellings(raw, scoring.bound.name, name, kinds, store, session)
    if location.paths:
        session.load("temp view", session.quoted(name), raw.query)
    else:
        session.execute(f"CREATE TEMP VIEW {session.quoted(name)} AS {raw.query}")


def _readable(scoring: Scoring, name: str) -> set[str]:
    """Returns the names that a column may have to be read: of features, or of the connection."""
    features = scoring.script.inputs[name]
    return {*features, *(scoring.column(name, feature) for feature in features)}


def _registered(session: Session, scoring: Scoring, name: str, rows: pa.Table) -> SourceLocation:
    """Makes given rows readable in the session, under another name than that of their concept."""
    columns = _columns(scoring, name, rows.column_names, GIVEN)
    kinds = scoring.script.inputs[name]
    offered = {f: _with_type(rows.column(column), kinds[f]) for f, column in columns.items()}
    if (key := _numbered(scoring, name, columns)) is not None:
        offered[key] = pa.array(range(1, rows.num_rows + 1))
    given = f"{GIVEN} of {name}"
    session.register(given, pa.table(offered))
    table = exp.Table(this=exp.to_identifier(given, quoted=True))
    types = session.columns(f"SELECT * FROM {session.quoted(given)}")
    read_as = frame_keys(session, scoring.script.inputs[name], types, scoring.read_as(name))
    return SourceLocation(name, Scalar(GIVEN, "text", NOWHERE), table=table, read_as=read_as)


def _with_type(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    """Gives a column without any value the type of its feature."""
    if pa.types.is_null(column.type):
        return column.cast(_EMPTY.get(kind, pa.string()))
    return column


def _locate(store: Store, scoring: Scoring, name: str, rows: str) -> SourceLocation:
    scalar = Scalar(rows, "text", NOWHERE)
    if _is_file(rows):
        paths = find_files(Path("."), scalar)
        found = SourceLocation(name, scalar, paths)
        source = scoring.sources.get(name)
        if source is None or not found.is_text:
            return found
        wanted = source.delimiter.text if source.delimiter else None
        is_used = wanted is not None and uses_delimiter(paths[0], wanted, source.reading.encoding)
        return replace(found, delimiter=wanted if is_used else None, csv_reading=source.reading)
    table = parse_table(scalar, store.engine.default_schema)
    there = store.engine.objects(table.db)
    if table.name not in there:
        hint = suggestion(table.name, there, "tables")
        raise RunError(Diagnostic(f"there is no table {rows!r} in the store", None, hint))
    return SourceLocation(name, scalar, table=table)


def _is_file(rows: str) -> bool:
    """Returns whether new rows are a file, and not a table of the store such as `schema.table`."""
    known = {s.lower() for s in Path(rows).suffixes} & FILES
    return bool(known) or "*" in rows or "/" in rows or Path(rows).is_file()


def _columns(scoring: Scoring, name: str, found: list[str], shown: str) -> dict[str, str]:
    """Finds the column of each needed feature: by its own name, or by that of the connection."""
    features = scoring.script.inputs[name]
    columns: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for feature in features:
        mapped = scoring.column(name, feature)
        there = matching_columns(feature, found) or matching_columns(mapped, found)
        if len(there) == 1:
            columns[feature] = there[0]
        if len(there) > 1:
            diagnostics.append(
                Diagnostic(
                    f"column {feature!r} of {shown} is ambiguous: "
                    f"there are {' and '.join(map(repr, there))}",
                    None,
                    "rename one of them",
                )
            )
        if there or feature == scoring.numbered(name):
            continue
        step = scoring.script.needed_by.get(f"{name}.{feature}", scoring.script.step)
        hint = f"scoring reads {', '.join(features)} of {name}"
        diagnostics.append(
            Diagnostic(f"{shown} has no column {mapped!r}, which step {step!r} needs", None, hint)
        )
    if diagnostics:
        raise RunError(*diagnostics)
    return columns


def _numbered(scoring: Scoring, name: str, columns: Mapping[str, str]) -> str | None:
    """Returns the key that the new rows lack and that is the number of the row."""
    key = scoring.numbered(name)
    return key if key in scoring.script.inputs[name] and key not in columns else None
