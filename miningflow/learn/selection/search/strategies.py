"""Strategies of a search over subsets of column groups.

Each goes step by step the way of its course, backward or forward, and tries all steps from where it
stands. `greedy` continues from the best, `beam` from the best few, and `floating` also goes back.
"""

from __future__ import annotations

from miningflow.learn.selection.search.course import Course
from miningflow.learn.selection.search.subsets import Judge, Place, Trial, best_first


def greedy(course: Course, judge: Judge) -> Trial:
    """Takes the best step while it is better."""
    return _advance(course, judge, width=1).trial


def beam(course: Course, judge: Judge, width: int) -> Trial:
    """Continues from the best `width` of a level, while the best of them improves on the last."""
    return judge.settle(_advance(course, judge, width).trial)


def floating(course: Course, judge: Judge) -> Trial:
    """Continues from the end of a greedy search, better or not, and goes back where that pays.

    After P. Pudil, J. Novovičová and J. Kittler, Floating search methods in feature selection
    (1994): a step back is taken if it leads to a lower error than any subset of that size had. The
    best subset on the way is chosen. So the end is never worse than that of the greedy search.
    """
    place = _advance(course, judge, width=1)
    best = {len(trial.subset): trial for trial in judge.trace.trials if trial.accepted}
    while True:
        if back := judge.level([place], course.back):
            step = best_first(back)[0]
            if step.error < best[len(step.subset)].error:
                place = judge.go(step)
                best[len(step.subset)] = place.trial
                continue
        onward = judge.level([place], course.onward)
        if not onward:
            return judge.settle(course.choice(best.values()))
        place = judge.go(best_first(onward)[0])
        known = best.get(len(place.trial.subset))
        if known is None or place.trial.error < known.error:
            best[len(place.trial.subset)] = place.trial


def _advance(course: Course, judge: Judge, width: int) -> Place:
    """Returns the best of the last level that was better than the one before."""
    places = [judge.start(course.start())]
    while level := judge.level(places, course.onward):
        steps = best_first(level)
        if not course.goes_on(steps[0].error, places[0].trial):
            break
        places = [judge.go(step) for step in steps[:width]]
    return places[0]
