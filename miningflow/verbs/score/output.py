"""Where scores go: to a file, to a table of the store, or to the caller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from miningflow.arguments import check_folder
from miningflow.checked_folder import scratch_folder, unguessable_name
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError
from miningflow.sql.dialect import render
from miningflow.store.file_or_table import given_name, is_file
from miningflow.store.opening import Store
from miningflow.store.sources import parse_table


@dataclass(frozen=True)
class Output:
    """Where scores go: to a file, to a table of the store, or to the caller."""

    named: str | Path | None
    scratch: Path | None
    """A folder beside the file, where it is written before it is complete."""


def output_to(named: str | Path | None) -> Output:
    """Returns where scores go that are wanted in a file or table of this name."""
    if named is None or not is_file(str(named)):
        return Output(named, None)
    return Output(named, Path(named).absolute().parent / unguessable_name())


def check_output(store: Store, output: str | Path | None) -> None:
    """Refuses an output that cannot be written, before anything is computed."""
    if output is None:
        return
    written = "scores go to .parquet or .csv files, or to a new table of the store"
    if is_file(str(output)):
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


def write_scores(session: Session, store: Store, sql: str, output: Output) -> int:
    """Writes the scores to the file or table; returns their number."""
    named = str(output.named)
    scratch = output.scratch
    if scratch is not None:
        return session.sparing(sql, lambda: _write_file(session, sql, Path(named), scratch))
    return session.sparing(sql, lambda: _write_table(session, store, sql, named))


def _output_table(store: Store, name: str) -> exp.Table:
    try:
        return parse_table(given_name(name), store.engine.default_schema)
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
