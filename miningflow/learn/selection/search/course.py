"""The way of a search over subsets of column groups: where it starts, steps and ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from miningflow.learn.selection.gram import ColumnGroups, SubsetGram
from miningflow.learn.selection.search.subsets import Trial


@dataclass(frozen=True, eq=False, slots=True)
class Course:
    """Backward from all groups or forward from none; to exactly `keep` groups, if that is given."""

    columns: ColumnGroups
    forward: bool
    accept_equal: bool
    minimum: int
    keep: int | None

    def start(self) -> SubsetGram:
        """Returns the subset with which a search begins."""
        return self.columns.subset(() if self.forward else self.columns.parts)

    def onward(self, subset: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the groups that the next step may change; none where the course ends."""
        if self.forward:
            left = len(self.columns.parts) if self.keep is None else self.keep
            return self._outside(subset) if len(subset) < left else ()
        return subset if len(subset) > self.least else ()

    def back(self, subset: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the groups that earlier steps changed."""
        return subset if self.forward else self._outside(subset)

    @property
    def least(self) -> int:
        """How many groups a backward search leaves."""
        return self.keep or self.minimum

    def goes_on(self, error: float, current: Trial) -> bool:
        """Whether a greedy search takes a step to this error."""
        return (
            error < current.error
            or (self.accept_equal and error == current.error)
            or not self._enough(current.subset)
        )

    def choice(self, trials: Iterable[Trial]) -> Trial:
        """Returns the lowest error; of equals the nearest to the start, or the farthest from it."""
        in_order = sorted(trials, key=lambda trial: len(trial.subset), reverse=not self.forward)
        if self.accept_equal:
            in_order.reverse()
        allowed = [trial for trial in in_order if self._enough(trial.subset)]
        return min(allowed, key=lambda trial: trial.error)

    def _enough(self, subset: tuple[int, ...]) -> bool:
        return len(subset) >= self.minimum if self.keep is None else len(subset) == self.keep

    def _outside(self, subset: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(group for group in self.columns.parts if group not in subset)
