"""A case on a PostgreSQL store: tables and files as sources, every command, and what goes wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from support.command_line import accepted, miningflow, refused, started
from support.postgres_stores import Database
from support.trusting import load_trusted

import miningflow as mf
from miningflow.errors import EngineError, RunError
from miningflow.store.opening import open_store

CASE = """\
case: example
about: Who leaves?
concepts:
  Person:
    key: id
    about: Everybody we know.
    holdout: {share: 0.3, seed: 1}
    features: {id: key, age: numeric, income: numeric, region: nominal, since: time, left: binary}
  Order:
    key: order_id
    features: {order_id: key, id: key, amount: numeric}
relations:
  orders_of: {from: Order.id, to: Person.id}
steps:
  with_orders:
    operator: AggregateByRelation
    input: Person
    relation: orders_of
    aggregates: {total: sum(amount), orders: count()}
  filled: {operator: AssignAverageValue, input: with_orders, target: income, materialize: view}
  known: {operator: AssignDefaultValue, input: filled, target: total, default: 0}
  grown: {operator: RowSelectionByQuery, input: known, where: "age > 20 and region like '%'"}
  chosen:
    operator: FeatureSelectionByScore
    input: grown
    target: left
    attributes: [age, income, total]
    keep: 2
  judged:
    operator: SupportVectorMachineForClassification
    input: chosen
    about: Will they leave? 100% sure we are not; it's a guess.
    target: left
    positive: 'yes'
    predictors: [age, income, total]
    kernel: radial
    C: 1
    output: risk
    materialize: table
  quality: {operator: ComputeSVMError, input: judged, actual: left, predicted: risk_label}
tests:
  a_mean_fills:
    step: filled
    given: {with_orders: [{id: 1, income: 10}, {id: 2, income: 30}, {id: 3}]}
    expect: [{id: 1, income: 10}, {id: 2, income: 30}, {id: 3, income: 20}]
connect:
  store: STORE
  concepts:
    Person: {table: crm.people, columns: {since: joined}}
    Order: {file: orders.csv}
"""


def people(count: int = 120) -> pa.Table:
    ages = [18 + i * 7 % 60 for i in range(count)]
    return pa.table(
        {
            "id": range(1, count + 1),
            "age": pa.array([None if i % 17 == 0 else a for i, a in enumerate(ages)], pa.int32()),
            "income": [None if i % 11 == 0 else 1000.5 + i * 37 % 500 for i in range(count)],
            "region": [("north", "süd", "o'st", None)[i % 4] for i in range(count)],
            "joined": pa.array([1_500_000_000_000_000 + i * 10**10 for i in range(count)],
                               pa.timestamp("us")),
            "left": ["yes" if i * 13 % 7 + a % 4 < 4 else "no" for i, a in enumerate(ages)],
        }
    )  # fmt: skip


def write(folder: Path, database: Database, text: str = CASE) -> Path:
    """Writes the case twice, for DuckDB and PostgreSQL, and puts the people into both stores."""
    pq.write_table(people(), folder / "people.parquet")
    orders = {"order_id": range(300), "id": [1 + i * 7 % 140 for i in range(300)]}
    pc.write_csv(pa.table({**orders, "amount": [i % 50 / 4 for i in range(300)]}),
                 folder / "orders.csv")  # fmt: skip
    (folder / "duckdb.yml").write_text(text.replace("STORE", "duckdb:///store.duckdb"))
    (folder / "case.yml").write_text(text.replace("STORE", database.url))
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS crm")
        connection.execute(
            f"CREATE OR REPLACE TABLE crm.people AS FROM '{folder / 'people.parquet'}'"
        )
    database.query("CREATE SCHEMA IF NOT EXISTS crm")
    database.query(
        "CREATE TABLE IF NOT EXISTS crm.people (id bigint, age integer, income numeric(8, 2), "
        "region varchar(9), joined timestamptz, \"left\" text)"
    )  # fmt: skip
    rows = people().to_pylist()
    listed = ", ".join("(" + ", ".join(_sql(v) for v in row.values()) + ")" for row in rows)
    database.query("TRUNCATE crm.people")
    database.query(f"INSERT INTO crm.people VALUES {listed}")
    return folder / "case.yml"


def _sql(value: Any) -> str:
    if value is None:
        return "NULL"
    written = str(value).replace("'", "''")
    return written if isinstance(value, int | float) else f"'{written}'"


@pytest.fixture
def case(tmp_path: Path, database: Database) -> Path:
    return write(tmp_path, database)


@pytest.fixture
def built(case: Path) -> Path:
    load_trusted(case).run()
    return case


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    def plain(value: Any) -> Any:
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return sorted([tuple(plain(v) for v in row) for row in rows], key=repr)


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return rounded([tuple(row.values()) for row in table.to_pylist()])


NULLS = pc.ConvertOptions(strings_can_be_null=True)


@pytest.mark.slow
def test_every_command_says_the_same_of_both_stores(case: Path, database: Database) -> None:
    folder = case.parent
    said: dict[str, list[Any]] = {}
    for name in ("duckdb.yml", "case.yml"):
        accepted(folder, "check", name, "--connect", name)
        outputs = [json.loads(accepted(folder, "plan", name, "--connect", name, "--json"))]
        report = json.loads(accepted(folder, "run", name, "--connect", name, "--json", "--test"))
        outputs += [report["dropped"], [(s["name"], s["rows"]) for s in report["stages"]]]
        assert "results: " in accepted(folder, "run", name, "--connect", name)
        outputs.append(json.loads(accepted(folder, "show", name, "--connect", name, "--json")))
        outputs.append(
            json.loads(accepted(folder, "test", name, "--connect", name, "--json"))["passed"]
        )
        outputs.append(json.loads(accepted(folder, "stats", name, "--connect", name, "--json")))
        outputs.append(
            sorted(
                json.loads(accepted(folder, "explain", name, "--connect", name, "--json"))["topics"]
            )
        )
        outputs.append(
            json.loads(accepted(folder, "compare", name, "--connect", name, "chosen", "--json"))
        )
        said[name] = [_without(o) for o in outputs]
    for found, expected in zip(said["case.yml"], said["duckdb.yml"], strict=True):
        assert found == expected
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        for name, found in database.results().items():
            expected = connection.execute(f'SELECT * FROM example_results."{name}"').fetchall()
            assert rounded(found) == rounded(expected), name
    accepted(folder, "clean", "case.yml", "--connect", "case.yml")
    assert database.objects() == set()
    assert database.query("SELECT count(*) FROM crm.people") == [(120,)]


def _without(output: Any) -> Any:
    """Leaves out what tells of the machine, and the digits after the ninth."""
    if isinstance(output, dict):
        left_out = ("seconds", "fingerprint", "reason", "computed", "store", "place", "file")
        return {k: _without(v) for k, v in output.items() if k not in left_out}
    if isinstance(output, list):
        return [_without(v) for v in output]
    return float(f"{output:.9g}") if isinstance(output, float) else output


def test_sql_is_printed_for_the_store(built: Path) -> None:
    folder = built.parent
    assert "DOUBLE PRECISION" in accepted(folder, "compile", "case.yml", "--connect", "case.yml")
    assert "LIST_" in accepted(
        folder, "compile", "case.yml", "--connect", "case.yml", "--dialect", "duckdb"
    )
    accepted(folder, "run", "case.yml", "--connect", "case.yml")
    assert "DOUBLE PRECISION" in (folder / "target/example/score.sql").read_text()


def test_new_rows_are_scored_from_files_and_tables(built: Path, database: Database) -> None:
    folder = built.parent
    new = people(40)
    pq.write_table(new, folder / "new.parquet")
    pc.write_csv(new.drop_columns(["left"]), folder / "new.csv")
    mf.load(folder / "duckdb.yml").run()
    expected = mf.load(folder / "duckdb.yml").score({"Person": folder / "new.parquet"})
    for given in ("new.parquet", "new.csv"):
        accepted(
            folder,
            "score",
            "case.yml",
            "--connect",
            "case.yml",
            "--input",
            f"Person={given}",
            "--output",
            "out.csv",
        )
        found = rows_of(pc.read_csv(folder / "out.csv", convert_options=NULLS))
        assert found == rows_of(expected)
    accepted(
        folder,
        "score",
        "case.yml",
        "--connect",
        "case.yml",
        "--input",
        "Person=crm.people",
        "--output",
        "crm.scores",
    )
    stored = dict(database.query("SELECT id, risk FROM example_results.judged"))
    scores = dict(database.query("SELECT id, risk FROM crm.scores"))
    assert {i: scores[i] for i in stored} == stored
    assert "table 'crm.scores' already exists" in refused(
        folder,
        "score",
        "case.yml",
        "--connect",
        "case.yml",
        "--input",
        "Person=crm.people",
        "--output",
        "crm.scores",
    )
    given = load_trusted(built).score({"Person": new})
    assert rows_of(given) == rows_of(expected)


def test_the_model_is_a_function_of_the_database(built: Path, database: Database) -> None:
    listed = database.query("SELECT function_name, parameters FROM miningflow.functions")
    parameters = dict(listed)["risk"]
    names = ", ".join(f'p."{name}"' for name in json.loads(parameters))
    wrong = database.query(
        f"SELECT count(*) FROM example_results.grown p JOIN example_results.judged j USING (id) "
        f"WHERE abs(example_results.risk({names}) - j.risk) > 1e-12 "
        f"OR (example_results.risk({names}) IS NULL) <> (j.risk IS NULL)"
    )
    assert wrong == [(0,)]
    database.query("CREATE VIEW public.mine AS SELECT id, risk FROM example_results.judged")
    load_trusted(built).run(full=True)  # who reads the results goes on reading them
    assert database.query("SELECT count(risk) > 50 FROM public.mine") == [(True,)]
    changed = built.read_text().replace("output: risk", "output: danger")
    built.write_text(changed.replace("predicted: risk_label", "predicted: danger_label"))
    before = database.results()
    with pytest.raises(EngineError, match=r"mine depends on view(?s:.*)nothing was changed"):
        load_trusted(built).run()
    assert database.results() == before
    database.query("DROP VIEW public.mine")
    load_trusted(built).run()
    functions = "SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace"
    found = database.query(f"{functions} WHERE nspname = 'example_results' ORDER BY 1")
    assert found == [("danger",), ("danger_label",)]
    assert database.leftovers() == set()


def test_objects_say_what_they_are(built: Path, database: Database) -> None:
    told = "SELECT obj_description('example_results.{}'::regclass)"
    assert database.query(told.format("judged")) == [
        (
            "step 'judged' of case 'example': SupportVectorMachineForClassification\n"
            "Will they leave? 100% sure we are not; it's a guess.",
        )
    ]
    assert database.query(told.format('"Person"')) == [
        ("concept 'Person' of case 'example'\nEverybody we know.",)
    ]


def test_only_what_changed_runs_again(built: Path, database: Database) -> None:
    assert load_trusted(built).run().run is None
    database.query("UPDATE crm.people SET income = 5000 WHERE id = 40")
    again = {s.name for s in load_trusted(built).run().stages if s.action == "run"}
    assert "judged" in again
    assert "Order" not in again
    shorter = built.read_text()
    built.write_text(re.sub(r"  judged:.*?tests:", "tests:", shorter, flags=re.DOTALL))
    load_trusted(built).run()
    assert {n for s, n in database.objects() if s == "example_results"} == {
        "Person", "Order", "with_orders", "filled", "known", "grown", "chosen"
    }  # fmt: skip
    assert database.leftovers() == set()
    assert list(load_trusted(built).bound.steps)[-1] == "chosen"


def test_failing_data_tests_leave_the_last_results(built: Path, database: Database) -> None:
    before = database.results()
    built.write_text(built.read_text() + "data_tests:\n  grown:\n  - expression: age > 30\n")
    said = refused(built.parent, "run", built.name, "--connect", built.name, "--test")
    assert "break" in said or "breaks" in said
    assert database.results() == before


def test_foreign_objects_are_refused(case: Path, database: Database) -> None:
    database.query("CREATE SCHEMA example_results")
    database.query("CREATE TABLE example_results.judged (mine integer)")
    with pytest.raises(RunError, match=r"already has a table example_results\.judged"):
        load_trusted(case).run()
    database.query("DROP TABLE example_results.judged")
    database.query("CREATE TABLE example_results.other (mine integer)")
    load_trusted(case).run()
    load_trusted(case).clean()
    assert database.objects() == {("example_results", "other")}


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("table: crm.people", "table: crm.peopel", r"case.yml:\d+:\d+: .*did you mean 'people'"),
        ("table: crm.people", "table: people", "there is no table 'people' in the store"),
        ("since: joined", "since: left", "is text, which does not fit"),
        ("{since: joined}", "{since: joined, age: AGE, id: nix}", "no column 'nix'"),
        ("{since: joined}", "{since: joined, id: age}", "key 'id' of Person is missing in 8 rows"),
        ("{since: joined}", "{since: joined, id: region}", "key 'id' of Person is missing in 30"),
        ("{since: joined}", "{since: joined, id: left}", "is not unique in crm.people: 'no'"),
        ("orders.csv", "people.parquet", "has no column 'order_id'"),
        ("case: example", f"case: {'long' * 14}", "the store allows 55"),
        ("  judged:", f"  {'ö' * 28}:", "the name of step 'ööö"),
        ("output: risk", f"output: {'r' * 64}", "has 64 bytes; the store allows 63"),
    ],
)
def test_mistakes_are_told_in_words(case: Path, wrong: str, right: str, said: str) -> None:
    text = case.read_text()
    assert wrong in text
    without = re.sub(r"  quality: .*\n", "", text)
    case.write_text(without.replace(wrong, right))
    found = miningflow(case.parent, "run", case.name, "--connect", case.name)
    assert found.code == 1, found
    assert re.search(said, found.err.replace("\n", " ")), found.err
    assert "Traceback" not in found.err


def test_columns_are_found_in_any_case(case: Path, database: Database) -> None:
    database.query('ALTER TABLE crm.people RENAME COLUMN age TO "AGE"')
    load_trusted(case).run()
    assert database.query('SELECT count(age) FROM example_results."Person"') == [(112,)]


def test_odd_names(tmp_path: Path, database: Database) -> None:
    pc.write_csv(pa.table({"Nr. %s": [1, 2, 3], 'it"s': [1.5, None, 3.0]}), tmp_path / "ö ' %.csv")
    (tmp_path / "case.yml").write_text(
        f"""\
case: "Käse % 'x'"
concepts:
  "Ding $m0$": {{key: "Nr. %s", features: {{"Nr. %s": key, "it\\"s": numeric}}}}
steps:
  "füll' %d \\"": {{operator: AssignAverageValue, input: "Ding $m0$", target: "it\\"s"}}
connect:
  store: {database.url}
  concepts: {{"Ding $m0$": {{file: "ö ' %.csv"}}}}
""",
        encoding="utf-8",
    )
    case = load_trusted(tmp_path / "case.yml")
    case.run()
    found = case.table("füll' %d \"")
    assert found.column('it"s').to_pylist() == [1.5, 2.25, 3.0]
    case.clean()
    schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'K%'"
    assert database.query(schemas) == [(0,)]


def test_a_table_without_rows_is_refused_and_a_new_one_scored(
    built: Path, database: Database
) -> None:
    database.query("CREATE TABLE crm.nobody AS SELECT * FROM crm.people WHERE false")
    assert load_trusted(built).score({"Person": "crm.nobody"}).num_rows == 0
    database.query("TRUNCATE crm.people")
    before = database.results()
    with pytest.raises(RunError, match=r"crm\.people has no rows"):
        load_trusted(built).run()
    assert database.results()["judged"] == before["judged"]


def test_a_repository_may_lie_elsewhere(case: Path, database: Database) -> None:
    text = case.read_text().replace("connect:\n", "connect:\n  repository: sqlite:///r.db\n")
    case.write_text(text)
    load_trusted(case).run()
    load_trusted(case).run(full=True)
    assert load_trusted(case).run().run is None
    assert database.query("SELECT count(*) FROM pg_namespace WHERE nspname = 'miningflow'") == [
        (0,)
    ]
    load_trusted(case).clean()
    assert database.objects() == set()


def test_a_password_is_neither_kept_nor_shown(
    case: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_PASSWORD", "p@ss/w%rd")
    user, rest = re.fullmatch(r"postgresql://([^:@]+)(?::[^@]*)?@(.*)", database.url).groups()  # type: ignore[union-attr]  # the address matches
    url = f"postgresql://{user}:${{MY_PASSWORD}}@{rest}"
    case.write_text(case.read_text().replace(database.url, url))
    out = accepted(case.parent, "run", case.name, "--connect", case.name)
    assert "results: postgresql://" in out
    dumped = str(out) + accepted(case.parent, "run", case.name, "--connect", case.name, "--json")
    for table in ("runs", "builds", "cases", "concepts", "file_versions"):
        dumped += str(database.query(f"SELECT * FROM miningflow.{table}"))
    assert "p@ss" not in dumped
    assert "p%40ss" not in dumped


def waiting(database: Database, condition: str) -> None:
    """Waits until some connection of MiningFlow is doing something."""
    deadline = time.monotonic() + 60
    while not database.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
        f"AND application_name LIKE 'miningflow%' AND {condition}"
    ):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def slow(database: Database, query: str) -> None:
    """Makes the people a view that takes a minute to read, for queries that begin like this."""
    database.query("ALTER TABLE crm.people RENAME TO persons")
    database.query(
        "CREATE VIEW crm.people AS SELECT * FROM crm.persons WHERE CASE "
        f"WHEN current_query() LIKE '{query}%' THEN pg_sleep(0.5)::text IS NOT NULL ELSE true END"
    )


PLANNING = "SELECT count(*), sum(CAST(hashtextextended("
BUILDING = 'SELECT count(*) FROM "example_built"."Person__2"'


@pytest.mark.parametrize("query", [PLANNING, BUILDING])
@pytest.mark.slow
def test_interrupting_a_run_cancels_its_statement(
    built: Path, database: Database, query: str
) -> None:
    before = database.results()
    slow(database, query)
    process = started(built.parent, "run", built.name, "--connect", built.name, "--full")
    waiting(database, f"state = 'active' AND query LIKE '{query}%'")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted; published results are unchanged" in err
    assert "Traceback" not in err
    asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    assert database.query(asleep) == [(0,)]
    assert database.results() == before


@pytest.mark.slow
def test_a_killed_run_leaves_the_last_results(built: Path, database: Database) -> None:
    before = database.results()
    slow(database, BUILDING)
    process = started(built.parent, "run", built.name, "--connect", built.name, "--full")
    waiting(database, f"state = 'active' AND query LIKE '{BUILDING}%'")
    process.kill()
    process.communicate()
    assert database.results() == before
    report = load_trusted(built).run(wait=30)
    assert report.run == 3
    assert database.results() == before
    assert database.leftovers() == set()
    statuses = database.query("SELECT status FROM miningflow.runs ORDER BY run")
    assert statuses == [("done",), ("interrupted",), ("done",)]


@pytest.mark.slow
def test_a_server_that_goes_away_is_told_and_nothing_is_lost(
    built: Path, database: Database
) -> None:
    before = database.results()
    slow(database, BUILDING)
    process = started(built.parent, "run", built.name, "--connect", built.name, "--full")
    waiting(database, f"state = 'active' AND query LIKE '{BUILDING}%'")
    database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
        "current_database() AND application_name LIKE 'miningflow%'"
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "Traceback" not in err
    assert "the connection to PostgreSQL was lost" in err
    assert "published results are unchanged" in err
    assert database.results() == before
    assert load_trusted(built).run(wait=30).run == 3
    assert database.leftovers() == set()


@pytest.mark.slow
def test_two_runs_at_once(built: Path, database: Database) -> None:
    project = load_trusted(built)
    with open_store(project.bound.case, project.connection):
        said = refused(built.parent, "run", built.name, "--connect", built.name)
        assert re.search(r"case.yml:\d+:\d+: error: case 'example' is in use by miningflow", said)
        waiter = started(built.parent, "run", built.name, "--connect", built.name, "--wait", "60")
        waiting(database, "query LIKE '%pg_try_advisory_lock%' AND state = 'idle'")
        # who only reads, or scores, need not wait
        assert load_trusted(built).table("judged").num_rows > 0
        assert load_trusted(built).score(step="judged").num_rows > 0
        assert waiter.poll() is None
    _, err = waiter.communicate(timeout=120)
    assert waiter.returncode == 0, err


@pytest.mark.slow
def test_a_server_that_goes_away_while_a_run_waits_for_another(
    built: Path, database: Database
) -> None:
    project = load_trusted(built)
    with open_store(project.bound.case, project.connection):
        waiter = started(built.parent, "run", built.name, "--connect", built.name, "--wait", "60")
        asking = (
            "query LIKE '%pg_try_advisory_lock%' AND state = 'idle' "
            "AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
        )
        waiting(database, asking)
        database.query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {asking}")
        _, err = waiter.communicate(timeout=120)
    assert waiter.returncode == 1, err
    assert "the connection to PostgreSQL was lost" in err


@pytest.mark.slow
def test_two_cases_at_once(case: Path, database: Database) -> None:
    other = case.with_name("other.yml")
    other.write_text(case.read_text().replace("case: example", "case: other"))
    processes = [
        started(case.parent, "run", path.name, "--connect", path.name) for path in (case, other)
    ]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    runs = database.query("SELECT run, status FROM miningflow.runs ORDER BY run")
    assert runs == [(1, "done"), (2, "done")]
    assert rounded(database.results("other")["judged"]) == rounded(database.results()["judged"])


MACHINES = """\
case: machines
concepts:
  Row: {key: id, features: {id: key, x: numeric, y: numeric, g: nominal, c: binary, n: numeric}}
steps:
  linear: {operator: SupportVectorMachineForClassification, input: Row, target: c, positive: 'yes',
    predictors: [x, y, g], kernel: linear, use_db_svm: always, output: risk}
  radial: {operator: SupportVectorMachineForClassification, input: Row, target: c, positive: 'yes',
    predictors: [x, y, g], kernel: radial, use_db_svm: always, output: risk}
  number: {operator: SupportVectorMachineForRegression, input: Row, target: n,
    predictors: [x, y, g], kernel: linear, use_db_svm: always, output: found}
connect:
  store: STORE
  concepts: {Row: {file: rows.parquet}}
"""


def test_machines_learn_in_the_database(tmp_path: Path, database: Database) -> None:
    rng = np.random.default_rng(1)
    x, y, g = rng.normal(50, 10, 800), rng.normal(-3, 0.01, 800), rng.choice(["a", "b's"], 800)
    n = (x - 50) / 10 + (y + 3) * 100 - (g == "a") + rng.normal(size=800) / 2
    columns = {"id": np.arange(800), "x": x, "y": y, "g": g, "n": n}
    pq.write_table(
        pa.table({**columns, "c": np.where(n > 0, "yes", "no")}), tmp_path / "rows.parquet"
    )
    found = {}
    for number, url in enumerate(("duckdb:///store.duckdb", database.url)):
        path = tmp_path / f"{number}.yml"
        path.write_text(MACHINES.replace("STORE", url))
        report = load_trusted(path).run()
        assert sum("in the database" in note for s in report.stages for note in s.notes) == 3
        found[number] = {n: load_trusted(path).table(n) for n in ("linear", "radial", "number")}
    for name, expected in found[0].items():
        assert rows_of(found[1][name]) == rows_of(expected), name


def test_a_role_that_may_not_make_schemas_is_told(case: Path, database: Database) -> None:
    role = f"reader_{os.getpid()}"
    database.query(f"CREATE ROLE {role} LOGIN")
    try:
        database.query(f"GRANT USAGE ON SCHEMA crm TO {role}")
        database.query(f"GRANT SELECT ON crm.people TO {role}")
        url = sa.make_url(database.url).set(username=role).render_as_string(hide_password=False)
        case.write_text(case.read_text().replace(database.url, url))
        said = refused(case.parent, "run", case.name, "--connect", case.name)
        assert re.search(r"case.yml:\d+:\d+: error: .*permission denied for database", said)
    finally:
        database.query(f"DROP OWNED BY {role}")
        database.query(f"DROP ROLE {role}")
