"""What `--verbose` says: which files a command reads, and the statements it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miningflow.cli.output import counted
from miningflow.errors import MiningFlowError
from miningflow.run.events import Event
from miningflow.store.opening import known_store
from miningflow.store.sources import locate_sources

if TYPE_CHECKING:
    from rich.console import Console

    from miningflow.project import LoadedCase

# Models as SQL may be megabytes.
LONGEST_STATEMENT = 400


def print_reading(out: Console, case: LoadedCase) -> None:
    """Prints the files and the store of a case; what is wrong with them is reported later."""
    out.print(f"case: {case.path}")
    connection = case.connection
    if connection is None or connection.store is None:
        return
    try:
        shown = known_store(connection.store).shown(connection.store.text)
        located = locate_sources(case.bound, connection)
    except MiningFlowError:
        return
    out.print(f"connection: {connection.place.file}")
    out.print(f"store: {shown}")
    for concept, location in located.items():
        files = ", ".join(map(str, location.paths))
        out.print(f"reads {concept}: {files or f'table {location.shown}'}")


def statement_line(name: str, event: Event) -> str:
    """Writes a statement in one line, with its time and rows."""
    sql = " ".join(event.message.split())
    if len(sql) > LONGEST_STATEMENT:
        sql = f"{sql[:LONGEST_STATEMENT]} … ({len(event.message):,} characters)"
    rows = "" if event.rows is None else f", {counted(event.rows, 'row')}"
    whose = f"{name}: " if name else ""
    return f"    {whose}{event.seconds:.3f} s{rows}: {sql}"
