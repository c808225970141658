"""Searches over subsets of column groups, guided by an error estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups, SubsetGram


@dataclass(frozen=True, slots=True)
class Trial:
    """One subset of groups that was tried, and what came out."""

    level: int
    subset: tuple[int, ...]
    changed: int | None
    error: float
    accepted: bool


class Trace:
    """The trials so far; whoever holds it can read them even after an interrupt."""

    def __init__(self, callback: Callable[[Trial], object] | None = None) -> None:
        self._callback = callback
        self._trials: list[Trial] = []

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials in the order in which they were made."""
        return tuple(self._trials)

    def record(self, trial: Trial) -> None:
        """Appends a trial and shows it to the callback."""
        self._trials.append(trial)
        if self._callback is not None:
            self._callback(trial)

    def accept(self, trial: Trial) -> Trial:
        """Marks a recorded trial as the one the search goes on from."""
        accepted = replace(trial, accepted=True)
        self._trials[self._trials.index(trial)] = accepted
        return accepted


def backward(
    columns: ColumnGroups, estimate: Estimate, accept_equal: bool, minimum: int, trace: Trace
) -> Trial:
    """Removes one group after another from all of them, while the estimate gets better."""
    start = columns.subset(columns.parts)

    def candidates(subset: tuple[int, ...]) -> tuple[int, ...]:
        return subset if len(subset) > minimum else ()

    def better(error: float, current: Trial) -> bool:
        return error < current.error or (accept_equal and error == current.error)

    return _greedy(start, estimate, candidates, better, trace)


def forward(
    columns: ColumnGroups, estimate: Estimate, accept_equal: bool, minimum: int, trace: Trace
) -> Trial:
    """Adds one group after another to none of them, while the estimate gets better."""
    start = columns.subset(())

    def candidates(subset: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(group for group in columns.parts if group not in subset)

    def better(error: float, current: Trial) -> bool:
        return (
            error < current.error
            or (accept_equal and error == current.error)
            or len(current.subset) < minimum
        )

    return _greedy(start, estimate, candidates, better, trace)


def _greedy(
    gram: SubsetGram,
    estimate: Estimate,
    candidates: Callable[[tuple[int, ...]], tuple[int, ...]],
    better: Callable[[float, Trial], bool],
    trace: Trace,
) -> Trial:
    current = Trial(0, gram.subset, None, estimate(gram), accepted=True)
    trace.record(current)
    while groups := candidates(current.subset):
        level = []
        for group in groups:
            neighbour = gram.toggled(group)
            trial = Trial(current.level + 1, neighbour.subset, group, estimate(neighbour), False)
            trace.record(trial)
            level.append(trial)
        # min takes the first of equals, so ties do not depend on anything but the order of groups.
        best = min(level, key=lambda trial: trial.error)
        if best.changed is None or not better(best.error, current):
            break
        current = trace.accept(best)
        # One more update is cheaper than holding the matrices of all candidates.
        gram = gram.toggled(best.changed)
    return current
