"""Kernel machines: radial, polynomial, and one against one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from benchmarks.scoring.measuring import Measured, in_turns
from benchmarks.scoring.stored import generated, store
from benchmarks.scoring.tables import Bar, print_table
from benchmarks.scoring.ways import NAMES
from miningflow.learn.arrays import Matrix

# Row groups so small that two threads share 100,000 rows; DuckDB's own size would be one group.
GROUP = 20_480


def radial(quick: bool) -> bool:
    """Measures radial machines of several sizes, in SQL and by the function."""
    sizes = ((100, 10), (1_000, 10)) if quick else _sizes((100, 1_000, 5_000), (10, 30))
    met = [_radial(vectors, columns, quick) for vectors, columns in sizes]
    return all(met)


def polynomial(quick: bool) -> bool:
    """Measures polynomial machines, which become monomials."""
    met = True
    for degree in (2, 3):
        options = {"degree": degree, "gamma": 0.1, "coef0": 1.0, "C": 0.1}
        machine = _noisy(1_000, 10, SVC(kernel="poly", max_iter=20_000, **options))
        found = _measured(machine, generated(_rows(quick), 10), ("aggregated", "data frame"), 5)
        title = f"Polynomial of degree {degree}, 10 columns, {_vectors(machine)}, {_rows(quick):,}"
        bar = Bar("CPU against fetching", found["aggregated"].cpu / found["data frame"].cpu, 0.08)
        met &= print_table(f"{title} rows", found, NAMES, [bar])
    return met


def pairs(quick: bool) -> bool:
    """Measures the 45 pairs of ten digits."""
    X, y = load_digits(return_X_y=True)
    machine = SVC(decision_function_shape="ovo").fit(X, y)
    times = 10 if quick else 56
    random = np.random.default_rng(0)
    rows = [X + random.normal(scale=0.1, size=X.shape) for _ in range(times)]
    found = _measured(machine, [np.vstack(rows)], ("aggregated", "data frame"), 3)
    bars = _against_fetching(found, 1.0, 1.0)
    title = f"One against one: digits, 45 pairs, 64 columns, {_vectors(machine)}"
    return print_table(f"{title}, {len(X) * times:,} rows", found, NAMES, bars)


def _radial(vectors: int, columns: int, quick: bool) -> bool:
    machine = _noisy(vectors, columns, SVC(gamma=1 / columns))
    ways = ("aggregated", "function", "data frame", "arrow")
    rounds = 2 if vectors > 1_000 else 4
    found = _measured(machine, generated(_rows(quick), columns), ways, rounds)
    fetched = min(found["data frame"].cpu, found["arrow"].cpu)
    bars = [
        *_against_fetching(found, 0.6 if vectors < 1_000 else 0.5, 0.33),
        Bar("memory MB", found["aggregated"].megabytes, 20),
        Bar("Arrow function, CPU against fetching", found["function"].cpu / fetched, 0.4),
    ]
    title = f"Radial, {columns} columns, {_vectors(machine)}, {_rows(quick):,} rows"
    return print_table(title, found, NAMES, bars)


def _against_fetching(found: dict[str, Measured], cpu: float, wall: float) -> list[Bar]:
    others = [measured for way, measured in found.items() if way in ("data frame", "arrow")]
    ours = found["aggregated"]
    return [
        Bar("CPU against fetching", ours.cpu / min(m.cpu for m in others), cpu),
        Bar("wall against fetching", ours.wall / min(m.wall for m in others), wall),
    ]


def _measured(
    machine: Any, rows: Iterable[Matrix], ways: Sequence[str], rounds: int
) -> dict[str, Measured]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store(folder, machine, rows, group=GROUP)
        return in_turns("benchmarks.scoring.ways", ways, folder, rounds, alike=ways)


def _noisy(rows: int, columns: int, machine: Any) -> Any:
    """Fits on labels that say nothing, so that nearly every row is a support vector."""
    random = np.random.default_rng(columns)
    return machine.fit(random.normal(size=(rows, columns)), random.random(rows) < 0.5)


def _vectors(machine: Any) -> str:
    return f"{len(machine.support_):,} support vectors"


def _rows(quick: bool) -> int:
    return 40_960 if quick else 100_000


def _sizes(vectors: Sequence[int], columns: Sequence[int]) -> list[tuple[int, int]]:
    return [(v, c) for v in vectors for c in columns]
