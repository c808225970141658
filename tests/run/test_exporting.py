"""Exports: whole files in one folder, the last good ones, and no way out of it."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import WriteCase
from support import example_data
from support.command_line import accepted, refused

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income}
csv: {operator: PrepareForExport, input: filled, path: rows.csv}
deep: {operator: PrepareForExport, input: csv, path: deep er/rows.PARQUET}
plain: {operator: PrepareForExport, input: Claim, path: claims.txt, format: csv}
"""
EXPORT = Path("target/example/export")


def files(folder: Path) -> list[str]:
    """Names all files of the export folder, hidden ones too."""
    found = (folder / EXPORT).rglob("*")
    return sorted(str(p.relative_to(folder / EXPORT)) for p in found if p.is_file())


def test_files_hold_what_the_steps_made(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    said = accepted(folder, "run", "case.yml")
    assert f"export:  {EXPORT}/rows.csv (60 rows of csv)" in said
    assert files(folder) == ["claims.txt", "deep er/rows.PARQUET", "exports.json", "rows.csv"]
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        made = connection.sql("SELECT * FROM example_results.deep ORDER BY 1").to_arrow_table()
        claims = connection.sql("SELECT * FROM example_results.Claim ORDER BY 1").fetchall()
    assert pq.read_table(folder / EXPORT / "deep er/rows.PARQUET").to_pylist() == made.to_pylist()
    kinds = {"region": "VARCHAR", "since": "TIMESTAMP", "lapsed": "VARCHAR"}
    read = duckdb.read_csv(str(folder / EXPORT / "rows.csv"), dtype=kinds).fetchall()
    assert read == [tuple(row.values()) for row in made.to_pylist()]
    assert None in [row[4] for row in read]
    lines = (folder / EXPORT / "claims.txt").read_text().splitlines()
    assert lines[0] == "claim_id,customer_id,amount,filed,kind"
    assert len(lines) == len(claims) + 1


def test_what_did_not_change_is_not_written_again(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    accepted(folder, "run", "case.yml")
    path = folder / EXPORT / "rows.csv"
    content, written = path.read_bytes(), path.stat().st_mtime_ns
    accepted(folder, "run", "case.yml")
    assert path.stat().st_mtime_ns == written
    path.unlink()
    assert "0 of " in accepted(folder, "run", "case.yml")
    assert path.read_bytes() == content
    accepted(folder, "run", "case.yml", "--target", "other")
    assert (folder / "other/example/export/rows.csv").read_bytes() == content
    (folder / EXPORT / "exports.json").write_text("not JSON")
    os.utime(path, (1, 1))
    accepted(folder, "run", "case.yml")  # what it holds is not known any more
    assert path.stat().st_mtime_ns > written
    os.utime(path, (1, 1))
    accepted(folder, "run", "case.yml", "--full")
    assert path.stat().st_mtime_ns > written


def test_what_a_killed_run_left_is_removed_by_the_next(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    accepted(folder, "run", "case.yml")
    left = folder / "target/example/.0123456789abcdef01234567.part"
    left.mkdir()
    (left / "0.csv").touch()
    other = folder / "target/example/mine.part"
    other.mkdir()
    assert "0 of " in accepted(folder, "run", "case.yml")
    assert not left.exists()
    assert other.exists()


def test_a_folder_that_missed_a_run_is_brought_up_to_date(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    accepted(folder, "run", "case.yml")
    old = (folder / EXPORT / "rows.csv").read_bytes()
    example_data.write(folder, example_data.tables(seed=1))
    accepted(folder, "run", "case.yml", "--target", "other")
    new = (folder / "other/example/export/rows.csv").read_bytes()
    assert (folder / EXPORT / "rows.csv").read_bytes() == old != new
    accepted(folder, "run", "case.yml")
    assert (folder / EXPORT / "rows.csv").read_bytes() == new


def test_a_run_that_fails_leaves_the_last_good_files(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    accepted(folder, "run", "case.yml")
    before = {name: (folder / EXPORT / name).read_bytes() for name in files(folder)}
    data = example_data.tables(seed=1)
    at = data["Customer"].column_names.index("income")
    nothing = pa.array([None] * 60, pa.float64())
    data["Customer"] = data["Customer"].set_column(at, "income", nothing)
    example_data.write(folder, data)
    assert "cannot learn" in refused(folder, "run", "case.yml")
    assert {name: (folder / EXPORT / name).read_bytes() for name in files(folder)} == before


def test_one_file_that_cannot_be_written_holds_all_back(write_case: WriteCase) -> None:
    folder = write_case(STEPS).parent
    accepted(folder, "run", "case.yml")
    before = (folder / EXPORT / "rows.csv").read_bytes()
    example_data.write(folder, example_data.tables(seed=1))
    (folder / EXPORT / "claims.txt").unlink()
    (folder / EXPORT / "claims.txt").mkdir()
    said = refused(folder, "run", "case.yml")
    assert "step 'plain' cannot export to target/example/export/claims.txt: " in said
    assert "case.yml:" in said
    assert (folder / EXPORT / "rows.csv").read_bytes() == before
    assert files(folder) == ["deep er/rows.PARQUET", "exports.json", "rows.csv"]
    (folder / EXPORT / "claims.txt").rmdir()
    accepted(folder, "run", "case.yml")
    assert (folder / EXPORT / "rows.csv").read_bytes() != before


@pytest.mark.parametrize("link", ["target/example", "target/example/export", "deep er", "rows.csv"])
def test_links_are_not_followed(write_case: WriteCase, link: str) -> None:
    folder = write_case(STEPS).parent
    outside = folder / "outside"
    outside.mkdir()
    (outside / "rows.csv").write_text("mine")
    place = folder / link if link.startswith("target") else folder / EXPORT / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / "rows.csv" if link == "rows.csv" else outside)
    said = refused(folder, "run", "case.yml")
    assert "is a link" in said
    assert [p.name for p in outside.rglob("*")] == ["rows.csv"]
    assert (outside / "rows.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/etc/passwd.csv", "leads elsewhere"),
        ("~/rows.csv", "leads elsewhere"),
        ("../rows.csv", "leads out of it"),
        ("a/../../rows.csv", "leads out of it"),
        ("a/./rows.csv", "do not begin with a dot"),
        (".rows.csv", "do not begin with a dot"),
        ("a//rows.csv", "are not empty"),
        ("'a/ /rows.csv'", "are not empty"),
        ("''", "are not empty"),
        ("'a\\rows.csv'", "without backslashes and colons"),
        ("'c:rows.csv'", "without backslashes and colons"),
        ('"a\\0.csv"', "printable characters"),
        (f"{'x' * 201}.csv", "at most 200"),
        ("Exports.json", "which is where exports are listed"),
        ("rows.xlsx", "use the extension .csv or .parquet, or give 'format'"),
        ("rows", "has no known extension"),
        ("[rows.csv]", "takes a path, got a list"),
    ],
)
def test_a_path_that_leads_anywhere_else_is_refused(
    write_case: WriteCase, path: str, message: str
) -> None:
    case = write_case(f"out: {{operator: PrepareForExport, input: Customer, path: {path}}}")
    said = refused(case.parent, "check", case.name)
    assert message in said
    assert "case.yml:" in said


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("rows.csv", "'rows.csv' is already the export of step 'a'"),
        ("ROWS.csv", "'ROWS.csv' is already the export of step 'a'"),
        ("rows.csv/more.csv", "cannot both exist"),
    ],
)
def test_two_steps_do_not_write_the_same_file(
    write_case: WriteCase, other: str, message: str
) -> None:
    step = "{operator: PrepareForExport, input: Customer, path: %s}"
    case = write_case(f"a: {step % 'rows.csv'}\nb: {step % other}")
    assert message in refused(case.parent, "check", case.name)


def test_an_export_cannot_be_repeated(write_case: WriteCase) -> None:
    loop = "[{path: a.csv}, {path: b.csv}]"
    case = write_case(f"a: {{operator: PrepareForExport, input: Customer, for_each: {loop}}}")
    assert "'for_each' cannot repeat an export" in refused(case.parent, "check", case.name)
