"""The geometric selector against single decompositions, and the margin bound against the clock.

`python -m benchmarks.selection.geometry_and_margin`. The paper on geometry decomposes once for each
row, to see whether it lies in the hull of the other side. Both run in turns on the same rows, the
best of several rounds counts, and all six properties of all sets must be equal. One BLAS thread.
"""

from __future__ import annotations

import time
from dataclasses import astuple

import numpy as np

from miningflow.learn.arrays import Codes, Matrix
from miningflow.learn.selection import GeometrySelector, MarginBoundSelector
from miningflow.learn.selection.geometry.splits import group_subsets, label_splits
from miningflow.learn.threads import single_blas_thread

GROUPS, CLASSES = 3, 3
# More columns than rows, and more rows than columns: the selector has a way for each.
SHAPES = ((120, 240), (240, 120), (200, 400))
GEOMETRY_BAR = 40.0
MARGIN_ROWS, MARGIN_COLUMNS = 100, 200
MARGIN_BAR = 1.0
ROUNDS = 3


def main() -> None:
    """Prints seconds, ratios and bars."""
    with single_blas_thread():
        _geometry()
        _margin()


def _geometry() -> None:
    sets = len(group_subsets(GROUPS)) * len(label_splits(CLASSES))
    print(f"geometry: {GROUPS} groups of columns and {CLASSES} classes make {sets} sets to judge")
    print(f"{'rows × columns':<16} {'ours':>8} {'n + 2 SVDs':>11} {'ratio':>7} {'bar':>4}")
    for rows, columns in SHAPES:
        X, y, groups = _words(rows, columns)
        ours, theirs = np.inf, np.inf
        for _ in range(ROUNDS):
            start = time.perf_counter()
            trace = GeometrySelector(groups).fit(X, y).trace_
            between = time.perf_counter()
            naive = _decomposed(X, y, groups)
            theirs = min(theirs, time.perf_counter() - between)
            ours = min(ours, between - start)
        found = np.array([astuple(each.properties) for each in trace if each.properties])
        same = "equal" if np.allclose(found, naive, rtol=0, atol=1e-12) else "DIFFERENT"
        ratio = theirs / ours
        print(
            f"{f'{rows} × {columns}':<16} {ours:>8.4f} {theirs:>11.4f} {ratio:>7.1f} "
            f"{GEOMETRY_BAR:>4.0f}  {'met' if ratio >= GEOMETRY_BAR else 'missed'}, {same}"
        )


def _words(rows: int, columns: int) -> tuple[Matrix, Codes, Codes]:
    """Draws words that are there or not, in groups of different density, a tenth of them copies."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % CLASSES
    groups = np.arange(columns) * GROUPS // columns
    rates = 0.02 + 0.08 * groups + 0.1 * rng.random((CLASSES, columns))[y]
    X = (rng.random((rows, columns)) < rates).astype(float)
    copies = rng.permutation(columns)[: columns // 10]
    X[:, copies] = X[:, rng.permutation(columns)[: columns // 10]]
    return X, y.astype(np.intp), groups.astype(np.intp)


def _decomposed(X: Matrix, y: Codes, groups: Codes) -> Matrix:
    """Returns f1 to f6 of all sets, the rank of a matrix for each question."""
    found = []
    for subset in group_subsets(GROUPS):
        part = X[:, np.isin(groups, subset)]
        for split in label_splits(CLASSES):
            positive = split[y]
            over, under = part[positive], part[~positive]
            dimensions = [_dimension(rows) for rows in (over, under, part)]
            ambient = [int(rows.any(axis=0).sum()) for rows in (over, under, part)]
            # A row lies in the hull of its own side, so only the other side is asked.
            inside = sum(_dimension(np.vstack([row, under])) == dimensions[1] for row in over)
            inside += sum(_dimension(np.vstack([row, over])) == dimensions[0] for row in under)
            found.append(
                (
                    dimensions[0] / ambient[0],
                    dimensions[1] / ambient[1],
                    dimensions[0] / ambient[2],
                    dimensions[1] / ambient[2],
                    dimensions[2] / ambient[2],
                    inside / len(part),
                )
            )
    return np.array(found)


def _dimension(rows: Matrix) -> int:
    return int(np.linalg.matrix_rank(rows[:-1] - rows[-1]))


def _margin() -> None:
    rng = np.random.default_rng(0)
    print(f"\nmargin bound: {MARGIN_ROWS} rows × {MARGIN_COLUMNS} columns, 6 of use")
    print(f"{'kernel':<16} {'seconds':>8} {'bar':>4}")
    for kernel in ("linear", "polynomial"):
        X = rng.normal(size=(MARGIN_ROWS, MARGIN_COLUMNS))
        y = X[:, :6].sum(axis=1) > 0
        best = np.inf
        for _ in range(ROUNDS):
            start = time.perf_counter()
            MarginBoundSelector(keep=6, kernel=kernel).fit(X, y)
            best = min(best, time.perf_counter() - start)
        verdict = "met" if best < MARGIN_BAR else "missed"
        print(f"{kernel:<16} {best:>8.3f} {f'<{MARGIN_BAR:.0f}':>4}  {verdict}")


if __name__ == "__main__":
    main()
