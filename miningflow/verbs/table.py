"""`table`: the published rows of a concept or step."""

from __future__ import annotations

import pyarrow as pa

from miningflow.compile import Names
from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import reading
from miningflow.plan import layout
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_node, written_name
from miningflow.sql.dialect import render
from miningflow.store.opening import in_memory
from miningflow.store.snapshot import take_snapshot


def table(bound: BoundCase, connection: ConnectionText | None, name: str) -> pa.Table:
    """Reads the rows of a concept or step, as last published."""
    step = written_name(find_node(name, bound), bound)
    with reading(bound, connection) as store:
        names = Names(bound.name)
        there = take_snapshot(bound.name, store).public
        if store is None or step not in there:
            fused = step in bound.steps and layout(bound)[step] == "inline"
            message = f"{name!r} has no rows to read"
            hint = "run the case first"
            if fused:
                message += ": it is fused into the step that uses it"
                hint = "add `materialize: view` to the step, and run the case"
            if in_memory(connection):
                message += ": the store is in memory, and ended with the run"
                hint = "name a file, such as `store: duckdb:///file.duckdb`, and run the case"
            raise RunError(Diagnostic(message, None, hint))
        with store.engine.session() as session:
            target = render(names.public(step), store.engine.dialect)
            columns = ", ".join(map(session.quoted, session.columns(f"SELECT * FROM {target}")))
            return session.arrow(f"SELECT {columns} FROM {target}")
