"""Runs selectors in turns on the same rows, each with a limit of time."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from sklearn.svm import SVC, LinearSVC

from benchmarks.choosing.problems import Problem
from benchmarks.choosing.rows import Rows, split
from benchmarks.choosing.selectors import Selector
from miningflow.learn.arrays import Mask
from miningflow.learn.threads import single_blas_thread

NOTHING = "kept nothing"


@dataclass(frozen=True, slots=True)
class Run:
    """A selection and two machines on what it kept; texts have no radial one.

    If there was no selection, `missing` says why. `numbers` are those that a radial machine
    stores: its support vectors by the features, and a coefficient each.
    """

    problem: str
    selector: str
    seed: int
    kept: int = 0
    seconds: float = 0.0
    linear: float = float("nan")
    radial: float = float("nan")
    numbers: int = 0
    missing: str | None = None


def measure(
    problem: Problem, compared: Iterable[Selector], seeds: Iterable[int], limit: float
) -> list[Run]:
    """Lets every selector select for every seed; one that took too long gets no other turn."""
    runs: list[Run] = []
    missing = {each.name: each.unfit(problem) for each in compared}
    for seed in seeds:
        rows = split(problem, seed)
        for selector in compared:
            run = Run(problem.name, selector.name, seed, missing=missing[selector.name])
            if run.missing is None:
                run = _run(problem, rows, selector, seed, limit)
                missing[selector.name] = run.missing if run.missing != NOTHING else None
            runs.append(run)
        print(".", end="", file=sys.stderr, flush=True)
    return runs


def _run(problem: Problem, rows: Rows, selector: Selector, seed: int, limit: float) -> Run:
    with warnings.catch_warnings(), single_blas_thread():
        # Of constant columns, and of a LinearSVC that would go on after 1,000 rounds.
        warnings.simplefilter("ignore")
        # Of the processor: on a machine that others use, the clock tells more about them.
        start = time.process_time()
        try:
            with _at_most(limit):
                mask = selector.fit(problem, rows, seed)
        except _TooLongError:
            return Run(problem.name, selector.name, seed, missing=f"over {limit:g} s")
        seconds = time.process_time() - start
        if not mask.any():
            return Run(problem.name, selector.name, seed, missing=NOTHING)
        linear, radial, numbers = _tested(problem, rows, mask)
    kept = int(mask.sum())
    return Run(problem.name, selector.name, seed, kept, seconds, linear, radial, numbers)


def _tested(problem: Problem, rows: Rows, mask: Mask) -> tuple[float, float, int]:
    columns = np.flatnonzero(mask)
    X, test_X = rows.X[:, columns], rows.test_X[:, columns]

    def score(machine: Any) -> float:
        answers = machine.fit(X, rows.y).predict(test_X)
        if problem.metric == "F1":
            return float(f1_score(rows.test_y, answers))
        return float((answers == rows.test_y).mean())

    if problem.kind == "text":
        return score(LinearSVC(random_state=0)), float("nan"), 0
    radial = SVC()
    linear_score, radial_score = score(SVC(kernel="linear")), score(radial)
    return linear_score, radial_score, int(radial.n_support_.sum()) * (len(columns) + 1)


class _TooLongError(BaseException):
    """A selection took too long; no `except Exception` on the way may catch it."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Ends what is under way after some seconds of the processor, on systems with such a signal."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    # Again each second: what is raised while an object is being deleted is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
