"""Tables of the store that a case stands on become concepts; relations cross databases."""

from __future__ import annotations

from pathlib import Path

import duckdb
import psycopg
import pytest
from support.growing_case import REFUNDS, contents, said
from support.postgres_stores import Database

import miningflow
from miningflow.errors import MiningFlowError

TABLES = (
    "CREATE TABLE customers AS SELECT i AS customer_id, i % 60 + 0.5 AS age "
    "FROM {series}(1, 90) t(i)",
    "CREATE TABLE orders AS SELECT i + 1000 AS order_id, i % 89 + 1 AS customer_id "
    "FROM {series}(1, 200) t(i)",
    "CREATE TABLE refunds AS SELECT i AS refund_id, i + 1000 AS order_id FROM {series}(1, 50) t(i)",
)
CASE = """\
case: stored
concepts:
  Customer: {{key: customer_id, features: {{customer_id: key, age: numeric}}}}
  Order:
    key: order_id
    features: {{order_id: key, customer_id: key}}
steps: {{}}
connect:
  store: {store}
  concepts:
    Customer:
      table: customers
    Order: {{table: orders}}
"""


def stored(folder: Path) -> Path:
    with duckdb.connect(str(folder / "shop.duckdb")) as store:
        for statement in TABLES:
            store.execute(statement.format(series="range"))
    path = folder / "stored.yml"
    path.write_text(CASE.format(store="duckdb:///shop.duckdb"))
    return path


def test_a_table_of_a_duckdb_store(tmp_path: Path) -> None:
    path = stored(tmp_path)
    found = miningflow.load(path).add(["refunds"])
    assert found.concepts == {"Refund": '"main"."refunds"'}
    case = said(path)
    assert case["connect"]["concepts"]["Refund"] == {"table": '"main"."refunds"'}
    assert set(case["relations"]) == {"refunds_of_order"}
    assert "50 of 50 rows of Refund match" in path.read_text() or found.relations[0].matched == 49
    miningflow.load(path).run(target=tmp_path / "target")


def test_all_other_tables_of_the_store(tmp_path: Path) -> None:
    path = stored(tmp_path)
    found = miningflow.load(path).add([str(tmp_path / "shop.duckdb")])
    assert list(found.concepts) == ["Refund"]
    assert [note.split(",")[0] for note in found.notes] == [
        "the table customers is Customer already",
        "the table orders is Order already",
    ]
    with pytest.raises(MiningFlowError, match="customers is Customer already"):
        miningflow.load(path).add([str(tmp_path / "shop.duckdb")])


def test_a_file_meets_tables_of_the_store(tmp_path: Path) -> None:
    path = stored(tmp_path)
    rows = "".join(f"{i},{i + 1001},{i % 90 + 1}\n" for i in range(210))
    (tmp_path / "visits.csv").write_text("visit_id,order_id,customer_id\n" + rows)
    found = miningflow.load(path).add([str(tmp_path / "visits.csv")])
    with duckdb.connect(str(tmp_path / "shop.duckdb"), read_only=True) as store:
        counted = store.execute(
            f"SELECT count(*) FROM read_csv('{tmp_path / 'visits.csv'}') v "
            "SEMI JOIN orders USING (order_id)"
        ).fetchone()
    assert counted is not None
    matches = {each.to_table: (each.matched, each.rows) for each in found.relations}
    assert matches["Order"] == (counted[0], 210)
    assert set(matches) == {"Customer", "Order"}
    miningflow.load(path).run(target=tmp_path / "target")


def refused(path: Path, *sources: str) -> str:
    before = contents(path.parent)
    with pytest.raises(MiningFlowError) as error:
        miningflow.load(path).add(sources)
    assert contents(path.parent) == before
    return str(error.value)


def test_what_is_no_table_of_the_store(tmp_path: Path) -> None:
    path = stored(tmp_path)
    assert "did you mean 'refunds'" in refused(path, "refnds")
    assert "is a result of a case" in refused(path, "stored_results.Order")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE TABLE t AS SELECT 1 AS id")
    assert "is not the store of this case" in refused(path, str(tmp_path / "other.duckdb"))
    assert "postgresql://me@host/db is not the store" in refused(path, "postgresql://me@host/db")


def test_a_store_that_is_in_use(tmp_path: Path) -> None:
    from support.command_line import started

    path = stored(tmp_path)
    hold = "import duckdb, time; c = duckdb.connect('shop.duckdb'); print('held', flush=True)"
    process = started(tmp_path, "--version", code=f"{hold}; time.sleep(60)")
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert "stored.yml:9:10" in refused(path, "refunds")
    finally:
        process.kill()
        process.communicate()


def test_tables_of_postgresql(tmp_path: Path, database: Database) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        for statement in TABLES:
            connection.execute(statement.format(series="generate_series").encode())
        connection.execute("CREATE SCHEMA crm")
        connection.execute(
            "CREATE TABLE crm.visits AS SELECT order_id AS visit_id, customer_id FROM orders"
        )
    path = tmp_path / "stored.yml"
    path.write_text(CASE.format(store=database.url))
    (tmp_path / "returns.csv").write_text(REFUNDS.replace("refund_id", "return_id"))
    case = miningflow.load(path, connect=path)
    found = case.add(["refunds", "Visit=crm.visits", str(tmp_path / "returns.csv")])
    assert found.concepts == {
        "Return": "returns.csv",
        "Refund": '"public"."refunds"',
        "Visit": '"crm"."visits"',
    }
    ends = {(each.from_table, each.to_table): each.matched for each in found.relations}
    assert ends["Refund", "Order"] == 50
    assert ends["Return", "Order"] == 39
    miningflow.load(path, connect=path).run(target=tmp_path / "target")
