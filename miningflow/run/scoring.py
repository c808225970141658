"""Scoring: new rows through the frozen case, with the very statement of the scoring script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from miningflow.compile import Names, ScoreScript
from miningflow.engines import Session
from miningflow.errors import Mistake, Place, RunError, suggestion
from miningflow.read import Scalar
from miningflow.resolve import BoundCase
from miningflow.run.checking import check_source
from miningflow.run.sources import SourceLocation, find_files, parse_table
from miningflow.run.store import Store
from miningflow.sql.dialect import render
from miningflow.sql.literals import quoted

NewRows: TypeAlias = str | Path | Any
"""A file, a table of the store, or an Arrow table."""


@dataclass(frozen=True)
class Scores:
    """What scoring gave: the rows, or the file they were written to."""

    rows: int
    table: pa.Table | None
    path: Path | None


def score_rows(
    bound: BoundCase,
    script: ScoreScript,
    store: Store,
    inputs: Mapping[str, NewRows],
    output: Path | None,
) -> Scores:
    """Scores new rows; concepts without new rows are read from the store as last published."""
    for name in inputs:
        if name not in bound.sources:
            hint = suggestion(name, bound.sources, "concepts")
            raise RunError(Mistake(f"the case has no source concept {name!r}", None, hint))
    with store.engine.session() as session:
        for name, features in script.inputs.items():
            if name in inputs:
                _offer(session, bound, script, store, name, tuple(features), inputs[name])
            else:
                published = render(Names(bound.name).public(name), store.engine.dialect)
                session.execute(f"CREATE TEMP VIEW {quoted(name)} AS SELECT * FROM {published}")
        sql = render(script.tree, store.engine.dialect)
        if output is None:
            table = session.arrow(sql)
            return Scores(table.num_rows, table, None)
        partial = output.with_name(f".{output.name}.part{output.suffix}")
        try:
            rows = session.write(sql, partial)
            partial.replace(output)
        finally:
            partial.unlink(missing_ok=True)
        return Scores(rows, None, output)


def _offer(
    session: Session,
    bound: BoundCase,
    script: ScoreScript,
    store: Store,
    name: str,
    features: tuple[str, ...],
    rows: NewRows,
) -> None:
    """Makes new rows readable under the name of their concept; only needed features count."""
    concept = bound.sources[name].only(features)
    place = Place("--input", 1, 1)
    if isinstance(rows, pa.Table):
        _require(script, name, features, rows.column_names, "the given rows")
        session.register(name, rows)
        return
    scalar = Scalar(str(rows), "text", place)
    if Path(rows).suffix or "*" in str(rows) or "/" in str(rows):
        location = SourceLocation(name, scalar, find_files(Path("."), scalar))
        relation = store.engine.files_query(location.paths, None)
    else:
        location = SourceLocation(name, scalar, table=parse_table(scalar))
        assert location.table is not None
        relation = render(location.table, store.engine.dialect)
        if location.table.name not in store.engine.objects(location.table.db):
            hint = suggestion(
                location.table.name, store.engine.objects(location.table.db), "tables"
            )
            raise RunError(Mistake(f"there is no table {rows!r} in the store", None, hint))
    _require(script, name, features, list(session.columns(f"SELECT * FROM {relation}")), str(rows))
    raw = check_source(session, store.engine, concept, location, may_be_empty=True)
    shown = ", ".join(f"{tree} AS {quoted(n)}" for n, tree in raw.expressions.items())
    session.execute(f"CREATE TEMP VIEW {quoted(name)} AS SELECT {shown} FROM {raw.relation}")


def _require(
    script: ScoreScript, name: str, features: tuple[str, ...], columns: list[str], shown: str
) -> None:
    known = {c.casefold() for c in columns}
    missing = [f for f in features if f.casefold() not in known]
    if missing:
        raise RunError(
            *(
                Mistake(
                    f"{shown} has no column {f!r}, which step "
                    f"{script.needed_by.get(f'{name}.{f}', script.step)!r} needs",
                    None,
                    f"scoring reads {', '.join(features)} of {name}",
                )
                for f in missing
            )
        )
