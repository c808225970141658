"""The repository knows what every case is, what was learned, and what was built."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sa
from conftest import WriteCase
from support.stores import HELD_OUT, TWO_FILES, change, objects, query, ran, results

import miningflow
from miningflow.errors import EngineError, RunError

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income}
slim:
  operator: FeatureSelectionByAttributes
  input: filled
  drop: [household]
judged:
  operator: SupportVectorMachineForClassification
  input: slim
  target: lapsed
  positive: 'yes'
  predictors: [age, income, household]
  kernel: radial
  output: risk
  materialize: table
scaled: {operator: LinearScaling, input: filled, target: age}
scaled_more: {operator: LinearScaling, input: scaled, target: income}
"""
APART = TWO_FILES.replace("  concepts:", "  repository: sqlite:///repo.sqlite\n  concepts:")


@pytest.fixture
def case(write_case: WriteCase) -> Path:
    return write_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


def test_the_conceptual_level(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    assert query(store, "SELECT case_name, path FROM miningflow.cases") == [("example", str(case))]
    concepts = {
        name: (made_by, key)
        for name, made_by, key in query(
            store, "SELECT concept, made_by, key_feature FROM miningflow.concepts"
        )
    }
    assert concepts["Customer"] == ("source", "customer_id")
    assert concepts["filled"] == ("AssignAverageValue", "customer_id")
    assert set(concepts) == {
        "Customer", "Claim", "filled", "slim", "judged", "scaled", "scaled_more"
    }  # fmt: skip
    features = query(
        store,
        "SELECT feature, type FROM miningflow.features WHERE concept = 'judged' ORDER BY position",
    )
    assert dict(features)["household"] == "numeric"  # deselected, yet conceptually there
    assert features[-2:] == [("risk", "numeric"), ("risk_label", "binary")]


def test_the_relational_level(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    sets = {
        concept: (schema, name, kind)
        for concept, schema, name, kind in query(
            store, "SELECT concept, schema_name, object_name, kind FROM miningflow.column_sets"
        )
    }
    assert sets["judged"] == ("example_built", "judged__1", "table")
    assert sets["slim"] == ("example_built", "slim__1", "view")
    assert "scaled" not in sets  # fused into scaled_more
    assert {(schema, name) for schema, name, _ in sets.values()} <= objects(store)
    for concept, (schema, name, _) in sets.items():
        known = query(
            store, f"SELECT column_name FROM miningflow.columns WHERE concept = '{concept}'"
        )
        there = query(
            store,
            f"SELECT column_name FROM duckdb_columns() WHERE schema_name = '{schema}' "
            f"AND table_name = '{name}'",
        )
        assert set(known) == set(there), concept
    gone = query(store, "SELECT concept, feature, by_step, reason FROM miningflow.deselections")
    assert sorted(gone) == [
        ("judged", "household", "slim", "selected by hand"),
        ("slim", "household", "slim", "selected by hand"),
    ]


def test_runs_builds_artifacts_and_objects(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    run = query(store, "SELECT run, status, started <= ended, message FROM miningflow.runs")
    assert run == [(1, "done", True, "")]
    builds = query(store, "SELECT step, status, row_count FROM miningflow.builds ORDER BY step")
    assert {status for _, status, _ in builds} == {"published"}
    assert ("judged", "published", 60) in builds
    assert ("scaled", "published", None) in builds
    listed = query(
        store,
        "SELECT schema_name, object_name FROM miningflow.objects WHERE kind IN ('table', 'view')",
    )
    assert set(listed) == objects(store)
    kinds = dict(query(store, "SELECT step, kind FROM miningflow.artifacts"))
    assert kinds == {
        "filled": "Average",
        "slim": "Selection",
        "judged": "SavedMachine",
        "scaled": "Range",
        "scaled_more": "Range",
    }


def test_artifacts_are_json_and_arrow(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    for content, arrays in query(store, "SELECT content, arrays FROM miningflow.artifacts"):
        assert json.loads(content)["is"]
        if arrays:
            assert pa.ipc.open_stream(bytes(arrays)).read_all().num_rows == 1


def test_no_pickle_anywhere() -> None:
    root = Path(miningflow.__file__).parent
    files = [*root.rglob("*.py"), *(root.parent / "operators").glob("*.py")]
    assert len(files) > 80
    for file in files:
        text = file.read_text()
        for word in ("import pickle", "import cloudpickle", "import joblib", "import shelve",
                     "from pickle", "from joblib", "from marshal", "import marshal"):  # fmt: skip
            assert word not in text, f"{word} in {file}"


@pytest.mark.slow
def test_old_builds_are_forgotten(case: Path, store: Path) -> None:
    text = case.read_text()
    for target in ("age", "income", "household", "age"):
        case.write_text(text.replace("filled, target: age", f"filled, target: {target}"))
        miningflow.load(case).run(full=True)
    for table in ("builds", "artifacts"):
        counted = query(store, f"SELECT step, count(*) FROM miningflow.{table} GROUP BY ALL")
        assert {n for _, n in counted} == {1}, table


def test_a_repository_apart(write_case: WriteCase, store: Path, tmp_path: Path) -> None:
    case = write_case(STEPS, concepts=HELD_OUT, connect=APART)
    project = miningflow.load(case)
    assert len(ran(project.run())) == 7
    assert (tmp_path / "repo.sqlite").exists()
    schemas = {name for (name,) in query(store, "SELECT schema_name FROM duckdb_schemas()")}
    assert "miningflow" not in schemas
    before = (store.read_bytes(), (tmp_path / "repo.sqlite").read_bytes())
    assert project.run().run is None
    assert (store.read_bytes(), (tmp_path / "repo.sqlite").read_bytes()) == before
    scores = project.score({"Customer": tmp_path / "Customer.parquet"})
    assert scores.column("risk").to_pylist() == [
        row[0] for row in query(store, "SELECT risk FROM example_results.judged")
    ]
    assert project.features()
    assert project.selections()["slim"].dropped == ("household",)
    case.write_text(case.read_text().replace("kernel: radial", "kernel: linear"))
    assert ran(miningflow.load(case).run()) == ["judged"]
    miningflow.load(case).clean()
    assert objects(store) == set()
    with sa.create_engine(f"sqlite:///{tmp_path}/repo.sqlite").connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM builds")).scalar() == 0


def test_a_repository_apart_whose_store_is_gone(
    write_case: WriteCase, store: Path, tmp_path: Path
) -> None:
    case = write_case(STEPS, concepts=HELD_OUT, connect=APART)
    miningflow.load(case).run()
    before = results(store)
    store.unlink()
    report = miningflow.load(case).run()
    assert {s.reason for s in report.stages} == {"its result is gone from the store"}
    assert results(store) == before


def test_a_store_whose_repository_is_gone(
    write_case: WriteCase, store: Path, tmp_path: Path
) -> None:
    case = write_case(STEPS, concepts=HELD_OUT, connect=APART)
    miningflow.load(case).run()
    before = results(store)
    (tmp_path / "repo.sqlite").unlink()
    with pytest.raises(RunError, match="that this case did not make"):
        miningflow.load(case).run()
    assert results(store) == before


def test_another_format_is_refused(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    change(store, "UPDATE miningflow.about SET value = '99' WHERE name = 'format'")
    for act in (miningflow.load(case).run, miningflow.load(case).plan):
        with pytest.raises(EngineError, match=r"format 99; this MiningFlow reads \d"):
            act()
