"""Data that do not fit their concept: refused with the place of the source and the row."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted, refused, rows

CASE = """\
case: small
concepts:
  Thing: {key: id, features: {id: key, size: numeric, made: time, kind: nominal, good: binary}}
steps:
  big: {operator: RowSelectionByQuery, input: Thing, where: size > 0, materialize: table}
connect:
  store: duckdb:///store.duckdb
  concepts:
    Thing: {file: things.csv}
"""
HEADER = "id,size,made,kind,good\n"
GOOD = HEADER + "1,2.5,2024-01-01,a,yes\n2,,,,\n3,1e3,2024-01-01 10:00:00,b,no\n"
STORE = "store.duckdb"


def write(folder: Path, data: str | bytes, case: str = CASE) -> None:
    (folder / "case.yml").write_text(case)
    (folder / "things.csv").write_bytes(data.encode() if isinstance(data, str) else data)


def refuse(folder: Path, data: str | bytes, case: str = CASE) -> str:
    """Runs the good data first: a later run that fails must leave its results as they are."""
    write(folder, GOOD)
    accepted(folder, "run", "case.yml")
    before = rows(folder / STORE, "small_results.big")
    assert len(before) == 2
    write(folder, data, case)
    said = refused(folder, "run", "case.yml")
    assert rows(folder / STORE, "small_results.big") == before
    return said


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        (
            HEADER + "1,2,,,\n2,two,today,,\n3,three,,,\n",
            [
                "2 values in column 'size' of things.csv do not fit Thing.size: numeric; "
                "the first is 'two' in data row 2",
                "the first is 'today' in data row 2",
            ],
        ),
        (HEADER + '1,"2,5",,,\n', ["the first is '2,5' in data row 1"]),
        (HEADER, ["things.csv has no rows"]),
        ("", ["things.csv is empty"]),
        ("\n\n", ["things.csv is empty"]),
        (
            HEADER.replace("size", "sizes") + "1,2,,,\n",
            ["no column 'size'", "did you mean 'sizes'?"],
        ),
        (HEADER.replace("kind", "size") + "1,2,,,\n", ["size (column 2), made, size (column 4)"]),
        (
            HEADER + "1,2,,,\n2,3\n",
            ["line 3 of the CSV file: Expected Number of Columns: 5 Found: 2"],
        ),
        (HEADER + "1,2,,,\n2,3,,,,x\n", ["line 3 of the CSV file: Expected Number of Columns: 5"]),
        (HEADER + '1,2,,"a,yes\n2,3,,,\n', ["line 2 of the CSV file: Value with unterminated"]),
        (HEADER.encode() + b"1,2,,\xe4,\n", ["line 2 of the CSV file: Invalid unicode"]),
        (GOOD.encode("utf-16"), ["is not UTF-8"]),
        (bytes(range(256)) * 100, ["the first line of things.csv is not text"]),
        (HEADER + "1,2,,,\n1,3,,,\n", ["'id' of Thing is not unique", "1 occurs 2 times"]),
        (HEADER + "a,2,,,\na,3,,,\nb,,,,\n", ["'a' occurs 2 times"]),
        (HEADER + "1,2,,,\n,3,,,\n", ["the key 'id' of Thing is missing in 1 rows"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_csv_file_that_does_not_fit_is_refused(
    tmp_path: Path, data: str | bytes, messages: list[str]
) -> None:
    said = refuse(tmp_path, data)
    assert "case.yml:9:19: error: " in said
    for message in messages:
        assert message in said


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (HEADER + "#1,2,,,\n2,3,,,\n", 2),  # no comment, but a row
        ("\ufeff" + GOOD, 2),
        (GOOD.replace("\n", "\r\n"), 2),
        (GOOD.replace(",", ";"), 2),
        (GOOD.replace(",", "\t"), 2),
        (GOOD + "\n\n", 2),
        (GOOD.replace("a,yes", '"a\nb, ""c""",yes'), 2),
        (HEADER + "007,2,,,\n7,3,,,\n", 2),  # the keys are texts then, and differ
    ],
)
def test_no_row_of_a_csv_file_is_lost(tmp_path: Path, data: str, count: int) -> None:
    write(tmp_path, data)
    accepted(tmp_path, "run", "case.yml")
    assert len(rows(tmp_path / STORE, "small_results.big")) == count


def test_a_packed_csv_file_is_read(tmp_path: Path) -> None:
    case = CASE.replace("things.csv", "things.csv.gz")
    write(tmp_path, "", case)
    (tmp_path / "things.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    accepted(tmp_path, "run", "case.yml")
    assert len(rows(tmp_path / STORE, "small_results.big")) == 2
    (tmp_path / "things.csv.gz").write_bytes(b"not packed")
    assert "cannot read things.csv.gz" in refused(tmp_path, "run", "case.yml")


def test_files_of_a_glob_are_put_together_by_name(tmp_path: Path) -> None:
    write(tmp_path, GOOD, CASE.replace("things.csv", "'thing*.csv'"))
    (tmp_path / "things2.csv").write_text("good,kind,made,size,id,more\nyes,a,,5,4,x\n")
    accepted(tmp_path, "run", "case.yml")
    assert [row[0] for row in rows(tmp_path / STORE, "small_results.big")] == [1, 3, 4]


def test_csv_and_parquet_do_not_mix(tmp_path: Path) -> None:
    case = CASE.replace("things.csv", "'thing*'")
    write(tmp_path, GOOD, case)
    pq.write_table(pa.table({"id": [1]}), tmp_path / "things.parquet")
    said = refused(tmp_path, "run", "case.yml")
    assert "case.yml:9:19: error: cannot read thing*: a source cannot mix CSV and Parquet" in said


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("things.xls", b"x", "neither .csv"),
        ("things.parquet", b"garbage " * 10, "cannot read things.parquet"),
        ("things.parquet", b"", "cannot read things.parquet"),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    said = refuse(tmp_path, GOOD, CASE.replace("things.csv", name))
    assert "case.yml:9:19: error: " in said
    assert message in said


@pytest.mark.parametrize(("delimiter", "column"), [("';'", 19), ("abcdefg", 42)])
def test_a_wrong_delimiter_is_refused(tmp_path: Path, delimiter: str, column: int) -> None:
    case = CASE.replace("things.csv}", f"things.csv, delimiter: {delimiter}}}")
    assert f"case.yml:9:{column}: error: " in refuse(tmp_path, GOOD, case)


def test_columns_of_other_types_are_refused_together(tmp_path: Path) -> None:
    case = CASE.replace("things.csv", "things.parquet")
    made = {"id": [1.5], "size": [b"x"], "made": ["2024-01-01"], "kind": ["a"], "good": [True]}
    pq.write_table(pa.table(made), tmp_path / "things.parquet")
    said = refuse(tmp_path, GOOD, case)
    assert "column 'size' of things.parquet is BLOB, which does not fit Thing.size: num" in said
    assert "column 'made' of things.parquet is VARCHAR" in said
    assert "column 'id' of things.parquet is DOUBLE" in said
    assert said.endswith("3 errors\n")


def test_a_table_of_the_store_is_checked_alike(tmp_path: Path) -> None:
    case = CASE.replace("file: things.csv", "table: things")
    write(tmp_path, GOOD, case)
    with duckdb.connect(str(tmp_path / STORE)) as connection:
        connection.execute("CREATE TABLE things (id INT, size DOUBLE, kind TEXT, good BOOLEAN)")
    assert "has no column 'made' for Thing.made" in refused(tmp_path, "run", "case.yml")
    with duckdb.connect(str(tmp_path / STORE)) as connection:
        connection.execute("ALTER TABLE things ADD COLUMN made TIMESTAMP")
    assert "things has no rows" in refused(tmp_path, "run", "case.yml")
    with duckdb.connect(str(tmp_path / STORE)) as connection:
        connection.execute("INSERT INTO things VALUES (1, 2, 'a', true, NULL)")
    accepted(tmp_path, "run", "case.yml")
    assert rows(tmp_path / STORE, "small_results.big") == [(1, 2.0, None, "a", "true")]
    assert rows(tmp_path / STORE, "main.things") == [(1, 2.0, "a", True, None)]


def test_many_missing_columns_are_summed_up(tmp_path: Path) -> None:
    features = ", ".join(f"f{i}: numeric" for i in range(500))
    said = refuse(tmp_path, GOOD, CASE.replace("size: numeric", f"size: numeric, {features}"))
    assert "lacks 490 more columns" in said
    assert len(said.splitlines()) < 60
