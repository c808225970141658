"""Statistics of concepts: computed by the database, as pandas computes them, and kept."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import stores, tested_case
from support.command_line import accepted, miningflow, refused

import miningflow as package
from miningflow.declare.concept_statistics import (
    BINS,
    QUANTILES,
    ConceptStatistics,
    FeatureStatistics,
)
from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.project import LoadedCase

N = 500
SEED = 3


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(SEED)
    x = rng.gamma(2.0, 3.0, N)
    return pd.DataFrame(
        {
            "id": np.arange(N),
            "of": rng.integers(0, 7, N),
            "x": np.where(rng.random(N) < 0.1, np.nan, x),
            "few": rng.integers(0, 3, N).astype(float),
            'odd "name" ü': rng.choice(["a", "b", "it's"], N, p=[0.5, 0.3, 0.2]),
            "at": [
                datetime(2020, 1, 1) + timedelta(hours=int(h)) for h in rng.integers(0, 9999, N)
            ],
            "none": [None] * N,
        }
    )


FEATURES = {
    "id": "key",
    "of": "key",
    "x": "numeric",
    "few": "numeric",
    'odd "name" ü': "nominal",
    "at": "time",
    "none": "numeric",
}


def _load(folder: Path, frame: pd.DataFrame, holdout: bool = False) -> LoadedCase:
    folder.mkdir(exist_ok=True)
    frame.astype({"none": float}).to_parquet(folder / "t.parquet")
    concept: dict[str, Any] = {"key": "id", "features": FEATURES}
    if holdout:
        concept["holdout"] = {"share": 0.5, "seed": 1}
    content = {
        "case": "wide",
        "concepts": {"T": concept},
        "steps": {
            "kept": {"operator": "RowSelectionByQuery", "input": "T", "where": "few > 0"},
            "filled": {"operator": "AssignAverageValue", "input": "T", "target": "x"},
            "mode": {
                "operator": "AssignModalValue",
                "input": "T",
                "target": 'odd "name" ü',
            },
            "middle": {"operator": "AssignMedianValue", "input": "T", "target": "x"},
            "scaled": {"operator": "LinearScaling", "input": "T", "target": "x"},
        },
        "connect": {
            "store": "duckdb:///store.duckdb",
            "concepts": {"T": {"file": "t.parquet"}},
        },
    }
    (folder / "case.yml").write_text(json.dumps(content))
    return package.load(folder / "case.yml")


def _of(statistics: ConceptStatistics, name: str) -> FeatureStatistics:
    found = statistics.of(name)
    assert found is not None
    return found


def test_numbers_are_those_of_pandas(tmp_path: Path) -> None:
    frame = _frame()
    case = _load(tmp_path, frame)
    case.run()
    for name, rows in {"T": frame, "kept": frame[frame["few"] > 0]}.items():
        statistics = case.stats(name)[name]
        assert statistics.rows == len(rows)
        assert statistics.exact
        assert [f.feature for f in statistics.features] == list(FEATURES)
        for feature in ("x", "few"):
            values = rows[feature]
            found = _of(statistics, feature)
            assert found.missing == values.isna().sum()
            assert found.distinct == values.nunique()
            assert (found.minimum, found.maximum) == (values.min(), values.max())
            assert found.mean == pytest.approx(values.mean(), rel=1e-12)
            assert found.deviation == pytest.approx(values.std(), rel=1e-12)
            assert found.quantiles == pytest.approx(values.quantile(list(QUANTILES)), rel=1e-12)
            counts, _ = np.histogram(values.dropna(), bins=BINS)
            assert found.histogram == tuple(counts)
        assert _of(statistics, "x").top == ()


def test_words_keys_and_times_are_treated_as_such(tmp_path: Path) -> None:
    frame = _frame()
    case = _load(tmp_path, frame)
    statistics = case.stats("T")["T"]  # of a source that no run has loaded
    words = frame['odd "name" ü'].value_counts()
    assert dict(_of(statistics, 'odd "name" ü').top) == words.to_dict()
    assert _of(statistics, 'odd "name" ü').mean is None
    assert _of(statistics, "few").top[0][1] == frame["few"].value_counts().max()
    assert dict(_of(statistics, "of").top) == {
        str(k): v for k, v in frame["of"].value_counts().to_dict().items()
    }
    assert (_of(statistics, "id").distinct, _of(statistics, "id").top) == (N, ())
    at = frame["at"].astype("datetime64[s]").astype("int64")
    found = _of(statistics, "at")
    assert (found.minimum, found.maximum) == (at.min(), at.max())
    assert found.mean == pytest.approx(at.mean())
    assert sum(found.histogram) == N
    nothing = _of(statistics, "none")
    assert (nothing.missing, nothing.distinct, nothing.minimum, nothing.histogram) == (
        N,
        0,
        None,
        (),
    )


def test_nan_infinity_and_huge_numbers_are_counted_apart(tmp_path: Path) -> None:
    stores.change(
        tmp_path / "store.duckdb",
        "CREATE TABLE t AS SELECT i AS id, x FROM (VALUES (1, 'nan'::DOUBLE), (2, 'inf'), (3, 2), "
        "(4, 1e200), (5, NULL)) v(i, x)",
    )
    (tmp_path / "case.yml").write_text(
        "case: odd\nconcepts: {T: {key: id, features: {id: key, x: numeric}}}\n"
        "steps: {s: {operator: RowSelectionByQuery, input: T, where: id is not null}}\n"
        "connect: {store: 'duckdb:///store.duckdb', concepts: {T: {table: t}}}\n"
    )
    found = _of(package.load(tmp_path / "case.yml").stats("T")["T"], "x")
    assert (found.missing, found.not_finite) == (1, 2)
    assert (found.minimum, found.maximum) == (2, 1e200)
    assert found.deviation is None
    assert "2 not finite" in accepted(tmp_path, "stats", "case.yml", "T")


@pytest.mark.parametrize("rows", [0, 1])
def test_no_rows_and_one_row(tmp_path: Path, rows: int) -> None:
    case = _load(tmp_path, _frame())
    text = (tmp_path / "case.yml").read_text()
    (tmp_path / "case.yml").write_text(text.replace("few > 0", f"id = 1 and {rows} = 1"))
    case = package.load(tmp_path / "case.yml")
    case.run()
    statistics = case.stats("kept")["kept"]
    assert statistics.rows == rows
    assert _of(statistics, "x").deviation is None
    assert _of(statistics, "at").distinct == rows
    assert math.isfinite(_of(statistics, "few").mean or 0.0)


def test_held_out_rows_have_no_part_in_what_is_learned_from(tmp_path: Path) -> None:
    case = _load(tmp_path, _frame(), holdout=True)
    whole, learned = case.stats("T")["T"], case.stats("T", learned=True)["T"]
    assert 0.3 * N < learned.rows < 0.7 * N < whole.rows
    assert "without those held out" in accepted(tmp_path, "stats", "case.yml", "T", "--learned")


def test_stored_statistics_are_given_again_until_the_rows_change(tmp_path: Path) -> None:
    case = _load(tmp_path, _frame())
    case.run()
    first = case.stats("T", "kept")
    stamps = "SELECT step, computed FROM miningflow.statistics ORDER BY 1"
    before = stores.query(tmp_path / "store.duckdb", stamps)
    assert case.stats("T", "kept") == first
    assert stores.query(tmp_path / "store.duckdb", stamps) == before
    case.stats("T", anew=True)
    assert stores.query(tmp_path / "store.duckdb", stamps) != before
    _frame().head(100).astype({"none": float}).to_parquet(tmp_path / "t.parquet")
    assert case.stats("T")["T"].rows == 100  # the source is new
    assert case.stats("kept") == {}
    said = accepted(tmp_path, "stats", "case.yml", "kept")
    assert "no up-to-date results: 'T' changed" in said
    case.run()
    assert case.stats("kept")["kept"].rows < 100


def test_what_a_run_built_and_did_not_publish_is_not_looked_at(tmp_path: Path) -> None:
    """The views still show the results before."""
    path = tested_case.write(tmp_path, "data_tests: {adults: [{range: {age: {max: 40}}}]}\n")
    accepted(tmp_path, "run", "case.yml")
    path.write_text(path.read_text().replace("age >= 18", "age >= 30"))
    refused(tmp_path, "run", "case.yml", "--test")
    said = accepted(tmp_path, "stats", "case.yml", "adults", "Claim")
    assert "adults: it has no up-to-date results: built by a run that did not" in said
    assert "Claim: 3 rows" in said
    accepted(tmp_path, "run", "case.yml")
    assert "adults: 3 rows" in accepted(tmp_path, "stats", "case.yml", "adults")


class Asked:
    """Counts the queries of steps that learn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queries: list[str] = []
        rows = DuckDBSession.rows

        def listening(session: DuckDBSession, sql: str) -> list[tuple[Any, ...]]:
            if "learns" in sql.partition("\n")[0]:
                self.queries.append(sql)
            return rows(session, sql)

        monkeypatch.setattr(DuckDBSession, "rows", listening)


@pytest.mark.parametrize("holdout", [False, True])
def test_steps_learn_the_same_from_stored_statistics_without_a_scan(
    tmp_path: Path, holdout: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(monkeypatch)
    plain = _load(tmp_path / "plain", _frame(), holdout)
    plain.run()
    without = list(asked.queries)
    asked.queries.clear()
    known = _load(tmp_path / "known", _frame(), holdout)
    known.stats("T")
    known.run()
    stored = tmp_path / "known" / "store.duckdb"
    assert stores.artifacts(stored) == stores.artifacts(tmp_path / "plain" / "store.duckdb")
    # the mean, the mode, the range, the median, and whether all numbers are finite
    assert len(without) == 5
    assert asked.queries == []


def test_wide_tables_are_computed_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from miningflow.verbs.stats import computing as statistics

    whole = _load(tmp_path, _frame()).stats("T")
    monkeypatch.setattr(statistics, "FEATURES_AT_ONCE", 2)
    assert _load(tmp_path, _frame()).stats("T", anew=True) == whole


def test_many_rows_are_counted_approximately_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from miningflow.verbs.stats import computing as statistics

    case = _load(tmp_path, _frame())
    exact = case.stats("T")["T"]
    monkeypatch.setattr(statistics, "MOST_EXACT", 100)
    found = case.stats("T", anew=True)["T"]
    assert not found.exact
    assert _of(found, "x").mean == _of(exact, "x").mean
    assert _of(found, "x").median == pytest.approx(_of(exact, "x").median, rel=0.1)
    assert "distinct≈" in accepted(tmp_path, "stats", "case.yml", "T")


def test_names_may_be_odd_or_hold_a_star(tmp_path: Path) -> None:
    path = tested_case.write(tmp_path, "")
    text = path.read_text()
    path.write_text(
        text.replace("  with_claims:", "  'with, \"claims\"':").replace(
            "input: with_claims", "input: 'with, \"claims\"'"
        )
    )
    accepted(tmp_path, "run", "case.yml")
    assert 'with, "claims": 5 rows' in accepted(tmp_path, "stats", "case.yml", 'with, "claims"')
    told = json.loads(accepted(tmp_path, "stats", "case.yml", "*l*", "--json"))
    names = [c["concept"] for c in told["concepts"] if c["part"] == "all"]
    assert names == ["Claim", 'with, "claims"', "filled", "slim", "adults"]


def test_the_command_shows_and_tells(tmp_path: Path) -> None:
    tested_case.write(tmp_path, "")
    said = accepted(tmp_path, "stats", "case.yml")
    assert "Customer: 5 rows" in said
    assert "adults: it has no up-to-date results: new" in said
    told = json.loads(accepted(tmp_path, "stats", "case.yml", "Claim", "--json"))
    amount = told["concepts"][0]["features"][2]
    assert (amount["min"], amount["max"], amount["mean"]) == (-3.0, 5.0, 1.0)
    assert "did you mean 'Customer'?" in refused(tmp_path, "stats", "case.yml", "Custmer")
    (tmp_path / "claim.csv").write_text("claim,id,amount\n1,1,many\n")
    failed = miningflow(tmp_path, "stats", "case.yml", "Claim")
    assert failed.code == 1
    assert "the first is 'many' in data row 1" in failed.err
    (tmp_path / "claim.csv").write_text(tested_case.CLAIMS)
    again = json.loads(accepted(tmp_path, "stats", "case.yml", "Claim", "--json"))
    assert again == told
