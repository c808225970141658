"""Small cases over tables that a test writes down, run on a real engine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import miningflow
from miningflow.project import LoadedCase

Columns = dict[str, list[Any]]

_ARROW = {"numeric": pa.float64(), "nominal": pa.string(), "binary": pa.string()}


@dataclass(frozen=True)
class Rows:
    """A source concept: its key, the types of its features, and its rows."""

    key: str | None
    types: Mapping[str, str]
    table: pa.Table
    holdout: Mapping[str, Any] | None = None


def rows(
    key: str | None,
    types: Mapping[str, str],
    columns: Mapping[str, Sequence[Any]],
    holdout: Mapping[str, Any] | None = None,
) -> Rows:
    """Makes the rows of a concept; None is NULL."""
    arrays = {name: pa.array(list(columns[name]), _ARROW.get(types[name])) for name in types}
    return Rows(key, types, pa.table(arrays), holdout)


def load(
    folder: Path,
    concepts: Mapping[str, Rows],
    steps: Mapping[str, Any],
    relations: Mapping[str, Any] | None = None,
) -> LoadedCase:
    """Writes a case with its data and loads it."""
    folder.mkdir(parents=True, exist_ok=True)
    described: dict[str, Any] = {}
    for name, concept in concepts.items():
        pq.write_table(concept.table, folder / f"{name}.parquet")
        described[name] = {"features": dict(concept.types)}
        if concept.key is not None:
            described[name]["key"] = concept.key
        if concept.holdout is not None:
            described[name]["holdout"] = dict(concept.holdout)
    content = {
        "case": "small",
        "concepts": described,
        "relations": dict(relations or {}),
        "steps": dict(steps),
        "connect": {
            "store": "duckdb:///store.duckdb",
            "concepts": {name: {"file": f"{name}.parquet"} for name in concepts},
        },
    }
    path = folder / "case.yml"
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    return miningflow.load(path)


def run(
    folder: Path,
    concepts: Mapping[str, Rows],
    steps: Mapping[str, Any],
    relations: Mapping[str, Any] | None = None,
) -> LoadedCase:
    """Writes, loads and runs a case."""
    case = load(folder, concepts, steps, relations)
    case.run()
    return case


def frame(case: LoadedCase, step: str, key: str = "id") -> pd.DataFrame:
    """Reads what a step made, in the order of a key."""
    found: pd.DataFrame = case.table(step).to_pandas()
    return found.sort_values(key).reset_index(drop=True)


def column(case: LoadedCase, step: str, name: str, key: str = "id") -> list[Any]:
    """Reads one column of a step in the order of a key; NULL is None."""
    return list(case.table(step).sort_by(key).column(name).to_pylist())


def key_hash(key: Any, seed: int) -> str:
    """Hashes a key as the compiled SQL does."""
    return hashlib.md5(f"{key}:{seed}".encode()).hexdigest()
