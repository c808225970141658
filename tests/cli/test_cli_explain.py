"""`explain`, and models as functions, on the project that `init` makes."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from support.command_line import accepted, refused


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explained")
    accepted(folder, "init", "shop")
    return folder / "shop"


def _topics(shop: Path, *words: str) -> dict[str, str]:
    said = accepted(shop, "explain", "shop.yml", *words, "--json")
    topics: dict[str, str] = json.loads(said)["topics"]
    return topics


def test_before_a_run_it_says_what_will_be(shop: Path) -> None:
    topics = _topics(shop)
    assert topics["state"].startswith("no SQL yet: it waits for")
    assert "in memory if at most 10,000 rows are complete" in topics["learning"]


def test_after_a_run_it_says_what_was_learned_and_what_it_costs(shop: Path) -> None:
    accepted(shop, "run", "shop.yml")
    topics = _topics(shop)
    assert topics["machine"] == "linear kernel x·s; above 0 is 'yes', below is 'no'"
    assert "in memory" in topics["learned"] and "rows" in topics["learned"]
    assert topics["shape"].startswith("one sum")
    assert "CPU seconds per million rows" in topics["expected cost"]
    assert "labels equal" in topics["parity"]
    assert topics["SQL"].endswith("characters for duckdb")
    assert "shop_results." in topics["functions"]
    assert "characters for postgres" in _topics(shop, "--dialect", "postgres")["SQL"]
    shown = accepted(shop, "explain", "shop.yml", "scored")
    assert "expected cost" in shown and "SupportVectorMachineForClassification" in shown


def test_functions_are_printed_and_run_elsewhere(shop: Path) -> None:
    accepted(shop, "run", "shop.yml")
    script = accepted(shop, "compile", "shop.yml", "--functions")
    with duckdb.connect() as connection:
        connection.execute(script)
        found = connection.sql(
            "SELECT function_name FROM duckdb_functions() WHERE schema_name = 'shop_results'"
        ).fetchall()
    assert len(found) == 2
    assert "CREATE OR REPLACE FUNCTION" in accepted(
        shop, "compile", "shop.yml", "--functions", "--dialect", "postgres"
    )


def test_a_wrong_name_is_told_with_those_that_exist(shop: Path) -> None:
    assert "there is no step or concept 'score'" in refused(shop, "explain", "shop.yml", "score")
    assert "did you mean 'scored'" in refused(shop, "explain", "shop.yml", "score")
    assert "is not one of the steps that predict" in refused(
        shop, "compile", "shop.yml", "filled", "--functions"
    )
    assert "no dialect" in refused(shop, "explain", "shop.yml", "--dialect", "oracle")


def test_a_step_that_learns_nothing_is_explained_by_its_sql(shop: Path) -> None:
    accepted(shop, "run", "shop.yml")
    assert set(_topics(shop, "quality")) == {"SQL"}
