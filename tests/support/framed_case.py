"""A case whose rows come as frames, and the same rows as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

import miningflow
from miningflow.project import LoadedCase

CASE = """\
case: framed
concepts:
  Person:
    key: id
    holdout: {share: 0.3, seed: 1}
    features: {id: key, age: numeric, code: nominal, seen: time, leaves: binary}
  Order:
    key: number
    features: {number: key, id: key, amount: numeric}
relations:
  orders_of: {from: Order.id, to: Person.id}
steps:
  with_orders:
    operator: AggregateByRelation
    input: Person
    relation: orders_of
    aggregates: {spent: sum(amount), orders: count()}
  known: {operator: AssignDefaultValue, input: with_orders, target: spent, default: 0}
  filled: {operator: AssignAverageValue, input: known, target: age, materialize: view}
  slim:
    operator: FeatureSelectionByScore
    input: filled
    target: leaves
    attributes: [age, spent, orders]
    keep: 2
  judged:
    operator: SupportVectorMachineForClassification
    input: slim
    target: leaves
    positive: 'yes'
    predictors: [age, spent, orders, code]
    kernel: linear
    output: risk
"""
SHOWN = ("Person", "Order", "filled", "slim", "judged")


def people(count: int = 80) -> pd.DataFrame:
    """Returns rows of Person: codes are doubles where one is missing, times have a time zone."""
    return pd.DataFrame(
        {
            "id": range(count),
            "age": [None if i % 11 == 0 else 20.5 + i * 7 % 50 for i in range(count)],
            "code": [float(i % 3 + 1) for i in range(count)],
            "seen": pd.date_range("2025-03-28", periods=count, tz="Europe/Berlin"),
            "leaves": ["yes" if i * 7 % 50 + i % 4 > 25 else "no" for i in range(count)],
            "unused": [object()] * count,
        }
    )


def orders(count: int = 150) -> pd.DataFrame:
    """Returns rows of Order, some of nobody: pandas holds their keys as doubles."""
    return pd.DataFrame(
        {
            "number": [f"A{i:03}" for i in range(count)],
            "id": [None if i % 10 == 0 else i * 7 % 80 for i in range(count)],
            "amount": [i * 1.1 % 9 for i in range(count)],
        }
    )


def frames() -> dict[str, Any]:
    """Returns the rows of both concepts."""
    return {"Person": people(), "Order": orders()}


def files(folder: Path, ending: str) -> dict[str, str]:
    """Writes the rows of both concepts into files, keys as whole numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"Person": people().drop(columns="unused"), "Order": orders().astype({"id": "Int64"})}
    for name, rows in whole.items():
        path = folder / f"{name}.{ending}"
        if ending == "parquet":
            rows.to_parquet(path, index=False)
        else:
            rows.assign(**({"code": rows["code"].astype(int)} if "code" in rows else {})).to_csv(
                path, index=False
            )
    return {name: f"{name}.{ending}" for name in whole}


def load(folder: Path, connect: dict[str, Any] | None = None) -> LoadedCase:
    """Writes the case, with this connection if any, and loads it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = CASE if connect is None else f"{CASE}connect: {json.dumps(connect)}\n"
    (folder / "case.yml").write_text(text, encoding="utf-8")
    return miningflow.load(folder / "case.yml")


def on_files(folder: Path, ending: str) -> LoadedCase:
    """Writes the case and its rows as files, and loads it."""
    sources = {name: {"file": file} for name, file in files(folder, ending).items()}
    return load(folder, {"store": "duckdb:///store.duckdb", "concepts": sources})
