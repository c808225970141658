"""Scoring: new rows through the frozen case, with the very statement of the scoring script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from miningflow.compile import Names, ScoreScript
from miningflow.engines import Session
from miningflow.errors import Mistake, Place, RunError, suggestion
from miningflow.learn.kernels import KernelModel
from miningflow.read import Scalar
from miningflow.resolve import BoundCase
from miningflow.run.checking import check_source, relation_of
from miningflow.run.sources import SourceLocation, find_files, parse_table
from miningflow.run.store import Store
from miningflow.sql.dialect import render
from miningflow.sql.models.cost import choose

NewRows: TypeAlias = str | Path | Any
"""A file, a table of the store, or an Arrow table."""

NOWHERE = Place("", 0, 0)
# Beyond that many seconds of a processor this process computes kernels itself.
SECONDS_OF_SQL = 10.0
FILES = {".csv", ".tsv", ".txt", ".gz", ".parquet"}


@dataclass(frozen=True)
class Scores:
    """What scoring gave: the rows, or where they were written."""

    rows: int
    table: pa.Table | None = None
    written: str | None = None


@dataclass(frozen=True)
class Scoring:
    """What scoring goes by: the case, its script, and how the connection names columns."""

    bound: BoundCase
    script: ScoreScript
    columns: Mapping[str, Mapping[str, str]]
    """Concept → feature → column, where the source calls it otherwise."""
    numbered: Mapping[str, str]
    """Concept → key that is the number of the row, where the source has none."""


def score_rows(
    scoring: Scoring, store: Store, inputs: Mapping[str, NewRows], output: str | Path | None
) -> Scores:
    """Scores new rows; concepts without new rows are read from the store as last published."""
    for name in inputs:
        if name not in scoring.bound.sources:
            hint = suggestion(name, scoring.bound.sources, "concepts")
            raise RunError(Mistake(f"the case has no source concept {name!r}", None, hint))
    with store.engine.session() as session:
        for name in scoring.script.inputs:
            if name in inputs:
                try:
                    _offer(session, scoring, store, name, inputs[name])
                except RunError as error:  # new rows stand in no file with lines
                    raise RunError(*(replace(m, place=None) for m in error.mistakes)) from None
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
            return _scores(session, store, sql, output)


def _is_worth_it(session: Session, script: ScoreScript, models: Mapping[str, KernelModel]) -> bool:
    """Says whether to compute kernels in this process: faster, but not to the last digit the same.

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


def _scores(session: Session, store: Store, sql: str, output: str | Path | None) -> Scores:
    if output is None:
        table = session.arrow(sql)
        return Scores(table.num_rows, table=table)
    if _is_file(str(output)):
        rows = session.sparing(sql, lambda: _write_file(session, sql, Path(output)))
        return Scores(rows, written=str(output))
    rows = session.sparing(sql, lambda: _write_table(session, store, sql, str(output)))
    return Scores(rows, written=f"table {output}")


def _write_file(session: Session, sql: str, path: Path) -> int:
    """Writes beside the file first, so that one that is there is replaced whole or not at all."""
    if path.suffix not in (".csv", ".parquet"):
        raise RunError(Mistake(f"cannot write {path}", None, "scores go to .parquet or .csv files"))
    partial = path.with_name(f".{path.name}.part{path.suffix}")
    try:
        rows = session.write(sql, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return rows


def _write_table(session: Session, store: Store, sql: str, name: str) -> int:
    try:
        table = parse_table(Scalar(name, "text", NOWHERE), store.engine.default_schema)
    except RunError as error:
        raise RunError(*(replace(m, place=None) for m in error.mistakes)) from None
    if any(t.casefold() == table.name.casefold() for t in store.engine.objects(table.db)):
        raise RunError(
            Mistake(f"there is a table {name!r} already", None, "name another, or drop it first")
        )
    target = render(table, store.engine.dialect)
    session.execute(f"CREATE TABLE {target} AS {sql}")
    return int(session.rows(f"SELECT count(*) FROM {target}")[0][0])


def _offer(session: Session, scoring: Scoring, store: Store, name: str, rows: NewRows) -> None:
    """Makes new rows readable under the name of their concept; only needed features count."""
    if isinstance(rows, pa.Table):
        columns = _columns(scoring, name, rows.column_names, "the given rows")
        offered = {feature: rows.column(column) for feature, column in columns.items()}
        if (key := _numbered(scoring, name, columns)) is not None:
            offered[key] = pa.array(range(1, rows.num_rows + 1))
        session.register(name, pa.table(offered))
        return
    location = _locate(store, name, str(rows))
    reader = session.files() if location.paths else session
    found = list(reader.columns(f"SELECT * FROM {relation_of(location, reader)}"))
    columns = _columns(scoring, name, found, str(rows))
    concept = scoring.bound.sources[name].only(scoring.script.inputs[name])
    key = _numbered(scoring, name, columns)
    named = replace(location, columns=columns, numbered=key)
    raw = check_source(session, concept, named, may_be_empty=True)
    if location.paths:
        session.load("temp view", session.quoted(name), raw.query)
    else:
        session.execute(f"CREATE TEMP VIEW {session.quoted(name)} AS {raw.query}")


def _locate(store: Store, name: str, rows: str) -> SourceLocation:
    scalar = Scalar(rows, "text", NOWHERE)
    if _is_file(rows):
        return SourceLocation(name, scalar, find_files(Path("."), scalar))
    table = parse_table(scalar, store.engine.default_schema)
    there = store.engine.objects(table.db)
    if table.name not in there:
        hint = suggestion(table.name, there, "tables")
        raise RunError(Mistake(f"there is no table {rows!r} in the store", None, hint))
    return SourceLocation(name, scalar, table=table)


def _is_file(rows: str) -> bool:
    """Tells a file from a table of the store, which may be written `schema.table`."""
    known = {s.lower() for s in Path(rows).suffixes} & FILES
    return bool(known) or "*" in rows or "/" in rows or Path(rows).is_file()


def _columns(scoring: Scoring, name: str, found: list[str], shown: str) -> dict[str, str]:
    """Finds the column of each needed feature: by its own name, or by that of the connection."""
    there = {column.casefold(): column for column in found}
    features = scoring.script.inputs[name]
    columns: dict[str, str] = {}
    mistakes: list[Mistake] = []
    for feature in features:
        mapped = scoring.columns.get(name, {}).get(feature, feature)
        column = there.get(feature.casefold()) or there.get(mapped.casefold())
        if column is not None:
            columns[feature] = column
        if column is not None or feature == scoring.numbered.get(name):
            continue
        step = scoring.script.needed_by.get(f"{name}.{feature}", scoring.script.step)
        hint = f"scoring reads {', '.join(features)} of {name}"
        mistakes.append(
            Mistake(f"{shown} has no column {mapped!r}, which step {step!r} needs", None, hint)
        )
    if mistakes:
        raise RunError(*mistakes)
    return columns


def _numbered(scoring: Scoring, name: str, columns: Mapping[str, str]) -> str | None:
    """Gives the key that the new rows lack and that is the number of the row."""
    key = scoring.numbered.get(name)
    return key if key in scoring.script.inputs[name] and key not in columns else None
