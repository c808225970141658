"""Subsets that a search tries, each with its estimated error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import SubsetGram


@dataclass(frozen=True, slots=True)
class Trial:
    """One subset of groups that was tried, and what came out.

    `changed` is the group that was added to or removed from the subset before. The first trial has
    none, nor has one that left out several at once, nor the last if the search went back to a
    subset it had left.
    """

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
        """Marks a recorded trial as one that the search continues from."""
        accepted = replace(trial, accepted=True)
        self._trials[self._trials.index(trial)] = accepted
        return accepted


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A subset a search stands on, with its kernel matrix."""

    gram: SubsetGram
    trial: Trial


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """A group that can be changed, and the trial of what that leads to."""

    origin: Place
    group: int
    trial: Trial

    @property
    def subset(self) -> tuple[int, ...]:
        """The subset after the step."""
        return self.trial.subset

    @property
    def error(self) -> float:
        """The estimated error after the step."""
        return self.trial.error


class Judge:
    """Estimates the error of subsets and records the trials.

    A subset met again is a trial again, but is not trained again: its kernel matrix, updated along
    another way, could give another error, and a search that goes back might never end.
    """

    def __init__(self, estimate: Estimate, trace: Trace) -> None:
        self.trace = trace
        self.estimate = estimate
        self._errors: dict[tuple[int, ...], float] = {}
        self._levels = 0

    def start(self, gram: SubsetGram) -> Place:
        """Tries the first subset, from which the search always continues."""
        self._errors[gram.subset] = self.estimate(gram)
        first = Trial(0, gram.subset, None, self._errors[gram.subset], accepted=True)
        self.trace.record(first)
        return Place(gram, first)

    def level(
        self, places: Sequence[Place], groups: Callable[[tuple[int, ...]], Iterable[int]]
    ) -> list[Step]:
        """Tries the steps from some places, each subset once."""
        steps: dict[tuple[int, ...], Step] = {}
        for place in places:
            for group in groups(place.trial.subset):
                subset = tuple(sorted({*place.trial.subset} ^ {group}))
                if subset in steps:
                    continue
                if subset not in self._errors:
                    self._errors[subset] = self.estimate(place.gram.toggled(group))
                trial = Trial(self._levels + 1, subset, group, self._errors[subset], False)
                self.trace.record(trial)
                steps[subset] = Step(place, group, trial)
        self._levels += bool(steps)
        return list(steps.values())

    def go(self, step: Step) -> Place:
        """Accepts a step."""
        # One more update is cheaper than holding the matrices of all candidates.
        return Place(step.origin.gram.toggled(step.group), self.trace.accept(step.trial))

    def leap(self, place: Place, groups: Sequence[int]) -> Place:
        """Drops several groups at once, and accepts what is left."""
        gram = place.gram.without(groups)
        self._levels += 1
        self._errors[gram.subset] = self.estimate(gram)
        trial = Trial(self._levels, gram.subset, None, self._errors[gram.subset], accepted=True)
        self.trace.record(trial)
        return Place(gram, trial)

    def settle(self, trial: Trial) -> Trial:
        """Ends the search on a trial, and records the way back if it is not the last accepted."""
        if trial != [each for each in self.trace.trials if each.accepted][-1]:
            trial = replace(trial, level=self._levels + 1, changed=None)
            self.trace.record(trial)
        return trial


def best_first(steps: Iterable[Step]) -> list[Step]:
    """Sorts steps by error; equals stay in order, so that ties depend on the order of groups."""
    return sorted(steps, key=lambda step: step.error)
