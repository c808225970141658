"""`verify` runs a case on two stores, compares every step, and leaves nothing behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from support.command_line import accepted, miningflow, refused
from support.postgres_stores import Database
from support.stores import objects, query, results

import miningflow as mf
from miningflow.errors import RunError

CASE = """\
case: shop
concepts:
  Customer:
    key: id
    features: {id: key, age: numeric, income: numeric, "na me": nominal, left: binary}
steps:
  filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: view}
  best:
    operator: FeatureSelectionByScore
    input: filled
    target: left
    attributes: [age, income]
    score: fisher
    keep: 1
    materialize: view
  tally:
    operator: SpecifiedStatistics
    input: best
    group_by: ["na me"]
    rows: n
connect:
  store: duckdb:///store.duckdb
  concepts: {Customer: {file: customers.csv}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.yml").write_text(CASE, encoding="utf-8")
    write(tmp_path / "customers.csv", customers())
    return tmp_path


def customers() -> list[dict[str, object]]:
    """Sixty customers; the old ones leave."""
    return [
        {
            "id": i,
            "age": 20 + i,
            "income": None if i % 9 == 0 else (i * 37) % 11,
            "na me": ["Ä", "b", 'c"d', "é'"][i % 4],
            "left": "yes" if i > 30 else "no",
        }
        for i in range(1, 61)
    ]


def write(path: Path, rows: list[dict[str, object]]) -> None:
    pc.write_csv(pa.Table.from_pylist(rows), path)


def connection(folder: Path, name: str, store: str, file: str) -> Path:
    path = folder / f"{name}.yml"
    path.write_text(f"store: {store}\nconcepts: {{Customer: {{file: {file}}}}}\n", "utf-8")
    return path


def test_a_case_is_the_same_on_duckdb_and_postgresql(folder: Path, database: Database) -> None:
    said = accepted(folder, "verify", "shop.yml", "--on", "duckdb://", "--on", database.url)
    assert re.search(r"all 4 concepts and steps are equal, \d+ rows", said)
    assert "✓ tally: SpecifiedStatistics, 4 rows" in said
    assert database.objects("shop_verify") == set()
    assert not (folder / "store.duckdb").exists()


def test_one_store_is_compared_with_the_cases_own_which_stays_as_it_is(folder: Path) -> None:
    mf.load(folder / "shop.yml").run()
    before = results(folder / "store.duckdb", "shop")
    assert before
    found = json.loads(accepted(folder, "verify", "shop.yml", "--on", "duckdb://", "--json"))
    (only,) = found["verifications"]
    assert (only["left"], only["right"]) == ("duckdb:///store.duckdb", "duckdb://")
    assert only["equal"]
    assert results(folder / "store.duckdb", "shop") == before
    assert objects(folder / "store.duckdb", "shop_verify") == set()
    runs = query(folder / "store.duckdb", "SELECT DISTINCT case_name FROM miningflow.runs")
    assert runs == [("shop",)]


def test_it_tells_which_rows_of_which_steps_differ(folder: Path) -> None:
    changed = customers()
    changed[6]["age"] = 99
    changed[10]["na me"] = "new"
    write(folder / "other.csv", [*changed[:-1], {**changed[-1], "id": 61}])
    other = connection(folder, "other", "duckdb://", "other.csv")
    said = miningflow(folder, "verify", "shop.yml", "--on", "duckdb:///a.duckdb", "--on", other)
    assert said.code == 1
    assert "✗ Customer: source, 59 rows, 4 differ" in said.out
    assert "id = 7: age = 27 ↔ 99" in said.out
    assert "id = 11: na me = é' ↔ new" in said.out
    a = f"duckdb:///{folder / 'a.duckdb'}"
    assert f"id = 60: only on {a}" in said.out
    assert "id = 61: only on duckdb://\n" in said.out
    assert "✗ tally: SpecifiedStatistics" in said.out
    assert "4 of 4 concepts and steps differ" in said.out


def test_it_tells_features_that_only_one_store_selects(folder: Path) -> None:
    turned = [{**c, "age": 1 + (int(str(c["id"])) * 7) % 3, "income": c["left"] == "yes"}
              for c in customers()]  # fmt: skip
    write(folder / "other.csv", [{**c, "income": 50 if c["income"] else 1} for c in turned])
    other = connection(folder, "other", "duckdb://", "other.csv")
    case = mf.load(folder / "shop.yml")
    (found,) = case.verify("duckdb:///:memory:", other)
    best = next(step for step in found.steps if step.name == "best")
    assert (best.only_left, best.only_right) == (("age",), ("income",))
    assert not best.equal
    said = miningflow(folder, "verify", "shop.yml", "--on", "duckdb:///a.duckdb", "--on", other)
    assert f"only on duckdb:///{folder / 'a.duckdb'}: age" in said.out


def test_it_can_learn_once(folder: Path) -> None:
    """Missing incomes show whose mean fills them."""
    write(
        folder / "other.csv",
        [{**c, "income": c["income"] if c["income"] is None else 500} for c in customers()],
    )
    other = connection(folder, "other", "duckdb://", "other.csv")
    filled = {}
    for once in (False, True):
        (found,) = mf.load(folder / "shop.yml").verify("duckdb:///a.duckdb", other, learn_once=once)
        rows = next(step for step in found.steps if step.name == "filled").rows
        filled[once] = rows.differing
    # six of sixty have none: learned on each store alone, they differ as all others do
    assert filled == {False: 60, True: 54}


def test_several_stores_are_compared_with_the_first(folder: Path, database: Database) -> None:
    found = mf.load(folder / "shop.yml").verify(
        "duckdb://", database.url, f"duckdb:///{folder}/b.duckdb"
    )
    assert [v.left for v in found] == ["duckdb://"] * 2
    assert all(v.equal for v in found)


def test_results_can_be_kept(folder: Path) -> None:
    accepted(folder, "verify", "shop.yml", "--on", "duckdb:///b.duckdb", "--keep")
    for name in ("store.duckdb", "b.duckdb"):
        assert set(results(folder / name, "shop_verify")) == {"Customer", "filled", "best", "tally"}
    accepted(folder, "verify", "shop.yml", "--on", "duckdb:///b.duckdb")
    assert objects(folder / "b.duckdb", "shop_verify") == set()


def test_a_run_that_fails_says_where_and_leaves_nothing(folder: Path) -> None:
    write(folder / "other.csv", [{**c, "age": "old"} for c in customers()])
    other = connection(folder, "other", "duckdb:///b.duckdb", "other.csv")
    said = refused(folder, "verify", "shop.yml", "--on", other)
    assert "on duckdb:///b.duckdb: " in said
    assert "'old'" in said
    for name in ("store.duckdb", "b.duckdb"):
        assert objects(folder / name, "shop_verify") == set()


def test_it_does_not_touch_a_case_of_that_name(folder: Path) -> None:
    text = CASE.replace("case: shop", "case: shop_verify")
    (folder / "own.yml").write_text(text, encoding="utf-8")
    mf.load(folder / "own.yml").run()
    before = results(folder / "store.duckdb", "shop_verify")
    said = refused(folder, "verify", "shop.yml", "--on", "duckdb://")
    assert "already has a case 'shop_verify'" in said
    assert results(folder / "store.duckdb", "shop_verify") == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--on", "duckdb:///store.duckdb"], "is named twice"),
        (["--on", "oracle://db"], "unknown kind of store 'oracle'"),
        (["--on", "nowhere.yml"], "nowhere.yml"),
        (["--on", "postgresql://me:secret@host/db"], "the file contains a password"),
        (["--on", "duckdb:///no/folder/x.duckdb"], "there is no folder"),
    ],
)
def test_wrong_stores_are_refused(folder: Path, words: list[str], expected: str) -> None:
    said = refused(folder, "verify", "shop.yml", *words)
    assert expected in said
    assert "secret" not in said


def test_a_case_without_connection_needs_connection_files(folder: Path) -> None:
    (folder / "shop.yml").write_text(CASE.partition("connect:")[0], encoding="utf-8")
    said = refused(folder, "verify", "shop.yml", "--on", "duckdb://", "--on", "duckdb:///b.duckdb")
    assert said.startswith("--on: error: the case has no connection")
    assert "name a connection file" in said
    assert "name two stores" in refused(folder, "verify", "shop.yml", code=2)


def test_tables_that_are_not_there_are_told(folder: Path) -> None:
    with duckdb.connect(str(folder / "store.duckdb")) as store:
        store.execute(f"CREATE TABLE people AS FROM '{folder / 'customers.csv'}'")
    text = CASE.replace("{file: customers.csv}", "{table: people}")
    (folder / "shop.yml").write_text(text, encoding="utf-8")
    said = refused(folder, "verify", "shop.yml", "--on", "duckdb:///b.duckdb")
    assert "there is no table 'people' in the store" in said
    with pytest.raises(RunError):
        mf.load(folder / "shop.yml").verify("duckdb://")
    assert objects(folder / "store.duckdb", "shop_verify") == set()
