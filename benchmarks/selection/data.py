"""Data sets of two classes, from a folder beside the repository; never part of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from miningflow.learn.arrays import Mask, Matrix

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data"
TARGETS = {"Ionosphere": "Class", "Sonar": "Class", "GermanCredit": "Class", "spam": "type"}
ROWS = 200
COLUMNS = 23


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A data set: numeric columns, and whether a row is of the class that comes first."""

    name: str
    X: Matrix
    y: Mask


@dataclass(frozen=True, eq=False, slots=True)
class Split:
    """Rows to select and train on, standardised, and others to test on, scaled alike."""

    X: Matrix
    y: Mask
    test_X: Matrix
    test_y: Mask


def tables() -> list[Table]:
    """Reads the data sets; none if the folder is missing."""
    found = []
    for name, target in TARGETS.items():
        path = FOLDER / f"{name}.parquet"
        if path.exists():
            frame = pd.read_parquet(path)
            X = frame.drop(columns=target).astype(float).to_numpy()
            classes = frame[target].astype(str)
            found.append(Table(name, X, (classes == classes.iloc[0]).to_numpy()))
    return found


def split(table: Table, seed: int, rows: int = ROWS, columns: int = COLUMNS) -> Split:
    """Draws training rows, at most two thirds, and columns that vary on them."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(table.X))
    training = order[: min(rows, 2 * len(order) // 3)]
    test = order[len(training) :]
    varying = np.flatnonzero(table.X[training].std(axis=0) > 0)
    chosen = np.sort(rng.permutation(varying)[:columns])
    X = table.X[:, chosen]
    mean, scale = X[training].mean(axis=0), X[training].std(axis=0)
    X = (X - mean) / scale
    return Split(X[training], table.y[training], X[test], table.y[test])
