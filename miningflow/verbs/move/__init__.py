"""`move`: sources and what was learned, taken to another store."""

from __future__ import annotations

from pathlib import Path

from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import plan_on
from miningflow.read import ConnectionText
from miningflow.repository import RunOrigin
from miningflow.resolve import BoundCase
from miningflow.run import run_plan
from miningflow.run.events import Listener, silent
from miningflow.run.exporting import exports_of
from miningflow.store.kept_rows import refuse_unnamed
from miningflow.store.opening import needed, open_store, refuse_same_stores, store_exists
from miningflow.store.snapshot import take_snapshot
from miningflow.store.sources import locate_sources
from miningflow.verbs.move.artifacts import hand_over, refuse_unlearned
from miningflow.verbs.move.sources import Moved, move_sources

__all__ = ["Moved", "move"]


def move(
    bound: BoundCase,
    origin: ConnectionText | None,
    to: ConnectionText,
    keep_rows: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
    target: Path = Path("target"),
) -> Moved:
    """Copies sources and what was learned to another store, and runs the case there.

    With `keep_rows`, existing tables keep their rows, and what was learned is used on them.
    """
    origin = needed(bound.case, origin)
    refuse_same_stores([origin, to])
    if not store_exists(origin):
        raise RunError(Diagnostic("there is nothing to move yet", None, "run the case first"))
    refuse_unnamed(bound, to, "moving a case")
    locations = locate_sources(bound, to)
    exports = exports_of(bound, target)
    with (
        open_store(bound.case, origin, wait, read_only=True) as source,
        open_store(bound.case, to, wait, access=exports.access) as destination,
    ):
        refuse_unlearned(bound, source)
        moved = move_sources(bound, source, destination, locations, keep_rows, listener)
        snapshot = take_snapshot(bound.name, destination)
        planned = plan_on(bound, destination, snapshot, locations)
        moving = RunOrigin("move", source.url)
        learned = hand_over(bound, planned, source, destination, moving)
        report, _ = run_plan(
            bound, planned, destination, snapshot, locations, exports, listener, moving
        )
        return Moved(source.url, destination.url, moved, tuple(learned), report)
