"""Opens all tables of a new case, each where it is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from miningflow.errors import Diagnostic, RunError
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import Inspected, check_width, inspect_files, scratch_engine
from miningflow.verbs.start.converted import as_files
from miningflow.verbs.start.databases import (
    DatabaseAddress,
    database_address,
    inspect_database,
    opened_database,
)
from miningflow.verbs.start.naming import refuse_clashes

MOST_TABLES = 200


def opened_tables(
    sources: Sequence[GivenSource], stack: ExitStack
) -> tuple[list[Inspected], DatabaseAddress | None]:
    """Looks at every table; they stay open for further questions until the stack is closed.

    Also returns the address of the database that some of them are in.
    """
    if len(sources) > MOST_TABLES:
        raise RunError(
            Diagnostic(
                f"there are {len(sources):,} tables, and a case starts with at most {MOST_TABLES}",
                None,
                "name those that belong together",
            )
        )
    sources = stack.enter_context(as_files(sources))
    files = [path for source in sources for path in source.paths]
    found: list[Inspected] = []
    if files:
        for source in sources:
            if source.paths:
                check_width(source)
        engine, _ = stack.enter_context(scratch_engine(files))
        session = stack.enter_context(engine.session())
        for number, source in enumerate(sources):
            if source.paths:
                found.append(inspect_files(session, engine, source, number))
    databases = [source for source in sources if source.database is not None]
    if len(databases) > 1:
        names = " and ".join(each.shown.rpartition("@")[2] for each in databases[:2])
        hint = "copy the tables of one of them to files"
        raise RunError(Diagnostic(f"a case has one store, not {names}", None, hint))
    address = None
    for source in databases:
        assert source.database is not None
        address = database_address(source.database)
        engine = stack.enter_context(opened_database(address))
        session = stack.enter_context(engine.session())
        found += inspect_database(engine, session, address, source)
    refuse_clashes([each.source for each in found])
    return found, address
