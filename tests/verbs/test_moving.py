"""`move` takes a case to another store: its sources and what it learned, without learning again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import accepted, refused
from support.postgres_stores import Database
from support.stores import change, query, results

import miningflow as mf
from miningflow.store.opening import open_store
from miningflow.store.stored_builds import stored_builds

CASE = """\
case: shop
concepts:
  Customer:
    key: id
    holdout: {share: 0.25, seed: 1}
    features: {id: key, age: numeric, income: numeric, "na me": nominal, seen: time, left: binary}
  Visit:
    key: visit_id
    features: {visit_id: key, id: key, spent: numeric}
relations:
  visits_of: {from: Visit.id, to: Customer.id}
steps:
  spending:
    operator: AggregateByRelation
    input: Customer
    relation: visits_of
    aggregates: {spent: sum(spent)}
  filled: {operator: AssignAverageValue, input: spending, target: income}
  complete: {operator: AssignDefaultValue, input: filled, target: spent, default: 0}
  best:
    operator: FeatureSelectionByScore
    input: complete
    target: left
    attributes: [age, income, spent]
    score: fisher
    keep: 2
  judged:
    operator: SupportVectorMachineForClassification
    input: best
    target: left
    positive: 'yes'
    predictors: [age, income, spent]
    kernel: radial
    C: 1
    output: risk
    materialize: table
connect:
  store: duckdb:///store.duckdb
  concepts:
    Customer: {table: '"cus tomers"', columns: {left: "has left"}}
    Visit: {file: visits.csv}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A case that has run on DuckDB, over a table and a file."""
    (tmp_path / "shop.yml").write_text(CASE, encoding="utf-8")
    (tmp_path / "visits.csv").write_text(
        "visit_id,id,spent\n" + "".join(f"{i},{i % 50 + 1},{i % 13}.5\n" for i in range(200)),
        encoding="utf-8",
    )
    change(
        tmp_path / "store.duckdb",
        """CREATE TABLE "cus tomers" AS SELECT i AS id, 20 + (i * 7) % 40 AS age,
        CASE WHEN i % 9 > 0 THEN (i * 37) % 11 + 0.25 END AS income,
        ['Ä', 'b', 'c"d', 'é''', NULL][i % 5 + 1] AS "na me",
        TIMESTAMP '2024-02-29 23:59:59.5' + to_hours(i) AS seen,
        CASE WHEN (i * 7) % 40 > 20 THEN 'yes' ELSE 'no' END AS "has left"
        FROM range(1, 81) t(i)""",
    )
    mf.load(tmp_path / "shop.yml").run()
    return tmp_path


@pytest.fixture
def connected(folder: Path, database: Database) -> Path:
    """A connection file to PostgreSQL, where the table and its columns are called otherwise."""
    path = folder / "server.yml"
    path.write_text(
        f"store: {database.url}\n"
        "concepts:\n"
        "  Customer: {table: public.people, columns: {age: years}}\n"
        "  Visit: {table: visits}\n",
        encoding="utf-8",
    )
    return path


def learned(path: Path, connect: Path | None = None) -> dict[str, Any]:
    """Returns what every step has learned, as it is stored."""
    project = mf.load(path, connect)
    with open_store(project.bound.case, project.connection, read_only=True) as store:
        stored = stored_builds(project.bound.name, store.repository)
        return {
            step.name: repr(stored.artifact(step))
            for step in project.bound.steps.values()
            if step.learns is not None
        }


def test_a_case_scores_on_postgresql_without_learning_there(
    folder: Path, connected: Path, database: Database
) -> None:
    said = accepted(folder, "move", "shop.yml", "--to", connected)
    assert "Customer: copied, 80 rows (public.people)" in said
    assert "Visit: copied, 200 rows (visits)" in said
    assert "taken over: filled, best, judged" in said
    here, there = mf.load(folder / "shop.yml"), mf.load(folder / "shop.yml", connected)
    assert learned(folder / "shop.yml", connected) == learned(folder / "shop.yml")
    one, other = ({r["id"]: r for r in case.score().to_pylist()} for case in (here, there))
    assert one.keys() == other.keys()
    for key, row in one.items():
        assert other[key]["risk_label"] == row["risk_label"]
        assert other[key]["risk"] == pytest.approx(row["risk"], rel=1e-9)
    notes = dict(database.query("SELECT step, notes FROM miningflow.builds"))
    assert notes["judged"] == "learned elsewhere: duckdb:///store.duckdb"
    assert there.run().run is None, "a run after that has nothing to do"
    columns = database.query(
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_name = 'people' ORDER BY ordinal_position"
    )
    assert columns == [
        ("id", "bigint"), ("years", "double precision"), ("income", "double precision"),
        ("na me", "text"), ("seen", "timestamp without time zone"), ("left", "text"),
    ]  # fmt: skip


def test_nothing_changes_where_it_comes_from(folder: Path, connected: Path) -> None:
    before = (results(folder / "store.duckdb", "shop"), learned(folder / "shop.yml"))
    runs = query(folder / "store.duckdb", "SELECT * FROM miningflow.runs")
    accepted(folder, "move", "shop.yml", "--to", connected)
    assert (results(folder / "store.duckdb", "shop"), learned(folder / "shop.yml")) == before
    assert query(folder / "store.duckdb", "SELECT * FROM miningflow.runs") == runs


def test_a_store_alone_gets_tables_of_the_same_name_and_reads_the_same_files(
    folder: Path, database: Database
) -> None:
    found = json.loads(accepted(folder, "move", "shop.yml", "--to", database.url, "--json"))
    assert [(s["concept"], s["happened"]) for s in found["sources"]] == [
        ("Customer", "copied"), ("Visit", "loaded from files"),
    ]  # fmt: skip
    assert database.query('SELECT count(*), count("has left") FROM "cus tomers"') == [(80, 80)]


def test_moving_again_copies_and_learns_nothing(folder: Path, connected: Path) -> None:
    accepted(folder, "move", "shop.yml", "--to", connected)
    said = accepted(folder, "move", "shop.yml", "--to", connected)
    assert "Customer: already there, 80 rows" in said
    assert "taken over: nothing, it was there already" in said
    assert "0 stages computed there" in said


def test_back_from_postgresql_to_another_duckdb(
    folder: Path, connected: Path, database: Database
) -> None:
    accepted(folder, "move", "shop.yml", "--to", connected)
    back = folder / "back.yml"
    back.write_text(
        "store: duckdb:///back.duckdb\nconcepts:\n"
        "  Customer: {table: people}\n  Visit: {table: visits}\n",
        encoding="utf-8",
    )
    accepted(folder, "move", "shop.yml", "--from", connected, "--to", back)
    first, last = (results(folder / f"{name}.duckdb", "shop") for name in ("store", "back"))
    assert last["Customer"] == first["Customer"]
    assert last["Visit"] == first["Visit"]
    assert learned(folder / "shop.yml", back) == learned(folder / "shop.yml")


def test_rows_that_are_there_and_differ_are_refused_unless_they_are_meant(
    folder: Path, connected: Path, database: Database
) -> None:
    accepted(folder, "move", "shop.yml", "--to", connected)
    accepted(folder, "clean", "shop.yml", "--connect", connected)
    database.query("DELETE FROM people WHERE id > 60")
    database.query("UPDATE people SET years = 99 WHERE id = 3")
    said = refused(folder, "move", "shop.yml", "--to", connected)
    assert "server.yml:3:21: error:" in said
    assert "table 'public.people' on postgresql://" in said
    assert ": 21 differ" in said
    assert "--keep-rows" in said
    assert database.objects("shop") == set()
    said = accepted(folder, "move", "shop.yml", "--to", connected, "--keep-rows")
    assert "Customer: kept (public.people)" in said
    assert learned(folder / "shop.yml", connected) == learned(folder / "shop.yml")
    assert database.query("SELECT count(*) FROM shop_results.judged") == [(60,)]


@pytest.mark.slow
def test_what_another_store_has_learned_itself_is_not_lost(
    folder: Path, connected: Path, database: Database
) -> None:
    accepted(folder, "move", "shop.yml", "--to", connected)
    change(folder / "store.duckdb", 'UPDATE "cus tomers" SET income = 1 WHERE id < 40')
    mf.load(folder / "shop.yml").run()
    said = refused(folder, "move", "shop.yml", "--to", connected, "--keep-rows")
    assert "has learned something different on postgresql://" in said
    assert "run `miningflow clean` there first" in said


def test_a_case_that_has_not_learned_cannot_be_moved(folder: Path, connected: Path) -> None:
    text = (folder / "shop.yml").read_text(encoding="utf-8")
    (folder / "shop.yml").write_text(text.replace("C: 1", "C: 2"), encoding="utf-8")
    said = refused(folder, "move", "shop.yml", "--to", connected)
    assert "step 'judged' was changed since it learned on duckdb:///store.duckdb" in said
    assert "run the case there first" in said
    (folder / "store.duckdb").unlink()
    assert "there is nothing to move yet" in refused(folder, "move", "shop.yml", "--to", connected)


def test_the_same_store_and_a_missing_schema_are_refused(folder: Path, database: Database) -> None:
    said = refused(folder, "move", "shop.yml", "--to", "duckdb:///store.duckdb")
    assert "is named twice" in said
    other = folder / "other.yml"
    other.write_text(
        f"store: {database.url}\nconcepts:\n"
        "  Customer: {table: sales.people}\n  Visit: {file: visits.csv}\n",
        encoding="utf-8",
    )
    said = refused(folder, "move", "shop.yml", "--to", other)
    assert "other.yml:3:21: error:" in said
    assert "has no schema 'sales'" in said


def test_a_table_without_rows_is_copied_with_its_columns(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(
        "case: none\nconcepts:\n  A: {key: k, features: {k: key, x: numeric, w: nominal}}\n"
        "  B: {key: k, features: {k: key, y: numeric}}\n"
        "steps:\n  both: {operator: UnionByKey, concepts: [A, B], materialize: view}\n"
        "connect:\n  store: duckdb:///a.duckdb\n"
        "  concepts: {A: {table: a}, B: {table: b}}\n",
        encoding="utf-8",
    )
    change(
        tmp_path / "a.duckdb",
        "CREATE TABLE a AS SELECT 1 AS k, 2.0 AS x, 'w' AS w",
        "CREATE TABLE b (k INTEGER, y DOUBLE)",
    )
    change(tmp_path / "a.duckdb", "INSERT INTO b VALUES (1, NULL)")
    mf.load(tmp_path / "case.yml").run()
    change(tmp_path / "a.duckdb", "DELETE FROM b")
    said = refused(tmp_path, "move", "case.yml", "--to", "duckdb:///b.duckdb")
    assert "b has no rows" in said
    assert query(tmp_path / "b.duckdb", "SELECT count(k), count(y) FROM b") == [(0, 0)]


@pytest.mark.slow
def test_a_crash_leaves_whole_tables_and_the_next_move_goes_on(
    folder: Path, connected: Path, database: Database
) -> None:
    """A column that PostgreSQL cannot take ends the second copy; the first is whole."""
    accepted(folder, "move", "shop.yml", "--to", connected)
    accepted(folder, "clean", "shop.yml", "--connect", connected)
    database.query("DROP TABLE visits")
    database.query("ALTER TABLE people RENAME TO saved")
    database.query("CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS "
                   "$$ BEGIN IF EXISTS (SELECT 1 FROM pg_class WHERE relname = 'visits') "
                   "THEN RAISE 'disk full'; END IF; END $$")  # fmt: skip
    database.query("CREATE EVENT TRIGGER no ON ddl_command_end EXECUTE FUNCTION no()")
    said = refused(folder, "move", "shop.yml", "--to", connected)
    assert "disk full" in said
    database.query("DROP EVENT TRIGGER no")
    assert database.query("SELECT count(*) FROM people") == [(80,)]
    assert database.query("SELECT count(*) FROM pg_class WHERE relname = 'visits'") == [(0,)]
    said = accepted(folder, "move", "shop.yml", "--to", connected)
    assert "Customer: already there" in said
    assert "Visit: copied" in said
