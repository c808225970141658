"""`add` adds tables to a case: only lines come, and the case still passes `check` and runs."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import framed_case
from support.growing_case import CASE, CUSTOMERS, contents, growing, removed_lines, said

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.verbs.add import Added
from miningflow.verbs.add.drafting import draft_additions
from miningflow.verbs.start.draft import Draft


def added(path: Path, *sources: object, **options: bool) -> Added:
    return miningflow.load(path).add([str(each) for each in sources], **options)


def test_a_table_comes_with_types_key_and_relations(tmp_path: Path) -> None:
    path = growing(tmp_path)
    found = added(path, tmp_path / "refunds.csv")
    case = said(path)
    assert case["concepts"]["Refund"] == {
        "about": "40 rows of refunds.csv.",
        "key": "refund_id",
        "features": {"refund_id": "key", "order_id": "key", "reason": "nominal"},
    }
    assert case["relations"]["refunds_of_order"] == {
        "from": "Refund.order_id",
        "to": "Order.order_id",
    }
    assert case["connect"]["concepts"]["Refund"] == {"file": "data/refunds.csv"}
    text = path.read_text()
    assert "39 of 40 rows of Refund match" in text
    assert removed_lines(CASE, text) == []
    relations = (
        text.index("# every order has"),
        text.index("refunds_of_order"),
        text.index("steps:"),
    )
    assert list(relations) == sorted(relations)
    assert list(found.concepts) == ["Refund"]
    assert found.copies == (path.parent / "data" / "refunds.csv",)
    (checked,) = miningflow.check(path, data=True)
    assert checked.diagnostics == ()
    case_again = miningflow.load(path)
    case_again.run(target=tmp_path / "target")
    frame = pd.read_csv(tmp_path / "refunds.csv")
    assert case_again.table("Refund").num_rows == len(frame)


def test_a_case_that_ran_on_frames_gets_a_place_for_the_new_table(tmp_path: Path) -> None:
    home = tmp_path / "framed"
    framed_case.load(home).run(target=tmp_path / "target", sources=framed_case.frames())
    visits = pd.DataFrame({"visit_id": range(5), "order_id": [0, 1, 2, 3, 3], "paid": [1.5] * 5})
    case = miningflow.load(home / "case.yml")
    found = case.add({"Visit": visits})
    unplaced = "was not looked at: the connection does not say where its rows lie"
    assert found.notes == (f"Person {unplaced}", f"Order {unplaced}")
    assert said(home / "case.yml")["connect"] == {
        "concepts": {"Visit": {"file": found.concepts["Visit"]}}
    }
    again = miningflow.load(home / "case.yml")
    again.run(target=tmp_path / "target")
    assert (again.table("Visit").num_rows, again.table("Person").num_rows) == (5, 80)
    assert again.refresh().notes == found.notes
    (checked,) = miningflow.check(home / "case.yml", data=True)
    assert checked.diagnostics == ()


def test_what_was_added_is_a_table_for_people(tmp_path: Path) -> None:
    path = growing(tmp_path)
    frame = added(path, tmp_path / "refunds.csv", dry_run=True).to_frame()
    assert dict(zip(frame["column"], frame["type"], strict=True)) == {
        "refund_id": "key",
        "order_id": "key",
        "reason": "nominal",
    }
    page = added(path, tmp_path / "refunds.csv")._repr_html_()
    assert "Added Refund to" in page and "reason" in page


def test_a_dry_run_writes_nothing_and_shows_the_lines(tmp_path: Path) -> None:
    path = growing(tmp_path)
    before = contents(tmp_path)
    found = added(path, tmp_path / "refunds.csv", dry_run=True)
    assert contents(tmp_path) == before
    assert not found.written
    assert "+  Refund:" in found.diff.splitlines()
    assert not [line for line in found.diff.splitlines() if line.startswith("-  ")]


def test_many_sources_at_once(tmp_path: Path) -> None:
    path = growing(tmp_path)
    months = tmp_path / "months"
    months.mkdir()
    for month in (1, 2):
        rows = "".join(f"{month * 100 + i};{i + 1};1,{i}\n" for i in range(50))
        (months / f"visits_{month}.csv").write_text("visit;customer;hours\n" + rows, "latin-1")
    pd.DataFrame({"city": ["a", "b", "c"], "people": [1, 2, 3]}).to_parquet(
        tmp_path / "cities.parquet"
    )
    found = added(path, f"Stay={glob.escape(str(months))}/*.csv", tmp_path / "cities.parquet")
    assert list(found.concepts) == ["Stay", "City"]
    connected = said(path)["connect"]["concepts"]
    assert connected["Stay"] == {"file": "data/Stay/*.csv", "delimiter": ";", "decimal": ","}
    assert said(path)["relations"]["stays_of_customer"]["from"] == "Stay.customer"
    case = miningflow.load(path)
    case.run(target=tmp_path / "target")
    assert (case.table("Stay").num_rows, case.table("City").num_rows) == (100, 3)


def test_frames_can_be_added(tmp_path: Path) -> None:
    path = growing(tmp_path)
    frame = pd.DataFrame({"customer_id": range(1, 61), "points": [i * 1.5 for i in range(60)]})
    found = miningflow.load(path).add({"Loyalty": frame})
    assert found.concepts == {"Loyalty": "data/Loyalty.parquet"}
    assert [each.to_table for each in found.relations] == ["Customer"]
    assert miningflow.check(path, data=True)[0].diagnostics == ()


def test_a_file_in_the_folder_stays_where_it_is(tmp_path: Path) -> None:
    path = growing(tmp_path)
    (tmp_path / "refunds.csv").rename(path.parent / "data" / "refunds.csv")
    found = added(path, path.parent / "data" / "refunds.csv")
    assert found.copies == ()
    assert found.concepts == {"Refund": "data/refunds.csv"}
    assert not found.needs_connect


def test_a_copy_replaces_no_file(tmp_path: Path) -> None:
    path = growing(tmp_path)
    (path.parent / "data" / "refunds.csv").write_text("something else")
    found = added(path, tmp_path / "refunds.csv")
    assert found.concepts == {"Refund": "data/refunds_2.csv"}
    assert (path.parent / "data" / "refunds.csv").read_text() == "something else"


def test_data_outside_need_a_named_connection(tmp_path: Path) -> None:
    path = growing(tmp_path)
    found = added(path, tmp_path / "refunds.csv", in_place=True)
    assert found.concepts == {"Refund": str(tmp_path / "refunds.csv")}
    assert found.needs_connect
    assert not miningflow.check(path, data=True)[0].passed
    assert miningflow.check(path, connect=path, data=True)[0].passed
    (tmp_path / "returns.csv").write_text(
        "return_id,kilos\n" + "".join(f"{i},{i}\n" for i in range(9))
    )
    again = miningflow.load(path, connect=path).add([str(tmp_path / "returns.csv")], in_place=True)
    assert not again.needs_connect


def test_the_connection_is_written_to_where_it_is(tmp_path: Path) -> None:
    case, connect = CASE.split("connect:\n")
    path = growing(tmp_path, case)
    connection = path.parent / "connections" / "default.yml"
    connection.parent.mkdir()
    plain = "".join(line[2:] for line in connect.splitlines(keepends=True)).replace(
        "data/", "../data/"
    )
    connection.write_text(plain.replace("duckdb:///", "duckdb:///../"))
    found = added(path, tmp_path / "refunds.csv")
    assert found.connected_in == connection
    assert said(connection)["concepts"]["Refund"] == {"file": "../data/refunds.csv"}
    assert "connect" not in said(path)
    assert miningflow.check(path, data=True)[0].diagnostics == ()
    elsewhere = tmp_path / "server.yml"
    elsewhere.write_text(connection.read_text().replace("../", "shop/"))
    (tmp_path / "returns.csv").write_text(
        "return_id,kilos\n" + "".join(f"{i},{i}\n" for i in range(9))
    )
    named = miningflow.load(path, connect=elsewhere).add([str(tmp_path / "returns.csv")])
    assert named.concepts == {"Return": str(path.parent / "data" / "returns.csv")}
    assert miningflow.check(path, connect=elsewhere, data=True)[0].diagnostics == ()


def test_relations_get_names_that_are_free(tmp_path: Path) -> None:
    path = growing(tmp_path, CASE.replace("orders_of:", "refunds_of_order:"))
    added(path, tmp_path / "refunds.csv")
    assert set(said(path)["relations"]) == {"refunds_of_order", "refunds_of_order_2"}


def test_keys_of_another_type_are_read_alike(tmp_path: Path) -> None:
    path = growing(tmp_path)
    frame = pd.DataFrame({"visit_id": range(60), "customer_id": [str(i + 1) for i in range(60)]})
    frame.to_parquet(tmp_path / "visits.parquet")
    added(path, tmp_path / "visits.parquet")
    columns = said(path)["connect"]["concepts"]["Visit"]["columns"]
    assert columns == {"customer_id": {"column": "customer_id", "as": "integer"}}
    report = miningflow.load(path).run(target=tmp_path / "target")
    assert report.stages


def test_a_feature_that_is_no_key_is_noted(tmp_path: Path) -> None:
    case = CASE.replace(
        "customer_id: key, amount: numeric", "customer_id: nominal, amount: numeric"
    )
    head, _, tail = case.partition("relations:\n")
    path = growing(tmp_path, head + tail[tail.index("steps:") :])
    rows = "".join(f"{i},{i}\n" for i in range(1, 61))
    (tmp_path / "accounts.csv").write_text("customer_id,limit\n" + rows)
    found = added(path, tmp_path / "accounts.csv")
    assert any("Order.customer_id seems to point to Account" in note for note in found.notes)
    assert "orders_of_account" not in said(path).get("relations", {})


RELATIONS = CASE[CASE.index("relations:") : CASE.index("\nsteps:")]
ODD = [
    CASE.replace("\n", "\r\n"),
    CASE.removesuffix("\n"),
    "\ufeff" + CASE,
    CASE.replace(RELATIONS, "relations: {}   # none yet\n"),
    CASE.replace(RELATIONS, "relations:\n"),
    CASE.replace(RELATIONS, ""),
    CASE.replace("file: data/orders.csv\n", "file: >-\n        data/orders.csv\n\n  # end\n"),
    CASE.replace("Order:\n    key", "Order:\n    about: |\n      two\n\n      lines\n    key"),
    "---\n" + CASE + "...\n",
]


@pytest.mark.parametrize("case", ODD, ids=range(len(ODD)))
def test_odd_files_keep_every_byte(tmp_path: Path, case: str) -> None:
    path = growing(tmp_path, case)
    added(path, tmp_path / "refunds.csv")
    after = path.read_bytes().decode()
    ending = "\r\n" if "\r\n" in case else "\n"
    lines = iter(after.split(ending))
    assert [line for line in case.split(ending) if "{}" not in line and line not in lines] == []
    assert ("\r\n" in after) == ("\r\n" in case)
    assert "# none yet" in after or "# none yet" not in case
    assert "refunds_of_order" in said(path)["relations"]
    assert miningflow.check(path, data=True)[0].diagnostics == ()


HOSTILE = ["a: b", "# no", "- x", "{y}", "*all", "'quote", '"double', "yes", "tab\tname", "${HOME}"]


def test_odd_names_stay_what_they_are(tmp_path: Path) -> None:
    path = growing(tmp_path)
    frame = pd.DataFrame({name: [*HOSTILE, *HOSTILE] for name in HOSTILE})
    frame.to_parquet(tmp_path / "odd: one.parquet")
    found = added(path, tmp_path / "odd: one.parquet")
    (name,) = found.concepts
    case = miningflow.load(path)
    assert checked_columns(path, name) == {*HOSTILE, "row_number"}
    frame.assign(**{"# more": 1.5, "z\n: z": "x"}).to_parquet(path.parent / found.concepts[name])
    case.refresh()
    assert checked_columns(path, name) == {*HOSTILE, "row_number", "# more", "z\n: z"}
    assert miningflow.check(path, data=True)[0].diagnostics == ()


def checked_columns(path: Path, concept: str) -> set[str]:
    case = said(path)
    columns = case["connect"]["concepts"][concept]["columns"]
    return {columns.get(name, name) for name in case["concepts"][concept]["features"]}


def refused(path: Path, *sources: object, **options: bool) -> str:
    """Returns what is said of something that cannot be added; nothing may be written."""
    before = contents(path.parent)
    with pytest.raises(MiningFlowError) as error:
        added(path, *sources, **options)
    assert contents(path.parent) == before
    return str(error.value)


def test_names_that_are_taken(tmp_path: Path) -> None:
    path = growing(tmp_path)
    (tmp_path / "customers.csv").write_text(CUSTOMERS)
    message = refused(path, tmp_path / "customers.csv")
    assert "growing.yml:4:3" in message and "has that name already" in message
    assert "Customer2=" in message and "--refresh" in message
    assert "has that name already" in refused(path, f"adults={tmp_path / 'customers.csv'}")
    assert "would be called" in refused(path, tmp_path / "refunds.csv", tmp_path / "refunds.csv")
    assert "is Customer already" in refused(path, path.parent / "data" / "customers.csv")
    found = added(path, f"Person={tmp_path / 'customers.csv'}", path.parent / "data")
    assert list(found.concepts) == ["Person"]
    assert len(found.notes) == 2


def test_maps_in_braces(tmp_path: Path) -> None:
    case = CASE.replace("    Order:\n      file: data/orders.csv\n", "").replace(
        "  concepts:\n    Customer: {file: data/customers.csv}\n",
        "  concepts: {Customer: {file: data/customers.csv}, Order: {file: data/orders.csv}}\n",
    )
    path = growing(tmp_path, case)
    message = refused(path, tmp_path / "refunds.csv")
    assert "growing.yml:25:13" in message and "in braces" in message


def test_an_anchor_of_the_map_does_not_matter(tmp_path: Path) -> None:
    start, block = CASE.split("  concepts:\n    Customer")
    path = growing(tmp_path, f"{start}  concepts: &places\n    Customer{block}")
    added(path, tmp_path / "refunds.csv")
    assert set(said(path)["connect"]["concepts"]) == {"Customer", "Order", "Refund"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", "", "empty.csv is empty"),
        ("head.csv", "a,b\n", "no rows below its first line"),
        ("none.csv", "1,2\n3,4\n1,6\n", "looks like a row"),
        ("data.json", "{}", "no kind of file that can be read"),
        ("other.duckdb", "nothing", "is not the store of this case"),
    ],
)
def test_sources_that_cannot_be_read(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = growing(tmp_path)
    (tmp_path / name).write_text(content)
    assert message in refused(path, tmp_path / name)


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    path = growing(tmp_path)
    assert "did you mean 'refunds.csv'" in refused(path, tmp_path / "refnds.csv")
    assert "the store does not exist yet" in refused(path, "refnds")
    assert "no source is named" in refused(path)
    assert "no file matches" in refused(path, tmp_path / "x*.csv")


def test_a_broken_case_is_not_changed(tmp_path: Path) -> None:
    path = growing(tmp_path)
    case = miningflow.load(path)
    path.write_text(CASE.replace("where: age", "where: agee"))
    before = contents(tmp_path)
    with pytest.raises(MiningFlowError, match="no feature 'agee'"):
        case.add([str(tmp_path / "refunds.csv")])
    assert contents(tmp_path) == before


def test_a_file_that_cannot_be_replaced(tmp_path: Path) -> None:
    path = growing(tmp_path)
    path.chmod(0o444)
    assert "is read-only" in refused(path, tmp_path / "refunds.csv")
    assert added(path, tmp_path / "refunds.csv", dry_run=True).diff
    path.chmod(0o640)
    added(path, tmp_path / "refunds.csv")
    assert path.stat().st_mode & 0o777 == 0o640
    link = path.with_name("link.yml")
    link.symlink_to(path)
    (tmp_path / "returns.csv").write_text(
        "return_id,kilos\n" + "".join(f"{i},{i}\n" for i in range(9))
    )
    assert "is a link" in refused(link, tmp_path / "returns.csv")


def test_no_link_is_followed(tmp_path: Path) -> None:
    path = growing(tmp_path)
    outside = tmp_path / "outside"
    (path.parent / "data").rename(outside)
    (path.parent / "data").mkdir()
    for name in ("customers.csv", "orders.csv"):
        (outside / name).rename(path.parent / "data" / name)
    (path.parent / "data").rename(path.parent / "real")
    (path.parent / "data").symlink_to(path.parent / "real")
    assert "is a link" in refused(path, tmp_path / "refunds.csv")
    assert not (path.parent / "real" / "refunds.csv").exists()


def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = growing(tmp_path)

    def meanwhile(*given: Any) -> Draft:
        path.write_text(CASE + "# edited\n")
        return draft_additions(*given)

    monkeypatch.setattr("miningflow.verbs.add.adding.draft_additions", meanwhile)
    with pytest.raises(MiningFlowError, match="was changed meanwhile"):
        added(path, tmp_path / "refunds.csv")
    assert path.read_text() == CASE + "# edited\n"
    assert not (path.parent / "data" / "refunds.csv").exists()
