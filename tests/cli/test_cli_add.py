"""`miningflow add` on the command line: what it prints, and which options go together."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import accepted, miningflow, refused
from support.growing_case import CASE, CUSTOMERS, growing


def test_it_says_what_it_wrote_and_where(tmp_path: Path) -> None:
    path = growing(tmp_path)
    said = accepted(path.parent, "add", "growing.yml", "../refunds.csv", "--explain")
    assert "unique, never missing" in said
    assert "added Refund to growing.yml: 3 columns, 1 relation\n" in said
    assert "    growing.yml says where Refund is: data/refunds.csv\n" in said
    assert "    copied data/refunds.csv\n" in said
    assert "no errors" in accepted(path.parent, "check", "growing.yml", "--data")


def test_a_dry_run_prints_the_lines(tmp_path: Path) -> None:
    path = growing(tmp_path)
    said = accepted(path.parent, "add", "growing.yml", "Return=../refunds.csv", "--dry-run")
    assert "+  Return:\n" in said and said.endswith("nothing was written\n")
    assert path.read_text() == CASE


def test_data_elsewhere_need_connect(tmp_path: Path) -> None:
    path = growing(tmp_path)
    said = accepted(path.parent, "add", "growing.yml", "../refunds.csv", "--in-place")
    assert "miningflow run growing.yml --connect growing.yml" in said
    named = ("--connect", "growing.yml")
    again = accepted(
        path.parent, "add", "growing.yml", "Other=../refunds.csv", "--in-place", *named
    )
    assert "outside" not in again


def test_json_for_programs(tmp_path: Path) -> None:
    path = growing(tmp_path)
    found = json.loads(accepted(path.parent, "add", "growing.yml", "../refunds.csv", "--json"))
    assert found["concepts"] == {"Refund": "data/refunds.csv"}
    assert found["written"] and found["connected_in"] == "growing.yml"
    assert [each["matched"] for each in found["relations"]] == [39]
    (path.parent / "data" / "customers.csv").write_text(CUSTOMERS.replace("phone", "fax"))
    found = json.loads(accepted(path.parent, "check", "growing.yml", "--data", "--json"))
    assert [each["severity"] for each in found["diagnostics"]] == ["note"]
    found = json.loads(accepted(path.parent, "add", "growing.yml", "--refresh", "--json"))
    assert [(each["kind"], each["feature"]) for each in found["changes"]] == [("came", "fax")]
    said = miningflow(path.parent, "add", "growing.yml", "../refunds.csv", "--json")
    assert said.code == 1
    assert json.loads(said.out)["diagnostics"][0]["line"] == 15


def test_refreshing(tmp_path: Path) -> None:
    path = growing(tmp_path)
    assert "the columns are as the case says" in accepted(
        path.parent, "add", "growing.yml", "--refresh"
    )
    (path.parent / "data" / "customers.csv").write_text(CUSTOMERS.replace("city", "town"))
    said = accepted(path.parent, "add", "growing.yml", "--refresh", "--dry-run")
    assert "-      city: nominal" in said and "+      town: nominal" in said
    assert "nothing was written" in said
    said = accepted(path.parent, "add", "growing.yml", "--refresh", "--explain")
    assert "went: data/customers.csv has no such column" in said
    assert said.endswith("changed growing.yml\n")
    assert "no errors" in accepted(path.parent, "check", "growing.yml", "--data")


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    path = growing(tmp_path)
    for words in (("--refresh", "../refunds.csv"), ("--refresh", "--in-place")):
        assert "--refresh takes no" in refused(path.parent, "add", "growing.yml", *words, code=2)
    assert "name a table to add" in refused(path.parent, "add", "growing.yml", code=2)
    forced = refused(path.parent, "add", "growing.yml", "../refunds.csv", "--force", code=2)
    assert "--force needs --refresh" in forced
