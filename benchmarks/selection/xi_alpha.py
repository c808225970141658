"""The ξα selector against scikit-learn's, and its searches and estimates against one another.

`python -m benchmarks.selection.xi_alpha --quick` takes 3 seeds, `--full` 20. A seed draws 200 rows
(Sonar 138) and 23 columns. All selectors run in turns on the same rows; then a machine like theirs
is trained on what they kept and tested on the other rows. One BLAS thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.svm import SVC

from benchmarks.selection.data import COLUMNS, FOLDER, Split, Table, split, tables
from miningflow.learn.selection import XiAlphaSelector
from miningflow.learn.threads import single_blas_thread

KernelName = Literal["linear", "radial"]
KERNELS: tuple[KernelName, ...] = ("linear", "radial")
FOLDS = 10

GREEDY: dict[str, Any] = {"search": "greedy"}
EQUAL: dict[str, Any] = {**GREEDY, "accept_equal": True}
KEEP: dict[str, Any] = {**GREEDY, "keep": 8}
HALF = {"keep": COLUMNS // 2}
AGAINST: dict[str, dict[str, Any]] = {
    "ours": {},
    "ours, half": HALF,
    "ours, greedy": GREEDY,
    "ours, greedy, half": {**GREEDY, **HALF},
}
THEIRS = "scikit-learn"
VARIANTS: dict[str, dict[str, Any]] = {
    "guided": {},
    "greedy": GREEDY,
    "greedy, equal": EQUAL,
    "greedy, equal, forward": {**EQUAL, "direction": "forward"},
    "floating": {"search": "floating"},
    "beam of 3, equal": {"search": "beam", "accept_equal": True},
    "span, equal": {**EQUAL, "estimate": "span"},
    "cv, equal": {**EQUAL, "estimate": "cross_validation"},
    "screen 12, equal": {**EQUAL, "screen": 12},
    "keep 8, guided": {"keep": 8},
    "keep 8": KEEP,
    "keep 8, floating": {**KEEP, "search": "floating"},
    "keep 8, beam of 3": {**KEEP, "search": "beam"},
    "keep 8, span": {**KEEP, "estimate": "span"},
    "keep 8, screen 12": {**KEEP, "screen": 12},
}
# Too slow for the quick run.
MORE: dict[str, dict[str, Any]] = {
    "guided, ξα": {"estimate": "xi_alpha"},
    "guided, cv": {"estimate": "cross_validation"},
    "greedy, forward": {**GREEDY, "direction": "forward"},
    "floating, equal": {"search": "floating", "accept_equal": True},
    "floating, forward": {"search": "floating", "direction": "forward"},
    "cv": {**GREEDY, "estimate": "cross_validation"},
    "keep 8, forward": {**KEEP, "direction": "forward"},
    "keep 8, cv": {**KEEP, "estimate": "cross_validation"},
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one selection came to; scikit-learn's selector does not tell its estimate."""

    table: str
    kernel: KernelName
    name: str
    seconds: float
    subsets: int
    kept: int
    estimate: float
    accuracy: float


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true", help="3 seeds")
    size.add_argument("--full", action="store_true", help="20 seeds and more selectors")
    full = parser.parse_args().full
    found = tables()
    if not found:
        print(f"skipped: there are no data sets in {FOLDER}")
        return
    seeds = range(20 if full else 3)
    with single_blas_thread():
        _against_scikit_learn(found, seeds)
        _among_themselves(found, seeds, VARIANTS | MORE if full else VARIANTS)


def _against_scikit_learn(found: list[Table], seeds: Iterable[int]) -> None:
    selections = {name: _ours(settings) for name, settings in AGAINST.items()}
    selections[THEIRS] = _theirs
    runs = _in_turns(found, seeds, selections)
    print("backward elimination against SequentialFeatureSelector(SVC, cv=10), means over seeds")
    print("ratio: seconds of scikit-learn, which keeps half, over these, in all and per subset\n")
    _head("data", "kernel", "selector", "ratio", "per subset")
    for table in found:
        for kernel in KERNELS:
            theirs = _mean(runs, table.name, kernel, THEIRS)
            for name in ("all columns", *selections):
                mean = _mean(runs, table.name, kernel, name)
                whole = theirs.seconds / mean.seconds if mean.subsets else np.nan
                single = whole * mean.subsets / theirs.subsets
                _line(table.name, kernel, mean, _number(whole, 1), _number(single, 1))
    print()


def _among_themselves(
    found: list[Table], seeds: Iterable[int], variants: dict[str, dict[str, Any]]
) -> None:
    selections = {name: _ours(settings) for name, settings in variants.items()}
    runs = _in_turns(found, seeds, selections)
    print("searches and estimates, means over data sets and seeds")
    print("better: points of accuracy above greedy on the same rows, and their standard error\n")
    _head("data", "kernel", "selector", "better", "±")
    for kernel in KERNELS:
        base = _accuracies(runs, kernel, "greedy")
        for name in ("all columns", *selections):
            gain = 100 * (_accuracies(runs, kernel, name) - base)
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            mean = _mean(runs, None, kernel, name)
            _line("all", kernel, mean, _number(float(gain.mean()), 2), _number(float(error), 2))


Selected = tuple[NDArray[np.bool_], int, float]
Selection = Callable[[Split, KernelName], Selected]


def _ours(settings: dict[str, Any]) -> Selection:
    def select(rows: Split, kernel: KernelName) -> Selected:
        selector = XiAlphaSelector(kernel, **settings).fit(rows.X, rows.y)
        tried = {trial.subset for trial in selector.trace_}
        return selector.support_, len(tried), selector.error_

    return select


def _theirs(rows: Split, kernel: KernelName) -> Selected:
    scored = 0

    def score(machine: SVC, X: Any, y: Any) -> float:
        nonlocal scored
        scored += 1
        return float(machine.score(X, y))

    selector = SequentialFeatureSelector(
        _machine(kernel), direction="backward", cv=FOLDS, scoring=score
    )
    return selector.fit(rows.X, rows.y).get_support(), scored // FOLDS, np.nan


def _machine(kernel: KernelName) -> SVC:
    # Ours scales the linear kernel to a mean diagonal of 1; on all columns this is the same.
    return SVC(kernel="linear", C=1 / COLUMNS) if kernel == "linear" else SVC(kernel="rbf")


def _in_turns(
    found: list[Table], seeds: Iterable[int], selections: dict[str, Selection]
) -> list[Run]:
    runs = []
    for seed in seeds:
        for table in found:
            rows = split(table, seed)
            for kernel in KERNELS:
                everything = np.ones(rows.X.shape[1], dtype=bool)
                accuracy = _accuracy(rows, kernel, everything)
                kept = len(everything)
                runs.append(Run(table.name, kernel, "all columns", 0.0, 0, kept, np.nan, accuracy))
                for name, select in selections.items():
                    start = time.perf_counter()
                    support, subsets, estimate = select(rows, kernel)
                    seconds = time.perf_counter() - start
                    accuracy = _accuracy(rows, kernel, support)
                    kept = int(support.sum())
                    runs.append(
                        Run(table.name, kernel, name, seconds, subsets, kept, estimate, accuracy)
                    )
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return runs


def _accuracy(rows: Split, kernel: KernelName, support: NDArray[np.bool_]) -> float:
    machine = _machine(kernel).fit(rows.X[:, support], rows.y)
    return float(machine.score(rows.test_X[:, support], rows.test_y))


@dataclass(frozen=True, slots=True)
class _Mean:
    name: str
    seconds: float
    subsets: float
    kept: float
    estimate: float
    accuracy: float


def _mean(runs: list[Run], table: str | None, kernel: KernelName, name: str) -> _Mean:
    chosen = [r for r in runs if table in (None, r.table) and (r.kernel, r.name) == (kernel, name)]
    fields = [(r.seconds, r.subsets, r.kept, r.estimate, r.accuracy) for r in chosen]
    return _Mean(name, *(float(value) for value in np.mean(fields, axis=0)))


def _accuracies(runs: list[Run], kernel: KernelName, name: str) -> NDArray[np.float64]:
    return np.array([r.accuracy for r in runs if (r.kernel, r.name) == (kernel, name)])


def _head(*titles: str) -> None:
    data, kernel, selector, first, second = titles
    print(
        f"{data:<12} {kernel:<6} {selector:<26} {'accuracy':>8} {'kept':>5} {'estimate':>8} "
        f"{'subsets':>7} {'ms/subset':>9} {'seconds':>7} {first:>7} {second:>10}"
    )


def _line(data: str, kernel: KernelName, mean: _Mean, first: str, second: str) -> None:
    single = 1000 * mean.seconds / mean.subsets if mean.subsets else np.nan
    print(
        f"{data:<12} {kernel:<6} {mean.name:<26} {100 * mean.accuracy:>8.1f} {mean.kept:>5.1f} "
        f"{_number(mean.estimate, 3):>8} {mean.subsets:>7.0f} {_number(single, 2):>9} "
        f"{mean.seconds:>7.2f} {first:>7} {second:>10}"
    )


def _number(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
