"""A repository that others wrote to: one message with the step, nothing foreign dropped."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from support import example_data
from support.command_line import accepted, miningflow, refused
from support.default_run import first_only
from support.stores import HELD_OUT, TWO_FILES, change, objects, query, results

STEPS = """
  filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: table}
  judged:
    operator: SupportVectorMachineForClassification
    input: filled
    target: lapsed
    positive: 'yes'
    predictors: [age, income, region]
    kernel: radial
    output: risk
"""
DID_NOT_WRITE = "error: the repository holds something that MiningFlow did not write: "
ARTIFACTS = "UPDATE miningflow.artifacts SET"
JUDGED = "WHERE step = 'judged'"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ran")
    example_data.write(folder, example_data.tables())
    case = f"case: example\nscoring: judged\n{HELD_OUT}\nsteps:{STEPS}\n{TWO_FILES}"
    (folder / "case.yml").write_text(case)
    accepted(folder, "run", "case.yml")
    return folder


@pytest.fixture
def folder(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "case", ignore=shutil.ignore_patterns("target"))
    return tmp_path / "case"


def altered(folder: Path, sql: str, *values: object) -> None:
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute(sql, list(values))


def content(folder: Path, *path: str | int, value: object) -> None:
    """Changes one place in the artifact of the machine."""
    [(text,)] = query(folder / "store.duckdb", f"SELECT content FROM miningflow.artifacts {JUDGED}")
    document = json.loads(text)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    altered(folder, f"{ARTIFACTS} content = ? {JUDGED}", json.dumps(document))


def two_batches() -> bytes:
    sink = pa.BufferOutputStream()
    batch = pa.record_batch([pa.array([1, 2])], names=["0"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    stored: bytes = sink.getvalue().to_pybytes()
    return stored


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["machine", "model", "kernel", "gamma"], float("nan"), "machine.model.kernel.gamma: exp"),
        (["machine", "model", "kernel", "is"], "Tree", "expected a known class, got 'Tree'"),
        (["machine", "model", "support", "shape"], [1, 1], "machine.model.support: not an array"),
        (["machine", "model", "support", "array"], 99, "not an array"),
        (["encoding", "predictors"], [], "no predictors, or one twice"),
        (["encoding", "predictors", 0, "name"], "nobody", "the artifact of step 'judged'"),
        (["encoding", "predictors", 0, "name"], "\ud800", "a text with half a character"),
        (["filling"], {"x": {}}, "filling.x: expected a text"),
        (["rows"], "many", "rows: expected a number, got 'many'"),
        (["rows"], 10**30, "rows: expected a number of 64 bits"),
        (["machine"], [], "machine: expected a Machine"),
    ],
)
def test_an_artifact_is_read_against_its_type(
    folder: Path, path: list[str | int], value: object, reason: str
) -> None:
    content(folder, *path, value=value)
    said = refused(folder, "score", "case.yml")
    assert said.startswith(f"{DID_NOT_WRITE}the artifact of step 'judged' (")
    assert reason in said
    assert "run again with --full" in said


@pytest.mark.parametrize(
    ("sql", "value"),
    first_only(
        [
            (f"{ARTIFACTS} content = ? {JUDGED}", "[" * 200_000),
            (f"{ARTIFACTS} content = ? {JUDGED}", "no JSON"),
            (f"{ARTIFACTS} content = ? {JUDGED}", None),
            (f"{ARTIFACTS} arrays = ? {JUDGED}", b"no arrow"),
            (f"{ARTIFACTS} arrays = ? {JUDGED}", two_batches()),
            (f"UPDATE miningflow.builds SET recipe = ? {JUDGED}", "{}"),
            (
                "UPDATE miningflow.builds SET recipe = replace(recipe, ?, 'GroupBy')",
                "LinearScaling",
            ),
            (f"UPDATE miningflow.builds SET object_name = ? {JUDGED}", "precious"),
            (f"UPDATE miningflow.builds SET status = ? {JUDGED}", "finished"),
            ("UPDATE miningflow.runs SET run = ?", 2**63 - 1),
            ("UPDATE miningflow.runs SET started = ?", None),
            ("DELETE FROM miningflow.runs WHERE run <> ?", 0),
        ],
        4,
    ),
)
def test_a_full_run_replaces_what_others_wrote(folder: Path, sql: str, value: object) -> None:
    expected = results(folder / "store.duckdb")
    altered(folder, sql, value)
    said = miningflow(folder, "run", "case.yml")
    if value not in ("LinearScaling", 0):
        assert said.code == 1
        assert said.err.strip().splitlines()[-2].startswith(DID_NOT_WRITE)
    accepted(folder, "run", "case.yml", "--full")
    assert results(folder / "store.duckdb") == expected
    assert "3 of" not in accepted(folder, "run", "case.yml")  # nothing is built again


CLAIMS = [
    ("main", "precious", "table", 1),
    ("main", "", "schema", 1),
    ("example_results", "precious", "table", 1),
    ("example_results", "mine", "view", 1),
    ("example_built", "precious", "table", 1),
    ("EXAMPLE_built", "precious", "table", 1),
]


@pytest.mark.parametrize("command", [["clean"], ["run"], ["run", "--full"]])
def test_what_the_case_did_not_make_stays(folder: Path, command: list[str]) -> None:
    store = folder / "store.duckdb"
    precious = [
        ("main", "precious"),
        ("example_results", "precious"),
        ("example_built", "precious"),
    ]
    change(store, *(f"CREATE TABLE {s}.{n} AS SELECT 42 AS x" for s, n in precious))
    change(store, "CREATE VIEW example_results.mine AS SELECT * FROM main.precious")
    for claim in CLAIMS:
        altered(folder, "INSERT INTO miningflow.objects VALUES ('example', ?, ?, ?, ?)", *claim)
    text = (folder / "case.yml").read_text()
    (folder / "case.yml").write_text(text.replace("kernel: radial", "kernel: linear"))
    accepted(folder, command[0], "case.yml", *command[1:])
    for schema, name in [*precious, ("example_results", "mine")]:
        assert query(store, f"SELECT x FROM {schema}.{name}") == [(42,)]
    accepted(folder, "clean", "case.yml")
    left = {("example_results", "precious"), ("example_results", "mine")}
    assert objects(store) == left | {("example_built", "precious")}
    assert query(store, "SELECT count(*) FROM miningflow.objects") == [(0,)]


def test_a_view_that_others_put_in_the_place_of_a_result_is_not_replaced(folder: Path) -> None:
    change(
        folder / "store.duckdb", "CREATE OR REPLACE VIEW example_results.judged AS SELECT 42 AS x"
    )
    said = refused(folder, "run", "case.yml", "--full")
    assert "the store already has a view example_results.judged that this case did not make" in said
    accepted(folder, "clean", "case.yml")
    assert query(folder / "store.duckdb", "SELECT * FROM example_results.judged") == [(42,)]


def test_two_cases_that_differ_in_case(folder: Path) -> None:
    """To DuckDB their schemas are one, so the second is refused, and both can be cleaned."""
    text = (folder / "case.yml").read_text()
    (folder / "other.yml").write_text(text.replace("case: example", "case: Example"))
    said = refused(folder, "run", "other.yml")
    assert "the store already has a case 'example', and this one is called 'Example'" in said
    # what an earlier MiningFlow left when it ran both
    store = folder / "store.duckdb"
    change(store, 'CREATE TABLE "Example_built"."kept__2" AS SELECT 1 AS x')
    for name, kind in (("kept__2", "table"), ("", "schema")):
        entry = ("Example_built", name, kind, 2)
        altered(folder, "INSERT INTO miningflow.objects VALUES ('Example', ?, ?, ?, ?)", *entry)
    assert "dropped table Example_built.kept__2" in accepted(folder, "clean", "other.yml")
    assert ("example_built", "filled__1") in objects(store)
    accepted(folder, "run", "case.yml")
    accepted(folder, "clean", "case.yml")
    assert objects(store) == set()


def test_a_repository_cut_off_while_it_was_made_is_finished(folder: Path) -> None:
    text = (folder / "case.yml").read_text()
    case = text.replace("  concepts:\n    Customer: {file", "  repository: sqlite:///repository.db\n"
                        "  concepts:\n    Customer: {file")  # fmt: skip
    (folder / "case.yml").write_text(case.replace("store.duckdb", "new.duckdb"))
    with sqlite3.connect(folder / "repository.db") as connection:
        connection.execute("CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT)")
    accepted(folder, "plan", "case.yml")
    accepted(folder, "run", "case.yml")


@pytest.mark.parametrize("size", [12, 4096, 10_000])
def test_a_store_cut_off_while_it_was_made_says_what_to_do(folder: Path, size: int) -> None:
    store = folder / "store.duckdb"
    store.write_bytes(store.read_bytes()[:size])
    said = refused(folder, "run", "case.yml")
    assert "it was cut off while it was made and holds nothing: delete it and run again" in said
    store.unlink()
    accepted(folder, "run", "case.yml")


def test_a_view_in_the_place_of_a_table_is_named(folder: Path) -> None:
    altered(folder, "DROP TABLE miningflow.objects")
    altered(folder, "CREATE VIEW miningflow.objects AS SELECT 1 AS x")
    said = refused(folder, "run", "case.yml", "--full")
    assert 'View with name "objects" already exists' in said
    assert "use another store" in said
