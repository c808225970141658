"""START HERE: the five phases in order, read → resolve → plan → compile → run.

The command line and the Python API (`project.py`) go through these functions; what else one does
with a case is in `verbs/`.

    YAML ────────── read ────▶ Case                 what was written, with places
    Case ────────── resolve ─▶ BoundCase            names found, concepts derived; no data needed
    BoundCase ───── plan ────▶ Plan                 stages: run or reuse, and why
    BoundCase ───── compile ─▶ Piece per step       SQL trees; pure, with what earlier runs learned
    Plan ────────── run ─────▶ Report               views and tables in the store

The SQL of a step contains what it and earlier steps learned. So a run compiles each step just
before it builds it (`run/building.py`), and `compile_case` compiles what earlier runs learned. In
both, an operator's `emit` returns the SQL tree of a step, and `sql/` prints it in a dialect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from miningflow.catalog import installed
from miningflow.compile import Compiled, Piece, compile_bound
from miningflow.compile.gc_paused import gc_paused
from miningflow.errors import Diagnostic, MiningFlowError, ReadError
from miningflow.plan import Plan, PlanRequest, plan_case
from miningflow.read import NO_TEXTS, ConnectionText, find_connection, read_case
from miningflow.resolve import BoundCase, resolve_case
from miningflow.run import Report, run_plan
from miningflow.run.events import Listener, silent
from miningflow.run.exporting import exports_of
from miningflow.store.kept_rows import kept_versions
from miningflow.store.opening import (
    Store,
    check_address,
    connected,
    known_store,
    needed,
    open_store,
    store_exists,
)
from miningflow.store.reusable_builds import built_before
from miningflow.store.snapshot import Snapshot, take_snapshot
from miningflow.store.source_versions import source_versions
from miningflow.store.sources import SourceLocation, locate_sources
from miningflow.store.stored_builds import stored_builds


def check(
    path: Path,
    connect: Path | None = None,
    lazy: bool = False,
    texts: Mapping[Path, str] = NO_TEXTS,
) -> tuple[BoundCase, ConnectionText | None]:
    """Phases 1 and 2: reads and resolves a case and its connection. Opens no data, no database.

    With `lazy`, every segmentation keeps its first segment only, to try a case. An error has what
    is wrong with both, the case and its connection. Files are read as if they contained their
    `texts`.
    """
    with gc_paused():
        case = read_case(path, texts.get(path))
        connection: ConnectionText | None = None
        unconnected: tuple[Diagnostic, ...] = ()
        try:  # a block of the case that cannot be read is not looked at, nor shown, again
            readable = connect is not None or not case.mistakes
            connection = find_connection(case, connect, texts) if readable else None
            if connection is not None:
                check_address(connection)
        except MiningFlowError as error:
            unconnected = error.diagnostics
        try:
            bound = resolve_case(case, installed(), lazy)
        except MiningFlowError as error:
            raise type(error)(*error.diagnostics, *unconnected) from None
        if unconnected:
            raise ReadError(*unconnected)
        return bound, connection


def plan(
    bound: BoundCase, connection: ConnectionText | None, request: PlanRequest | None = None
) -> Plan:
    """Phase 3: plans what a run would do, and why. Changes nothing."""
    locations = locate_sources(bound, needed(bound.case, connection))
    with reading(bound, connection) as store, gc_paused():
        return plan_on(bound, store, take_snapshot(bound.name, store), locations, request)


def compile_case(bound: BoundCase, connection: ConnectionText | None) -> Compiled:
    """Phase 4: compiles every step whose inputs have been learned to SQL. Changes nothing."""
    with reading(bound, connection) as store, gc_paused():
        learned = stored_builds(bound.name, store.repository if store else None)
        return compile_bound(bound, learned)


def run(
    bound: BoundCase,
    connection: ConnectionText | None,
    request: PlanRequest | None = None,
    listener: Listener = silent,
    wait: float = 0.0,
    target: Path = Path("target"),
    test: bool = False,
) -> tuple[Report, dict[str, Piece]]:
    """All phases: builds what changed, then makes it visible at once.

    Exported files go to a folder named after the case within `target`. With `test`, nothing becomes
    visible if a data test fails.
    """
    locations = locate_sources(bound, needed(bound.case, connection))
    exports = exports_of(bound, target)
    with open_store(bound.case, connection, wait, access=exports.access) as store:
        if request is not None and request.full:
            store.repository.forget_unreadable(bound.name)
        snapshot = take_snapshot(bound.name, store)
        planned = plan_on(bound, store, snapshot, locations, request)
        return run_plan(bound, planned, store, snapshot, locations, exports, listener, test=test)


def plan_on(
    bound: BoundCase,
    store: Store | None,
    snapshot: Snapshot,
    locations: Mapping[str, SourceLocation],
    request: PlanRequest | None = None,
) -> Plan:
    """Plans a run on a store that is open, or on one that does not exist yet."""
    kept = kept_versions(locations, snapshot)
    versions = source_versions({n: where for n, where in locations.items() if n not in kept}, store)
    return plan_case(bound, {**versions, **kept}, built_before(snapshot), request)


@contextmanager
def reading(bound: BoundCase, connection: ConnectionText | None) -> Iterator[Store | None]:
    """Opens the store of a case for reading, if it exists."""
    connection = connected(bound.case, connection)
    if not store_exists(connection):
        yield None
        return
    with open_store(bound.case, connection, read_only=True) as store:
        yield store


def store_dialect(connection: ConnectionText | None) -> str:
    """Returns the dialect of the store that a connection names; it need not exist."""
    return known_store(connection.store).dialect if connection and connection.store else "duckdb"
