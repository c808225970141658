"""Only what depends on a change is built again."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import WriteCase
from support import example_data
from support.stores import SOURCES, STEPS, artifacts, change, objects, query, ran, results, shown

import miningflow
from miningflow.errors import PlanError


@pytest.fixture
def case(write_case: WriteCase) -> Path:
    path = write_case(STEPS)
    miningflow.load(path).run()
    return path


def edit(case: Path, old: str, new: str) -> None:
    text = case.read_text()
    assert text.count(old) == 1
    case.write_text(text.replace(old, new))


def store_of(case: Path) -> Path:
    return case.parent / "store.duckdb"


@pytest.mark.parametrize(
    ("old", "new", "expected", "reason"),
    [
        ("  C: 1\n", "  C: 2\n", ["judged"], "changed C: 1.0 → 2.0"),
        (
            "household, claim_count]\n  judged",
            "household]\n  judged",
            ["relevant", "judged"],
            "changed attributes: ",
        ),
        ("age_scaled", "age_01", ["side"], 'changed output: "age_scaled" → "age_01"'),
        (
            "target: income, materialize: view",
            "target: income, materialize: table",
            ["filled", "relevant", "judged"],
            "built as table instead of view",
        ),
        (
            "{operator: LinearScaling, input: Customer, target: age, output: age_scaled}",
            "{operator: AssignAverageValue, input: Customer, target: age, output: age_scaled}",
            ["side"],
            "operator changed: LinearScaling → AssignAverageValue",
        ),
    ],
)
def test_a_changed_step_and_all_after_it(
    case: Path, old: str, new: str, expected: list[str], reason: str
) -> None:
    before = results(store_of(case))
    edit(case, old, new)
    report = miningflow.load(case).run()
    assert ran(report) == expected
    reasons = [s.reason for s in report.stages if s.action == "run"]
    assert reasons[0].startswith(reason)
    assert all(r.endswith("' changed") for r in reasons[1:])
    after = results(store_of(case))
    assert {n for n in before if n.partition(".")[0] not in expected} <= {
        n for n in before if after.get(n) == before[n]
    }


def test_comments_order_and_about_do_not_matter(case: Path) -> None:
    text = case.read_text().replace("side: {", "side: {about: scaled age, ")
    case.write_text("# nothing new\n" + text)
    assert ran(miningflow.load(case).run()) == []


def test_a_rerun_does_no_data_work(case: Path) -> None:
    store = store_of(case)
    before = (store.read_bytes(), store.stat().st_mtime_ns, objects(store))
    report = miningflow.load(case).run()
    assert ran(report) == []
    assert report.run is None
    assert [s.rows for s in report.stages if s.name == "judged"] == [60]
    assert (store.read_bytes(), store.stat().st_mtime_ns, objects(store)) == before
    assert query(store, "SELECT count(*) FROM miningflow.runs") == [(1,)]


def test_touching_a_file_is_no_change(case: Path) -> None:
    file = case.parent / "Customer.parquet"
    os.utime(file, ns=(1, 1))
    assert ran(miningflow.load(case).run()) == []


def test_changing_a_file_is(case: Path) -> None:
    data = example_data.tables()["Claim"].slice(1)
    pq.write_table(data, case.parent / "Claim.parquet")
    report = miningflow.load(case).run()
    assert ran(report) == ["Claim", "with_claims", "filled", "relevant", "judged"]
    assert report.stages[1].reason == "its data changed"


def test_a_glob_notices_a_new_file(write_case: WriteCase, tmp_path: Path) -> None:
    connect = example_data.CONNECT.replace("Claim.parquet", "Claim*.parquet")
    steps = "side: {operator: LinearScaling, input: Claim, target: amount}"
    case = write_case(steps, connect=connect)
    miningflow.load(case).run()
    more = example_data.tables(seed=1)["Claim"].slice(0, 5)
    ids = pa.array(range(9001, 9006))
    pq.write_table(more.set_column(0, "claim_id", ids), tmp_path / "Claim2.parquet")
    report = miningflow.load(case).run()
    assert ran(report) == ["Claim", "side"]
    assert report.stages[1].rows == 125


def test_a_table_of_the_store_is_watched_by_content(write_case: WriteCase, tmp_path: Path) -> None:
    connect = example_data.CONNECT.replace("{file: Customer.parquet}", "{table: customers}")
    case = write_case(STEPS, connect=connect)
    store = store_of(case)
    change(store, f"CREATE TABLE customers AS FROM '{tmp_path}/Customer.parquet'")
    miningflow.load(case).run()
    assert ran(miningflow.load(case).run()) == []
    change(store, "UPDATE customers SET age = age WHERE customer_id = 1")
    assert ran(miningflow.load(case).run()) == []
    before = artifacts(store)
    change(store, "UPDATE customers SET age = age + 1 WHERE customer_id = 1")
    report = miningflow.load(case).run()
    assert ran(report) == ["Customer", "with_claims", "filled", "relevant", "judged", "side"]
    assert report.stages[0].reason == "its data changed"
    assert artifacts(store)["judged"] != before["judged"]


def test_a_step_that_is_gone_is_shown_no_longer(case: Path) -> None:
    text = case.read_text()
    kept = "".join(line for line in text.splitlines(True) if not line.startswith("  side:"))
    case.write_text(kept)
    assert ran(miningflow.load(case).run()) == []
    store = store_of(case)
    assert shown(store) == {
        *SOURCES, "with_claims", "filled", "relevant", "judged", "judged.support_vectors"
    }  # fmt: skip
    assert not any(name.startswith("side") for _, name in objects(store))
    for table in ("builds", "artifacts"):
        assert query(store, f"SELECT * FROM miningflow.{table} WHERE step = 'side'") == []
    for table in ("concepts", "features", "columns", "column_sets", "deselections"):
        assert query(store, f"SELECT * FROM miningflow.{table} WHERE concept = 'side'") == []


def test_a_renamed_step_takes_its_view_with_it(case: Path) -> None:
    edit(case, "  side:", "  aside:")
    assert ran(miningflow.load(case).run()) == ["aside"]
    assert "aside" in shown(store_of(case))
    assert "side" not in shown(store_of(case))
    edit(case, "  aside:", "  Aside:")
    assert ran(miningflow.load(case).run()) == ["Aside"]
    assert "Aside" in shown(store_of(case))
    assert "aside" not in shown(store_of(case))


def test_a_step_that_becomes_fused_is_shown_no_longer(write_case: WriteCase) -> None:
    steps = """
        one: {operator: AssignAverageValue, input: Customer, target: income, materialize: view}
        two: {operator: LinearScaling, input: one, target: income}
    """
    miningflow.load(write_case(steps)).run()
    case = write_case(steps.replace(", materialize: view", ""))
    assert "one" in shown(store_of(case))
    assert ran(miningflow.load(case).run()) == ["one", "two"]
    assert "one" not in shown(store_of(case))
    assert miningflow.load(case).table("two").num_rows == 60


def test_a_result_that_somebody_dropped_is_built_again(case: Path) -> None:
    store = store_of(case)
    before = results(store)
    change(store, "DROP VIEW example_results.side")
    assert ran(miningflow.load(case).run()) == []
    assert results(store) == before
    change(store, 'DROP TABLE example_built."Customer__1"')
    report = miningflow.load(case).run()
    # `judged` is a separate table and reads nothing
    assert ran(report) == ["Customer", "with_claims", "filled", "relevant", "side"]
    assert report.stages[0].reason == "its result is gone from the store"
    assert results(store) == before
    assert ran(miningflow.load(case).run()) == []


def test_part_of_a_case_forced_leaves_the_rest_readable(case: Path) -> None:
    store = store_of(case)
    before = results(store)
    for _ in range(2):
        assert ran(miningflow.load(case).run(select=("filled",), full=True)) == ["filled"]
        assert results(store) == before
    assert ran(miningflow.load(case).run(full=True))[-1] == "side"
    assert results(store) == before
    built = [name for schema, name in objects(store) if schema == "example_built"]
    assert all("__4" in name for name in built), built


def test_a_fused_step_keeps_what_it_reads(write_case: WriteCase) -> None:
    steps = """
        base: {operator: AssignAverageValue, input: Customer, target: income, materialize: table}
        half: {operator: RowSelectionByQuery, input: base, where: age > 40}
        one: {operator: AssignModalValue, input: base, target: region}
        two: {operator: LinearScaling, input: one, target: income, output: scaled}
    """
    case = write_case(steps)
    miningflow.load(case).run()
    miningflow.load(case).run(select=("base",), full=True)
    edit(case, "output: scaled", "output: scaled2")
    assert ran(miningflow.load(case).run()) == ["two"]
    miningflow.load(case).run(select=("base",), full=True)
    assert len(results(store_of(case))["two"]) == 60
    edit(case, "age > 40", "age > 50")
    assert ran(miningflow.load(case).run()) == ["half"]
    assert len(results(store_of(case))["two"]) == 60


def test_a_stale_part_keeps_its_old_results(case: Path) -> None:
    store = store_of(case)
    before = results(store)
    pq.write_table(example_data.tables(50)["Customer"], case.parent / "Customer.parquet")
    with pytest.raises(PlanError, match="select `\\+relevant`"):
        miningflow.load(case).run(select=("relevant",))
    assert results(store) == before
    report = miningflow.load(case).run(select=("+relevant",))
    assert ran(report) == ["Customer", "with_claims", "filled", "relevant"]
    after = results(store)
    assert len(after["relevant"]) == 50
    for stale in ("judged", "side", "judged.support_vectors"):
        assert after[stale] == before[stale]
    assert ran(miningflow.load(case).run()) == ["judged", "side"]
    assert len(results(store)["judged"]) == 50
    built = {name for schema, name in objects(store) if schema == "example_built"}
    assert sorted(n for n in built if n.startswith("Customer")) == ["Customer__2"]


def test_names_with_of_and_spaces(write_case: WriteCase) -> None:
    steps = """
        sum of x: {operator: RowSelectionByQuery, input: Customer, where: age > 30}
        x: {operator: LinearScaling, input: sum of x, target: age}
    """
    case = write_case(steps)
    miningflow.load(case).run()
    edit(case, "target: age}", "target: income}")
    assert ran(miningflow.load(case).run()) == ["x"]
    assert miningflow.load(case).table("sum of x").num_rows > 0
