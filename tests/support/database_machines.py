"""A table with numbers, categories and NULL, and machines that learn from it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sqlglot import exp

from miningflow.catalog import installed
from miningflow.declare import Concept, Feature, Holdout, Reach
from miningflow.engines import Session
from miningflow.learn.arrays import Matrix
from miningflow.run.events import Event
from miningflow.run.training_rows import Training
from miningflow.sql.block import Scan
from support.small_case import Columns

N = 24_000
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "same": "numeric",
    "two": "binary",
    "three": "nominal",
    "one": "nominal",
    "label": "binary",
    "size": "numeric",
}
PREDICTORS = ["x", "y", "same", "two", "three", "one"]


def _table(size: int = N) -> Columns:
    random = np.random.default_rng(3)
    x, y = random.normal(50, 10, size), random.normal(-1e4, 1e-3, size)
    two, three = random.choice(["m", "n"], size), random.choice(["r", "s", "t's"], size)
    signal = (x - 50) / 10 + (y + 1e4) * 1e3 + (two == "n") - 2 * (three == "s")
    table: Columns = {
        "id": list(range(size)),
        "x": [float(v) for v in x],
        "y": [float(v) for v in y],
        "same": [0.1] * size,
        "two": [str(v) for v in two],
        "three": [str(v) for v in three],
        "one": ["only"] * size,
        "label": ["yes" if v > 0 else "no" for v in signal + random.normal(size=size)],
        "size": [float(v) for v in 1e3 + 7 * (signal + random.standard_t(3, size=size))],
    }
    # NULL here and there, and a category that only an incomplete row has
    for i, name in enumerate(TYPES):
        if name != "id":
            table[name][7 * i :: 200] = [None] * len(table[name][7 * i :: 200])
    table["three"][7] = "incomplete"
    assert table["x"][7] is None
    return table


TABLE = _table()


def training_rows(
    session: Session,
    listener: Callable[[Event], None] = lambda event: None,
    holdout: Holdout | None = None,
    types: dict[str, str] | None = None,
    table: str = "T",
    key: str | None = "id",
) -> Training:
    """Returns the rows of a table to learn from."""
    features: dict[str, Any] = {n: Feature(n, t) for n, t in (types or TYPES).items()}  # type: ignore[arg-type]  # the types above are literals
    reaches = (Reach("T", "id", holdout),) if holdout else ()
    concept = Concept("T", features, key, reaches)
    source = Scan(table, tuple(features))
    cancelled = threading.Event()
    return Training("risk", concept, source, exp.to_table, session, "duckdb", listener, cancelled)


def classifier(training: Training, predictors: list[str], **more: Any) -> Any:
    """Makes a step that tells the classes of `label` apart."""
    given = {"positive": "yes", "kernel": "linear", "output": "risk", "target": "label", **more}
    return _step("SupportVectorMachineForClassification", training, predictors, given)


def regression(training: Training, predictors: list[str], **more: Any) -> Any:
    """Makes a step that predicts the number `size`."""
    given = {"kernel": "linear", "output": "guess", "target": "size", **more}
    return _step("SupportVectorMachineForRegression", training, predictors, given)


def _step(name: str, training: Training, predictors: list[str], given: dict[str, Any]) -> Any:
    features = training.concept.features
    operator: Any = installed()[name]
    return operator(
        input=training.concept,
        predictors=tuple(features[predictor] for predictor in predictors),
        **{**given, "target": features[given["target"]]},
    )


def module(name: str) -> ModuleType:
    """Returns a module of `miningflow.train.svm`."""
    return importlib.import_module(f"miningflow.train.svm.{name}")


def known_rows(encoding: Any, *others: str) -> tuple[Matrix, list[npt.NDArray[Any]]]:
    """Returns the encoded rows that have no NULL, with other features."""
    names = [p.name for p in encoding.predictors]
    columns = {name: _array(name) for name in [*names, *others]}
    matrix = encoding.encode(columns)
    known = ~np.isnan(matrix).any(axis=1)
    for name in others:
        known &= ~pd.isna(columns[name])
    return matrix[known], [columns[name][known] for name in others]


def _array(name: str) -> npt.NDArray[Any]:
    if TYPES[name] == "numeric":
        return np.array([np.nan if v is None else v for v in TABLE[name]], dtype=np.float64)
    return np.array(TABLE[name], dtype=object)
