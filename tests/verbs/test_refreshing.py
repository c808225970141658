"""Data that changed shape: `check --data` says so, and `refresh` edits just these lines."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support.growing_case import CASE, CUSTOMERS, ORDERS, contents, growing, removed_lines, said

import miningflow
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.verbs.add import Refreshed


def reshaped(path: Path, customers: str = CUSTOMERS, orders: str = ORDERS) -> None:
    (path.parent / "data" / "customers.csv").write_text(customers)
    (path.parent / "data" / "orders.csv").write_text(orders)


def checked(path: Path) -> tuple[Diagnostic, ...]:
    return miningflow.check(path, data=True)[0].diagnostics


def refreshed(path: Path, **options: bool) -> Refreshed:
    found = miningflow.load(path).refresh(**options)
    if found.written:
        assert checked(path) == ()
    return found


def with_column(text: str, name: str, values: str) -> str:
    first, *rows = text.splitlines()
    lines = [f"{row},{values[i % len(values)]}" for i, row in enumerate(rows)]
    return "\n".join([f"{first},{name}", *lines]) + "\n"


def without_column(text: str, name: str) -> str:
    rows = [line.split(",") for line in text.splitlines()]
    at = rows[0].index(name)
    return "".join(",".join(row[:at] + row[at + 1 :]) + "\n" for row in rows)


def test_nothing_changes_where_nothing_came(tmp_path: Path) -> None:
    path = growing(tmp_path)
    assert checked(path) == ()
    found = refreshed(path)
    assert (found.changes, found.diff, found.written) == ((), "", False)
    assert path.read_text() == CASE


def test_columns_that_came(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, with_column(CUSTOMERS, "level", "xyz"), with_column(ORDERS, "all*", "12"))
    notes = checked(path)
    assert [each.severity for each in notes] == ["note", "note"]
    assert "data/customers.csv has a column that Customer does not have: level" in str(notes[0])
    assert "--refresh" in notes[0].hint and "# level is left out" in notes[0].hint
    assert miningflow.check(path, data=True)[0].contents is not None
    found = refreshed(path)
    assert [(each.kind, each.column) for each in found.changes] == [
        ("came", "level"),
        ("came", "all*"),
    ]
    text = path.read_text()
    assert "      level: nominal                  # 3 values: x, y, z\n" in text
    assert text.index("# phone is left out") < text.index("level: nominal") < text.index("Order:")
    assert said(path)["concepts"]["Order"]["features"]["all_"] == "binary"
    assert said(path)["connect"]["concepts"]["Order"]["columns"] == {"all_": "all*"}
    changed = removed_lines(CASE, text)
    assert [line for line in changed if "features: {order_id" not in line] == []
    case = miningflow.load(path)
    case.run(target=tmp_path / "target")
    frame = pd.read_csv(path.parent / "data" / "customers.csv")
    assert case.table("Customer").to_pandas()["level"].value_counts().to_dict() == (
        frame["level"].value_counts().to_dict()
    )


@pytest.mark.parametrize(
    ("comment", "noted"),
    [
        ("# level is left out: not ours", []),
        ("# level, rank and LEVEL2 are left out", []),
        ("# other columns are left out", []),
        ("# all other columns are left out here", []),
        ("# levels is left out", ["level"]),
        ("# level is fine", ["level"]),
    ],
)
def test_columns_that_are_left_out_stay_out(tmp_path: Path, comment: str, noted: list[str]) -> None:
    path = growing(tmp_path, CASE.replace("# phone", f"{comment}\n      # phone"))
    reshaped(path, with_column(CUSTOMERS, "level", "xyz"))
    assert len(checked(path)) == len(noted)
    found = miningflow.load(path).refresh(dry_run=True)
    assert [each.column for each in found.changes] == noted


def test_columns_that_went(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, without_column(CUSTOMERS, "city"), without_column(ORDERS, "amount"))
    errors = checked(path)
    assert [each.severity for each in errors] == ["error", "error"]
    assert all("`miningflow add" in each.hint and "--refresh" in each.hint for each in errors)
    found = refreshed(path)
    assert [(each.kind, each.feature) for each in found.changes] == [
        ("went", "city"),
        ("went", "amount"),
    ]
    text = path.read_text()
    assert "      age: numeric          # in years\n      # phone is left out" in text
    assert "    features: {order_id: key, customer_id: key}\n" in text
    assert len(removed_lines(CASE, text)) == 2


def test_a_column_that_steps_use_is_kept(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, without_column(CUSTOMERS, "age"))
    before = contents(tmp_path)
    with pytest.raises(MiningFlowError) as error:
        miningflow.load(path).refresh()
    assert "growing.yml:21:67" in str(error.value) and "adults" in str(error.value)
    assert "--force" in str(error.value)
    with pytest.raises(MiningFlowError, match="no longer pass `check`"):
        miningflow.load(path).refresh(force=True)
    assert contents(tmp_path) == before


def test_force_removes_what_patterns_use(tmp_path: Path) -> None:
    step = "  adults: {operator: RowSelectionByQuery, input: Customer, where: age >= 18}"
    assert step in CASE
    learned = (
        "  apart: {operator: PredictionWithDecisionTree, input: Order, target: kind, "
        "predictors: 'type:numeric', output: guess}"
    )
    orders = with_column(with_column(ORDERS, "kind", "xy"), "size", "123")
    case = CASE.replace(step, f"{step}\n{learned}").replace(
        "amount: numeric}", "amount: numeric, kind: binary, size: numeric}"
    )
    path = growing(tmp_path, case)
    reshaped(path, orders=without_column(orders, "size"))
    with pytest.raises(MiningFlowError, match="apart"):
        miningflow.load(path).refresh()
    found = refreshed(path, force=True)
    assert found.effects
    assert "size" not in said(path)["concepts"]["Order"]["features"]


def test_a_key_that_went_is_refused(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, orders=without_column(ORDERS, "order_id"))
    before = contents(tmp_path)
    for force in (False, True):
        with pytest.raises(MiningFlowError, match="order_id"):
            miningflow.load(path).refresh(force=force)
    assert contents(tmp_path) == before


def test_columns_that_changed_type(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, orders=ORDERS.replace(",3.5\n", ",three\n"))
    (error,) = checked(path)
    assert "'three' in data row 4" in error.message and "--refresh" in error.hint
    found = refreshed(path)
    (change,) = found.changes
    assert (change.kind, change.feature, change.was) == ("changed", "amount", "numeric")
    assert change.finding is not None and "mostly numbers, but also three" in str(change.finding)
    assert said(path)["concepts"]["Order"]["features"]["amount"] == "nominal"


def test_a_changed_type_keeps_the_comment(tmp_path: Path) -> None:
    case = CASE.replace("city: nominal", "city: binary  # a or b").replace(
        "age: numeric          # in years", "age: {type: numeric, about: in years}"
    )
    path = growing(tmp_path, case)
    refreshed(path)
    assert (
        "      city: nominal  # 3 values: a, b, c; was binary; before: a or b\n" in path.read_text()
    )
    path.write_text(case.replace("where: age >= 18", "where: customer_id > 3"))
    reshaped(path, CUSTOMERS.replace(",10,", ",ten,"))
    miningflow.load(path).refresh()
    assert "age: {type: nominal, about: in years}" in path.read_text()


def test_a_step_that_needs_the_old_type_stops_it(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, CUSTOMERS.replace(",10,", ",ten,"))
    before = contents(tmp_path)
    with pytest.raises(MiningFlowError, match="no longer pass `check`"):
        miningflow.load(path).refresh()
    assert contents(tmp_path) == before


def test_reading_options_follow_the_file(tmp_path: Path) -> None:
    path = growing(tmp_path)
    german = ORDERS.replace(",", ";").replace(".", ",")
    reshaped(path, orders=german)
    found = refreshed(path)
    assert {(each.kind, each.column) for each in found.changes} == {("read", "decimal")}
    assert said(path)["connect"]["concepts"]["Order"] == {"file": "data/orders.csv", "decimal": ","}
    case = miningflow.load(path)
    case.run(target=tmp_path / "target")
    amounts = case.table("Order").to_pandas()["amount"]
    assert amounts.sum() == sum(i + 0.5 for i in range(120))
    reshaped(path)
    refreshed(path)
    assert said(path)["connect"]["concepts"]["Order"] == {"file": "data/orders.csv"}


def test_parquet_columns(tmp_path: Path) -> None:
    path = growing(tmp_path, CASE.replace("orders.csv", "orders.parquet"))
    frame = pd.DataFrame({"order_id": range(30), "customer_id": range(1, 31), "amount": 1.5})
    orders = path.parent / "data" / "orders.parquet"
    frame.to_parquet(orders)
    assert checked(path) == ()
    frame.assign(amount=pd.Timestamp("2024-01-01"), blob=[b"x"] * 30).to_parquet(orders)
    said_before = [each.severity for each in checked(path)]
    assert said_before == ["error", "note"]
    found = miningflow.load(path).refresh()
    assert {(each.kind, each.column) for each in found.changes} == {
        ("changed", "amount"),
        ("left out", "blob"),
    }
    assert said(path)["concepts"]["Order"]["features"]["amount"] == "time"


def test_a_whole_header_that_changed(tmp_path: Path) -> None:
    case = CASE.replace("features: {order_id: key, customer_id: key, amount: numeric}",
                        "features:\n      amount: numeric").replace(
        "    key: order_id\n", "")  # fmt: skip
    head, _, tail = case.partition("relations:\n")
    path = growing(tmp_path, head + tail[tail.index("steps:") :])
    reshaped(path, orders=ORDERS.replace("amount", "paid"))
    refreshed(path)
    assert set(said(path)["concepts"]["Order"]["features"]) == {"order_id", "customer_id", "paid"}


def test_a_source_that_cannot_be_read(tmp_path: Path) -> None:
    path = growing(tmp_path)
    reshaped(path, orders="order_id,customer_id,amount\n")
    with pytest.raises(MiningFlowError, match=r"orders.csv has no rows"):
        miningflow.load(path).refresh()
    (path.parent / "data" / "orders.csv").unlink()
    with pytest.raises(MiningFlowError, match="there is no file"):
        miningflow.load(path).refresh()
    assert path.read_text() == CASE


def test_changes_are_a_table_for_people(tmp_path: Path) -> None:
    path = growing(tmp_path)
    orders = with_column(without_column(ORDERS, "amount"), "kind", "xy")
    reshaped(path, with_column(CUSTOMERS, "level", "pq"), orders)
    frame = refreshed(path, dry_run=True).to_frame()
    assert frame[["change", "concept", "column", "type"]].to_numpy().tolist() == [
        ["came", "Customer", "level", "binary"],
        ["went", "Order", "amount", ""],
        ["came", "Order", "kind", "binary"],
    ]
    assert "Would refresh" in refreshed(path, dry_run=True)._repr_html_()
    assert "Refreshed" in refreshed(path)._repr_html_()
