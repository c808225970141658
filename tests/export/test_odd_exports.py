"""Exports of cases with odd texts: nothing in them is taken for a place, a command or markup."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from support.small_case import load, rows, run

from miningflow import pipeline
from miningflow.compile import gc_paused
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

TYPES = {"id": "key", "x": "numeric", "c": "nominal"}
ROWS: dict[str, Any] = {"id": range(8), "x": [1.0, 2, 3, 4, 5, 6, 7, 8], "c": ["a", "b"] * 4}
MARKED = "\ue0000\ue001 \ue00099\ue001"


def _marked(folder: Path) -> LoadedCase:
    steps = {
        "said": {
            "operator": "GenericFeatureConstruction",
            "input": "T",
            "sql": f"concat(c, '{MARKED}')",
            "output": "text",
            "about": "<img src=x onerror=alert(1)> `$(touch here)` \x1b[31mred",
        }
    }
    return run(folder, {"T": rows("id", TYPES, ROWS)}, steps)


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    return _marked(tmp_path_factory.mktemp("marked"))


@pytest.mark.parametrize("form", ["script", "dbt", "sqlmesh"])
def test_a_text_is_never_a_place(marked: LoadedCase, form: str, tmp_path: Path) -> None:
    marked.export(form, tmp_path / form)
    written = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / form).rglob("*.sql"))
    assert MARKED in written


@pytest.mark.parametrize("form", ["script", "dbt", "sqlmesh"])
def test_a_readme_has_no_markup_of_the_case(marked: LoadedCase, form: str, tmp_path: Path) -> None:
    marked.export(form, tmp_path / form)
    readme = (tmp_path / form / "README.md").read_text(encoding="utf-8")
    assert "<img" not in readme.replace("\\<", "")
    assert "`$(" not in readme.replace("\\`", "")
    assert "\x1b" not in readme


def test_a_command_to_copy_runs_nothing_else(marked: LoadedCase, tmp_path: Path) -> None:
    marked.export("script", tmp_path / "script", schema="a$(touch here)")
    readme = (tmp_path / "script" / "README.md").read_text(encoding="utf-8")
    assert "duckdb -bail 'a$(touch here).duckdb' < all.sql" in readme


def test_a_machine_over_patterns_is_scored_without_tables(tmp_path: Path) -> None:
    steps = {
        "groups": {
            "operator": "SubgroupMining",
            "input": "T",
            "target": "c",
            "value": "a",
            "attributes": ["x", "more"],
            "min_support": 0,
        },
        "scored": {
            "operator": "SupportVectorMachineForRegression",
            "input": "groups",
            "target": "quality",
            "predictors": ["size"],
            "output": "guess",
        },
    }
    random = np.random.default_rng(4)
    given: dict[str, Any] = {
        "id": range(60),
        "x": random.normal(size=60),
        "more": random.normal(size=60),
    }
    given["c"] = np.where(given["x"] > 0.3, "a", "b")
    types = {"id": "key", "x": "numeric", "more": "numeric", "c": "nominal"}
    case = run(tmp_path, {"T": rows("id", types, given)}, steps)
    script = case.compile("scored", score=True)
    assert "-- It reads no tables.\n" in script
    with duckdb.connect() as connection:
        assert len(connection.execute(script).fetchall()) == case.table("groups").num_rows


def test_score_sql_says_which_duckdb_it_needs(tmp_path: Path) -> None:
    steps = {
        "scored": {
            "operator": "SupportVectorMachineForClassification",
            "input": "T",
            "target": "c",
            "positive": "a",
            "predictors": ["x"],
            "output": "risk",
        }
    }
    types = {**TYPES, "c": "binary"}
    case = run(tmp_path, {"T": rows("id", types, ROWS)}, steps)
    newer = case.compile("scored", score=True)
    assert "-- It needs DuckDB 2.0 or newer.\n" in newer
    assert "--dialect duckdb1.5" in newer
    older = case.compile("scored", score=True, dialect="duckdb1.5")
    assert "-- It needs DuckDB 1.5.\n" in older


def test_lineage_knows_the_run_that_failed(tmp_path: Path) -> None:
    steps: dict[str, Any] = {
        "known": {"operator": "AssignAverageValue", "input": "T", "target": "x"},
        "cut": {
            "operator": "RowSelectionByQuery",
            "input": "known",
            "where": "x > 2",
            "materialize": "table",
        },
        "broken": {
            "operator": "SupportVectorMachineForClassification",
            "input": "cut",
            "target": "c",
            "positive": "z",
            "predictors": ["x"],
            "output": "risk",
        },
    }
    given = {"T": rows("id", {**TYPES, "c": "binary"}, ROWS)}
    case = load(tmp_path, given, steps)
    with pytest.raises(MiningFlowError):
        case.run()
    del steps["broken"]
    case = run(tmp_path, given, steps)
    events = case.lineage()
    assert str(tmp_path / "store.duckdb") in str(events)


@pytest.mark.slow
def test_cases_that_were_checked_are_let_go(
    marked: LoadedCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_paused, "MOST_BLOCKS", 50_000)
    monkeypatch.setattr(gc_paused, "LARGEST_SHARE", 0.0)
    checked = [weakref.ref(pipeline.check(marked.path)[0]) for _ in range(90)]
    assert gc.isenabled()
    assert sum(found() is not None for found in checked) <= 45
