"""Strategies of the subset search on made-up errors, where every subset can be looked up."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawn_examples import drawn

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.gram import ColumnGroups, SubsetGram
from miningflow.learn.selection.kernels import LinearKernel
from miningflow.learn.selection.search.course import Course
from miningflow.learn.selection.search.strategies import beam, floating, greedy
from miningflow.learn.selection.search.subsets import Judge, Trace, Trial

GROUPS = 6
COLUMNS = ColumnGroups.of(
    np.random.default_rng(0).normal(size=(5, GROUPS)), range(GROUPS), LinearKernel()
)


@dataclass
class Landscape:
    """Random errors in tenths, so that ties are common, and how often each subset was asked for."""

    seed: int
    asked: list[tuple[int, ...]] = field(default_factory=list)

    def error(self, subset: tuple[int, ...]) -> float:
        return int(np.random.default_rng([self.seed, *subset, 99]).integers(0, 11)) / 10

    @property
    def signs(self) -> Matrix:
        raise NotImplementedError  # made-up errors have no rows

    def __call__(self, gram: SubsetGram) -> float:
        self.asked.append(gram.subset)
        return self.error(gram.subset)


@dataclass
class Outcome:
    chosen: Trial
    trace: tuple[Trial, ...]
    landscape: Landscape

    @property
    def path(self) -> list[Trial]:
        return [trial for trial in self.trace if trial.accepted]


def searched(strategy: Callable[[Course, Judge], Trial], course: Course, seed: int) -> Outcome:
    landscape, trace = Landscape(seed), Trace()
    chosen = strategy(course, Judge(landscape, trace))
    return Outcome(chosen, trace.trials, landscape)


def in_beam(width: int) -> Callable[[Course, Judge], Trial]:
    return lambda course, judge: beam(course, judge, width)


seeds = st.integers(0, 10_000)
ends = st.one_of(
    st.tuples(st.integers(1, GROUPS), st.none()), st.tuples(st.just(1), st.integers(1, GROUPS))
)
courses = st.builds(
    lambda forward, equal, end: Course(COLUMNS, forward, equal, *end),
    st.booleans(),
    st.booleans(),
    ends,
)
strategies = st.sampled_from([greedy, floating, in_beam(1), in_beam(2), in_beam(4)])


def naive_greedy(course: Course, landscape: Landscape) -> tuple[int, ...]:
    current = frozenset(() if course.forward else range(GROUPS))

    def error(subset: frozenset[int]) -> float:
        return landscape.error(tuple(sorted(subset)))

    while True:
        if course.keep is not None and len(current) == course.keep:
            return tuple(sorted(current))
        if course.keep is None and not course.forward and len(current) == course.minimum:
            return tuple(sorted(current))
        changeable = [g for g in range(GROUPS) if (g in current) != course.forward]
        if not changeable:
            return tuple(sorted(current))
        best = min((current ^ {group} for group in changeable), key=error)
        must = course.keep is not None or len(current) < course.minimum
        better = error(best) < error(current)
        if not (must or better or (course.accept_equal and error(best) == error(current))):
            return tuple(sorted(current))
        current = best


@settings(max_examples=drawn(150), deadline=None)
@given(course=courses, seed=seeds)
def test_greedy_is_the_textbook_search(course: Course, seed: int) -> None:
    outcome = searched(greedy, course, seed)
    assert outcome.chosen.subset == naive_greedy(course, outcome.landscape)


@settings(max_examples=drawn(100), deadline=None)
@given(course=courses, seed=seeds)
def test_a_beam_of_one_is_the_greedy_search(course: Course, seed: int) -> None:
    assert searched(in_beam(1), course, seed).trace == searched(greedy, course, seed).trace


@settings(max_examples=drawn(300), deadline=None)
@given(course=courses, seed=seeds)
def test_floating_never_ends_worse_than_greedy(course: Course, seed: int) -> None:
    float_end, greedy_end = searched(floating, course, seed), searched(greedy, course, seed)
    assert float_end.chosen.error <= greedy_end.chosen.error
    assert float_end.trace[: len(greedy_end.trace)] == greedy_end.trace


def test_floating_and_beam_are_better_on_the_mean() -> None:
    course = Course(COLUMNS, forward=False, accept_equal=False, minimum=1, keep=3)
    means = [
        np.mean([searched(strategy, course, seed).chosen.error for seed in range(150)])
        for strategy in (greedy, floating, in_beam(3))
    ]
    assert means[1] < means[0] - 0.01
    assert means[2] < means[0] - 0.03


@settings(max_examples=drawn(200), deadline=None)
@given(course=courses, strategy=strategies, seed=seeds)
def test_the_trace_is_true(
    course: Course, strategy: Callable[[Course, Judge], Trial], seed: int
) -> None:
    outcome = searched(strategy, course, seed)
    assert all(trial.error == outcome.landscape.error(trial.subset) for trial in outcome.trace)
    assert len(set(outcome.landscape.asked)) == len(outcome.landscape.asked)
    assert {trial.subset for trial in outcome.trace} == set(outcome.landscape.asked)
    assert outcome.path[-1] == outcome.chosen
    levels = [trial.level for trial in outcome.trace]
    assert levels == sorted(levels) and set(levels) == set(range(levels[-1] + 1))


@settings(max_examples=drawn(100), deadline=None)
@given(course=courses, seed=seeds)
def test_a_floating_path_changes_one_group_at_a_time(course: Course, seed: int) -> None:
    path = searched(floating, course, seed).path
    for before, after in pairwise(path):
        if after.changed is None:
            assert after is path[-1] and after.subset in [trial.subset for trial in path[:-1]]
        else:
            assert {*before.subset} ^ {*after.subset} == {after.changed}


@settings(max_examples=drawn(100), deadline=None)
@given(course=courses, width=st.integers(2, 5), seed=seeds)
def test_a_beam_goes_on_from_the_best_of_each_level(course: Course, width: int, seed: int) -> None:
    trace = searched(in_beam(width), course, seed).trace
    for level in range(1, trace[-1].level + 1):
        trials = [trial for trial in trace if trial.level == level]
        taken = [trial for trial in trials if trial.accepted]
        others = [trial for trial in trials if not trial.accepted]
        assert len({trial.subset for trial in trials}) == len(trials)
        if taken and trials[0].changed is not None:
            assert len(taken) == min(width, len(trials))
            assert all(each.error >= max(t.error for t in taken) for each in others)


@settings(max_examples=drawn(200), deadline=None)
@given(course=courses, strategy=strategies, seed=seeds)
def test_as_many_groups_as_asked_for(
    course: Course, strategy: Callable[[Course, Judge], Trial], seed: int
) -> None:
    size = len(searched(strategy, course, seed).chosen.subset)
    assert size == course.keep if course.keep is not None else size >= course.minimum


@settings(max_examples=drawn(60), deadline=None)
@given(forward=st.booleans(), seed=seeds)
def test_floating_ends_on_the_nearest_or_farthest_of_its_best(forward: bool, seed: int) -> None:
    strict = searched(floating, Course(COLUMNS, forward, False, 1, None), seed)
    lowest = [trial for trial in strict.path if trial.subset and trial.error == strict.chosen.error]
    assert strict.chosen.error == min(trial.error for trial in strict.path if trial.subset)
    sizes = [len(trial.subset) for trial in lowest]
    assert len(strict.chosen.subset) == (min(sizes) if forward else max(sizes))
