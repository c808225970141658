"""What is drawn, ordered and trimmed is the same on DuckDB, PostgreSQL and Spark."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.postgres_stores import Database
from support.spark_stores import Warehouse
from support.trusting import load_trusted

from miningflow.project import LoadedCase

CASE = """\
case: draws
concepts:
  Sale:
    key: no
    features: {no: key, price: numeric, shop: nominal, day: time}
  Reading: {features: {day: time, value: numeric, place: nominal}}
steps:
  by_price: {operator: SpecifiedStatistics, input: Sale, group_by: [price], rows: n}
  some_prices: {operator: RowSelectionByRandomSampling, input: by_price, how_many: 40, seed: 1}
  parts: {operator: SegmentationByPartitioning, input: by_price, partitions: 3, output: part}
  together: {operator: Unsegment, input: parts}
  some_readings: {operator: RowSelectionByRandomSampling, input: Reading, how_many: 40, seed: 1}
  trimmed:
    operator: GenericFeatureConstruction
    input: Sale
    sql: trim(shop)
    output: plain
  changes:
    operator: SimpleMovingFunction
    input: Reading
    time: day
    value: value
    size: 2
    output: moved
connect:
  store: STORE
  concepts: {Sale: {file: sales.parquet}, Reading: {file: readings.parquet}}
"""
PRICES = [21.0, 0.5, -0.25, 0.1, 1e15, 2.0**60, 1e300, -1e300, 1e-300, 3.0, math.nan, math.inf]


def write(folder: Path) -> None:
    count = 120
    prices = [PRICES[i] if i < len(PRICES) else (i * 7 % 101) / 8 for i in range(count)]
    shops = ["a", " a ", "\u00a0a", "a\u3000", "\ta", "a\n", None, "  "]
    days = pa.array([(i // 3) * 86_400_000_000 for i in range(count)], pa.timestamp("us"))
    sales = {"no": list(range(count)), "price": pa.array(prices, pa.float64()), "day": days}
    sales["shop"] = [shops[i % len(shops)] for i in range(count)]
    pq.write_table(pa.table(sales), folder / "sales.parquet")
    values = [float(i * 31 % 17) + (0.5 if i % 4 else 0.0) for i in range(count)]
    readings = {"day": days, "value": values, "place": ["x"] * count}
    pq.write_table(pa.table(readings), folder / "readings.parquet")


def on(folder: Path, store: str) -> LoadedCase:
    folder.mkdir(exist_ok=True)
    write(folder)
    (folder / "case.yml").write_text(CASE.replace("STORE", store), encoding="utf-8")
    return load_trusted(folder / "case.yml")


def canonical(value: float) -> str:
    """Writes a double as the documentation says."""
    if not abs(value) < 9e18:
        return "0" + ("-large" if value < 0 else "large")
    units = math.floor((value - math.floor(value)) * 2.0**53)
    return f"{math.floor(value)}" + (f".{units}" if units else "")


def hash_of(words: str) -> str:
    return hashlib.md5(words.encode()).hexdigest()


@pytest.fixture
def here(tmp_path: Path) -> LoadedCase:
    case = on(tmp_path, "duckdb:///store.duckdb")
    case.run()
    return case


def test_numbers_are_hashed_by_one_text(here: LoadedCase) -> None:
    prices = here.table("by_price").column("price").to_pylist()
    assert 60 < len(prices) < 120
    order = sorted(prices, key=lambda x: hash_of(f"{canonical(x)}:sample:1"))
    found = here.table("some_prices").column("price").to_pylist()
    assert sorted(map(str, found)) == sorted(map(str, order[:40]))


def test_trim_removes_spaces_only(here: LoadedCase) -> None:
    for row in here.table("trimmed").to_pylist():
        shop = row["shop"]
        assert row["plain"] == (None if shop is None else shop.strip(" "))


def test_postgresql_draws_the_same(tmp_path: Path, here: LoadedCase, database: Database) -> None:
    (found,) = here.verify("duckdb://", database.url)
    assert [step.name for step in found.steps if not step.equal] == []
    assert {step.name for step in found.steps} >= {"some_prices", "some_readings", "changes"}


@pytest.mark.slow
def test_spark_draws_the_same(tmp_path: Path, here: LoadedCase, warehouse: Warehouse) -> None:
    there = on(tmp_path / "there", warehouse.connection)
    there.run()
    for step in ("some_prices", "some_readings", "together", "trimmed", "changes"):
        assert rows(there, step) == rows(here, step), step


def rows(case: LoadedCase, step: str) -> list[Any]:
    return sorted(tuple(map(str, row.values())) for row in case.table(step).to_pylist())
