"""Alignment selectors against the ways of the paper: `python -m benchmarks.selection.alignment`.

iFSA keeps no matrix of rows by rows; the paper's way multiplies one with all columns in each step.
dFSA with the quadratic kernel follows a removal in closed form; the paper's way makes a kernel for
each candidate. All run in turns on the same rows, the best of several rounds counts, and the
selections must be equal. One BLAS thread, and nothing is scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, random_array

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection import AlignmentSelector
from miningflow.learn.threads import single_blas_thread

Order = tuple[int, ...]
Selection = Callable[[], Order]

ROWS, COLUMNS, DENSITY, STEPS = 2_000, 5_000, 0.01, 10
# The sizes of the paper.
QUADRATIC_ROWS, QUADRATIC_COLUMNS = (50, 100, 150), 52
INCREMENTAL_BAR, QUADRATIC_BAR = 100.0, 5.0


@dataclass(frozen=True, slots=True)
class Timed:
    """The best time of a selection, and what it selected."""

    seconds: float
    order: Order


def main() -> None:
    """Prints seconds, ratios and bars."""
    with single_blas_thread():
        _incremental()
        _quadratic()


def _incremental() -> None:
    X, y = _sparse_rows()
    dense = X.toarray()
    print(
        f"iFSA, linear kernel: {ROWS:,} × {COLUMNS:,}, {DENSITY:.0%} not 0, the first {STEPS} steps"
    )
    ways: dict[str, Selection] = {
        "ours": partial(_added, X, y),
        "n²m, dense": partial(_added_with_kernel, dense, dense, y),
        "n·nnz, sparse": partial(_added_with_kernel, X, csc_array(X), y),
    }
    _print(in_turns(ways, 3), {"n²m, dense": INCREMENTAL_BAR})


def _quadratic() -> None:
    for rows in QUADRATIC_ROWS:
        X, y = _pairs(rows)
        print(f"\ndFSA, quadratic kernel: {rows} × {QUADRATIC_COLUMNS}, one removal at a time")
        ways: dict[str, Selection] = {
            "ours": partial(_removed, X, y),
            "kernels rebuilt": partial(_removed_with_kernels, X, y, rebuilt=True),
            "kernels by (4)": partial(_removed_with_kernels, X, y, rebuilt=False),
        }
        _print(in_turns(ways, 10), {"kernels rebuilt": QUADRATIC_BAR})


def in_turns(ways: dict[str, Selection], rounds: int) -> dict[str, Timed]:
    """Runs each way in each round, and returns its best time."""
    seconds = dict.fromkeys(ways, np.inf)
    orders: dict[str, Order] = {}
    for _ in range(rounds):
        for name, select in ways.items():
            start = time.perf_counter()
            orders[name] = select()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return {name: Timed(seconds[name], orders[name]) for name in ways}


def _print(timed: dict[str, Timed], bars: dict[str, float]) -> None:
    ours = timed["ours"]
    print(f"{'':<18} {'seconds':>9} {'ratio':>8} {'bar':>6}  {'':<7} selection")
    for name, each in timed.items():
        ratio = each.seconds / ours.seconds
        bar = bars.get(name)
        verdict = "" if bar is None else "met" if ratio >= bar else "missed"
        same = "equal" if each.order == ours.order else "DIFFERENT"
        shown = "" if bar is None else f"{bar:.0f}"
        print(f"{name:<18} {each.seconds:>9.4f} {ratio:>8.1f} {shown:>6}  {verdict:<7} {same}")


def _sparse_rows() -> tuple[Any, Matrix]:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((ROWS, COLUMNS), density=DENSITY, rng=rng))
    normal = np.where(np.arange(COLUMNS) < 200, rng.normal(size=COLUMNS), 0.0)
    return X, np.where(X @ normal + 0.1 * rng.normal(size=ROWS) > 0, 1.0, -1.0)


def _pairs(rows: int) -> tuple[Matrix, Matrix]:
    """Draws rows on which pairs of columns decide."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, QUADRATIC_COLUMNS))
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0, 1.0, -1.0)


def _added(X: Any, y: Matrix) -> Order:
    trace = AlignmentSelector("incremental", keep=STEPS).fit(X, y).trace_
    return tuple(step.changed[0] for step in trace)


def _added_with_kernel(X: Any, by_column: Any, y: Matrix) -> Order:
    """Adds columns as the paper does, with K at hand; one product with it does for a step."""
    rows = X.shape[0]
    kernel = np.zeros((rows, rows))
    moments = (X.T @ y) ** 2
    lengths = np.asarray((X * X).sum(axis=0)).ravel() ** 2
    chosen: list[int] = []
    for _ in range(STEPS):
        products = X.T @ kernel
        forms = np.asarray((by_column.T * products).sum(axis=1)).ravel()
        alignment = (y @ kernel @ y + moments) / np.sqrt((kernel**2).sum() + 2 * forms + lengths)
        alignment[chosen] = -np.inf
        best = int(np.argmax(alignment))
        column = by_column[:, [best]]
        column = column if isinstance(column, np.ndarray) else column.toarray()
        kernel += column @ column.T
        chosen.append(best)
    return tuple(chosen)


def _removed(X: Matrix, y: Matrix) -> Order:
    selector = AlignmentSelector("decremental", kernel="quadratic", batch=False)
    return tuple(column for step in selector.fit(X, y).trace_ for column in step.changed)


def _removed_with_kernels(X: Matrix, y: Matrix, *, rebuilt: bool) -> Order:
    """Removes columns as the paper does: a kernel for each candidate, from the data or by (4)."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    left = list(range(X.shape[1]))
    linear = X @ X.T
    current = _alignment((1 + linear) ** 2, y)
    removed: list[int] = []
    while len(left) > 1:
        after = []
        for column in left:
            if rebuilt:
                part = X[:, [each for each in left if each != column]]
                kernel = (1 + part @ part.T) ** 2
            else:
                kernel = (1 + linear - np.outer(X[:, column], X[:, column])) ** 2
            after.append(_alignment(kernel, y))
        best = int(np.argmax(after))
        if after[best] < current:
            break
        current = after[best]
        removed.append(left.pop(best))
        linear -= np.outer(X[:, removed[-1]], X[:, removed[-1]])
    return tuple(removed)


def _alignment(kernel: Matrix, y: Matrix) -> float:
    return float(y @ kernel @ y / (np.linalg.norm(kernel) * len(y)))


if __name__ == "__main__":
    main()
