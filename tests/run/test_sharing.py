"""Statistics that several selections of a run need are computed once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import miningflow
from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.run.query_cache import QueryCache

CASE = """\
case: shared
concepts:
  Person: {key: id, features: {id: key, a: numeric, b: numeric, c: numeric, kind: nominal}}
steps:
  fisher: &score
    operator: FeatureSelectionByScore
    input: Person
    target: kind
    attributes: [a, b, c]
    score: fisher
    keep: 1
  pearson: {<<: *score, score: pearson, keep: 2}
  aligned: &alignment
    operator: FeatureSelectionByAlignment
    input: Person
    target: kind
    attributes: [a, b, c]
    keep: 1
  all_at_once: {<<: *alignment, method: one_shot, keep: 2}
  fewer: {<<: *alignment, attributes: [a, b]}
connect:
  store: duckdb:///store.duckdb
  concepts: {Person: {file: people.parquet}}
"""


def test_a_statistic_is_computed_once_for_all_who_ask_at_a_time() -> None:
    shared, computed = QueryCache(), []

    def compute() -> int:
        time.sleep(0.05)
        computed.append(1)
        return 7

    found: list[int] = []
    asking = [
        threading.Thread(target=lambda: found.append(shared.get_or_compute("n", compute)))
        for _ in "12345"
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert (found, computed) == ([7] * 5, [1])


def test_what_failed_is_tried_again() -> None:
    shared = QueryCache()
    with pytest.raises(ZeroDivisionError):
        shared.get_or_compute("n", lambda: 1 // 0)
    assert shared.get_or_compute("n", lambda: 1) == 1


def test_selections_on_one_input_read_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    frame["kind"] = np.where(frame.a > 0, "yes", "no")
    frame.insert(0, "id", range(50))
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "case.yml").write_text(CASE)
    asked: list[str] = []
    streamed: list[str] = []
    read, stream = DuckDBSession.rows, DuckDBSession.batches

    def rows(session: DuckDBSession, sql: str) -> list[tuple[Any, ...]]:
        asked.append(sql)
        return read(session, sql)

    def batches(session: DuckDBSession, sql: str) -> Iterator[Any]:
        streamed.append(sql)
        return stream(session, sql)

    monkeypatch.setattr(DuckDBSession, "rows", rows)
    monkeypatch.setattr(DuckDBSession, "batches", batches)
    miningflow.load(tmp_path / "case.yml").run()
    assert len(streamed) == 2, "once for three attributes, once for two"
    grouped = [sql for sql in asked if "VAR_POP" in sql.upper()]
    assert len(grouped) == 1
