"""A run that fails leaves the last good results, and the next one goes on from where it failed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import WriteCase
from support import example_data
from support.stores import (
    HELD_OUT,
    TWO_FILES,
    artifacts,
    change,
    leftovers,
    objects,
    query,
    ran,
    results,
)

import miningflow
from miningflow.errors import RunError

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: table}
scaled: {operator: LinearScaling, input: filled, target: income, materialize: view}
judged:
  operator: SupportVectorMachineForClassification
  input: scaled
  target: lapsed
  positive: 'yes'
  predictors: [age, income]
  kernel: linear
  output: risk
"""


@pytest.fixture
def case(write_case: WriteCase) -> Path:
    path = write_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)
    miningflow.load(path).run()
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


def without_class(folder: Path) -> None:
    """Makes data from which means can be learned, but no classes."""
    data = example_data.tables(seed=3)["Customer"]
    labels = pa.array(["no"] * data.num_rows)
    pq.write_table(
        data.set_column(data.schema.get_field_index("lapsed"), "lapsed", labels),
        folder / "Customer.parquet",
    )


def test_a_failed_run_changes_nothing_that_is_shown(
    case: Path, store: Path, tmp_path: Path
) -> None:
    before, learned = results(store), artifacts(store)
    without_class(tmp_path)
    with pytest.raises(RunError, match="step 'judged' cannot learn"):
        miningflow.load(case).run()
    assert results(store) == before
    assert artifacts(store) == learned
    assert query(store, "SELECT status FROM miningflow.runs ORDER BY run") == [
        ("done",),
        ("failed",),
    ]
    message = query(store, "SELECT message FROM miningflow.runs WHERE run = 2")[0][0]
    assert "cannot learn" in message


def test_the_next_run_takes_over_what_was_built(case: Path, store: Path, tmp_path: Path) -> None:
    without_class(tmp_path)
    with pytest.raises(RunError):
        miningflow.load(case).run()
    case.write_text(case.read_text().replace("positive: 'yes'", "positive: 'no'").replace(
        "target: lapsed", "target: region"
    ).replace("'no'", "north"))  # fmt: skip
    with pytest.raises(RunError):  # three regions are not two classes
        miningflow.load(case).run()
    case.write_text(case.read_text().replace("input: scaled\n", "input: two\n").replace(
        "  judged:", "  two: {operator: RowSelectionByQuery, input: scaled, "
        "where: \"region in ('north', 'south')\"}\n  judged:"
    ))  # fmt: skip
    report = miningflow.load(case).run()
    assert ran(report) == ["two", "judged"]
    reasons = {s.name: s.reason for s in report.stages}
    assert reasons["filled"] == reasons["scaled"] == "built by a run that did not finish"
    assert leftovers(store) == set()
    assert {name for _, name in objects(store) if name.startswith("filled__")} == {"filled__2"}


def test_what_was_learned_is_not_learned_again(case: Path, store: Path) -> None:
    learned = artifacts(store)
    change(store, "DELETE FROM miningflow.builds WHERE step = 'judged'")
    report = miningflow.load(case).run()
    notes = {s.name: s.notes for s in report.stages}
    assert ran(report) == ["judged"]
    assert notes["judged"] == ("learned by a run that did not finish",)
    stored = query(store, "SELECT content FROM miningflow.artifacts WHERE step = 'judged'")
    assert [content for (content,) in stored] == [learned["judged"][0]]


def test_taking_the_change_back_cleans_up(case: Path, store: Path, tmp_path: Path) -> None:
    before = results(store)
    good = (tmp_path / "Customer.parquet").read_bytes()
    without_class(tmp_path)
    with pytest.raises(RunError):
        miningflow.load(case).run()
    assert ("example_built", "filled__2") in objects(store)
    (tmp_path / "Customer.parquet").write_bytes(good)
    assert ran(miningflow.load(case).run()) == []
    assert ("example_built", "filled__2") not in objects(store)
    assert leftovers(store) == set()
    assert results(store) == before


def test_a_failed_full_run_does_not_break_what_is_reused(
    case: Path, store: Path, tmp_path: Path
) -> None:
    before = results(store)
    case.write_text(case.read_text().replace("target: lapsed", "target: region"))
    with pytest.raises(RunError):
        miningflow.load(case).run(full=True)
    assert results(store) == before
    case.write_text(case.read_text().replace("target: region", "target: lapsed"))
    case.write_text(case.read_text().replace("kernel: linear", "kernel: radial"))
    assert ran(miningflow.load(case).run()) == ["judged"]
    after = results(store)
    assert {n: after[n] for n in before if n != "judged"} == {
        n: before[n] for n in before if n != "judged"
    }
    assert leftovers(store) == set()


def test_a_source_that_does_not_fit_fails_before_anything(
    case: Path, store: Path, tmp_path: Path
) -> None:
    before = results(store)
    data = example_data.tables()["Customer"]
    pq.write_table(pa.concat_tables([data, data]), tmp_path / "Customer.parquet")
    with pytest.raises(RunError, match="not unique"):
        miningflow.load(case).run()
    assert results(store) == before


def test_learning_on_what_was_deselected(write_case: WriteCase) -> None:
    case = write_case(
        """
        slim: {operator: FeatureSelectionByAttributes, input: Customer, drop: [age]}
        scaled: {operator: LinearScaling, input: Customer, target: age, learn_on: slim}
        """,
        concepts=HELD_OUT,
        connect=TWO_FILES,
    )
    with pytest.raises(RunError, match="learns on 'slim', where feature 'age' was deselected"):
        miningflow.load(case).run()
