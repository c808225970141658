"""`compare`: several selectors on the rows that a selecting step learns from."""

from __future__ import annotations

from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import reading
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.run.events import Listener, silent
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
        return compare_selectors(bound, store, selecting, question or Question(), listener)
