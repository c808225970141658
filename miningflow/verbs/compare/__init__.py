"""`compare`: several selectors on the rows that a selecting step learns from."""

from __future__ import annotations

from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import plan_on, reading
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.events import Listener, silent
from miningflow.store.opening import Store
from miningflow.store.snapshot import take_snapshot
from miningflow.store.sources import locate_sources
from miningflow.verbs.compare.comparing import compare_selectors, contestants, selecting_step
from miningflow.verbs.compare.comparison import FEWEST_ROWS, MOST_FOLDS, Comparison, Question

__all__ = ["FEWEST_ROWS", "MOST_FOLDS", "Comparison", "Question", "compare", "contestants"]


def compare(
    bound: BoundCase,
    connection: ConnectionText | None,
    step: str,
    question: Question | None = None,
    listener: Listener = silent,
) -> Comparison:
    """Runs several selectors on the rows that a selecting step learns from. Changes nothing."""
    selecting = selecting_step(bound, step)
    with reading(bound, connection) as store:
        if store is None:
            raise RunError(
                Diagnostic("there are no rows to compare on yet", None, "run the case first")
            )
        if connection is not None and any(s.given for s in connection.sources.values()):
            _refuse_other_rows(bound, connection, store, selecting)
        return compare_selectors(bound, store, selecting, question or Question(), listener)


def _refuse_other_rows(
    bound: BoundCase, connection: ConnectionText, store: Store, selecting: BoundStep
) -> None:
    """Refuses to compare on published rows that were not made from the given sources."""
    locations = locate_sources(bound, connection)
    planned = plan_on(bound, store, take_snapshot(bound.name, store), locations)
    for name in selecting.reads:
        stage = planned.stage(name)
        if stage.action != "reuse":
            raise RunError(
                Diagnostic(
                    f"the results of {name!r} were not made from these sources: {stage.reason}",
                    selecting.place(),
                    "run the case with the same `sources` first",
                )
            )
