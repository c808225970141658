"""Linear machines: one sum over the columns."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.scoring.measuring import in_turns
from benchmarks.scoring.stored import generated, store
from benchmarks.scoring.tables import Bar, print_table
from benchmarks.scoring.ways import NAMES

WAYS = ("scan", "aggregated", "streamed", "table", "with label", "orbital", "data frame")
SIZES = ((1_000_000, 20), (5_000_000, 20), (1_000_000, 100))
QUICK = ((200_000, 20),)


def run(quick: bool) -> bool:
    """Measures all sizes; says whether the bars are met."""
    met = [_size(rows, columns, quick) for rows, columns in (QUICK if quick else SIZES)]
    return all(met)


def growth(quick: bool) -> bool:
    """Measures how time and memory grow with the rows."""
    counts = (10_000, 100_000, 1_000_000) if quick else (100_000, 1_000_000, 10_000_000)
    found = {}
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            store(folder, fitted(10, LinearSVC(dual=False)), generated(count, 10))
            ways = in_turns("benchmarks.scoring.ways", ["streamed"], folder, 3)
            found[f"{count:,} rows"] = ways["streamed"]
    small, large = found[f"{counts[1]:,} rows"], found[f"{counts[2]:,} rows"]
    times = counts[2] / counts[1]
    bars = [
        Bar("CPU per row, most against fewer rows", large.cpu / small.cpu / times, 1.25),
        Bar("memory MB", max(m.megabytes for m in found.values()), 30),
    ]
    names = {name: name for name in found}
    return print_table("Growth: linear, 10 columns, streamed as Arrow", found, names, bars)


def fitted(columns: int, machine: Any) -> Pipeline:
    """Fits a scaled machine on seeded rows."""
    random = np.random.default_rng(1)
    X = random.normal(size=(2_000, columns)) * 3 + 5
    y = X @ random.normal(size=columns) + random.normal(size=2_000)
    return make_pipeline(StandardScaler(), machine).fit(X, np.where(y > np.median(y), "yes", "no"))


def _size(rows: int, columns: int, quick: bool) -> bool:
    theirs = _orbital(columns)
    ways = [way for way in WAYS if theirs or way != "orbital"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store(folder, fitted(columns, LinearSVC(dual=False)), generated(rows, columns), theirs)
        alike = ["aggregated", "streamed", "with label", "data frame"]
        found = in_turns("benchmarks.scoring.ways", ways, folder, 2 if quick else 3, alike)
    scan, frame = found["scan"], found["data frame"]
    ours = [found[way] for way in ("aggregated", "streamed")]
    bars = [
        Bar("aggregated against a scan, CPU", found["aggregated"].cpu / scan.cpu, 1.5),
        Bar("streamed against a scan, CPU", found["streamed"].cpu / scan.cpu, 1.5),
        Bar("table against a scan, CPU", found["table"].cpu / scan.cpu, 2.5),
        Bar("faster than fetching, wall", frame.wall / ours[1].wall, 5, at_least=True),
        Bar("faster than fetching, CPU", frame.cpu / ours[1].cpu, 5, at_least=True),
        Bar("memory MB, aggregated or streamed", max(m.megabytes for m in ours), 30),
    ]
    if theirs:
        ratio = found["orbital"].cpu / found["with label"].cpu
        bars.append(Bar("orbital's CPU against ours with labels", ratio, 2, at_least=True))
    return print_table(f"Linear, {rows:,} × {columns}", found, NAMES, bars)


def _orbital(columns: int) -> str:
    """Returns orbital's SQL of a logistic regression, as it refuses LinearSVC; or nothing."""
    if find_spec("orbital") is None:
        print("\norbital is left out: pip install orbital")
        return ""
    import orbital
    from orbital.types import DoubleColumnType

    features = {f"x{i}": DoubleColumnType() for i in range(columns)}
    parsed = orbital.parse_pipeline(fitted(columns, LogisticRegression()), features=features)
    return str(orbital.export_sql("t", parsed, dialect="duckdb"))
