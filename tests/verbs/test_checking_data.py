"""`check --data` finds what is wrong with sources before anything runs, all of it at once."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from support.command_line import accepted, refused

import miningflow

CASE = """\
case: looked
concepts:
  Thing: {key: id, features: {id: key, size: numeric, made: time}}
  Part: {key: id, features: {id: key, kind: nominal}}
steps:
  big: {operator: RowSelectionByQuery, input: Thing, where: size > 0}
connect:
  store: duckdb:///store.duckdb
  concepts:
    Thing: {file: things.parquet}
    Part: {file: parts.csv}
"""


def write(folder: Path, made: object, header: str, case: str = CASE) -> None:
    (folder / "case.yml").write_text(case)
    table = pa.table({"id": [1], "size": [1.5], "made": [made]})
    pq.write_table(table, folder / "things.parquet")
    (folder / "parts.csv").write_text(f"{header}\n1,a\n")


def test_sources_that_fit_are_accepted_and_nothing_is_made(tmp_path: Path) -> None:
    write(tmp_path, pa.scalar(0, pa.timestamp("us")), "id,kind")
    assert "no errors" in accepted(tmp_path, "check", "case.yml", "--data")
    assert not (tmp_path / "store.duckdb").exists()


def test_all_findings_are_reported_at_their_places(tmp_path: Path) -> None:
    write(tmp_path, 5, "id,kin")
    assert "no errors" in accepted(tmp_path, "check", "case.yml")
    said = refused(tmp_path, "check", "case.yml", "--data")
    assert "case.yml:10:19: error: column 'made' of things.parquet is BIGINT" in said
    assert "case.yml:11:18: error: parts.csv has no column 'kind' for Part.kind" in said
    assert said.endswith("2 errors\n")
    (found,) = miningflow.check(tmp_path / "case.yml", data=True)
    assert [each.severity for each in found.diagnostics].count("error") == 2
    assert not found.passed


def test_a_missing_file_hides_no_other_finding(tmp_path: Path) -> None:
    write(tmp_path, 5, "id,kind", CASE.replace("parts.csv", "part.csv"))
    said = refused(tmp_path, "check", "case.yml", "--data")
    assert "column 'made' of things.parquet is BIGINT" in said
    assert "there is no file 'part.csv'" in said
    assert said.endswith("2 errors\n")


def test_missing_files_and_tables_are_reported(tmp_path: Path) -> None:
    case = CASE.replace("{file: things.parquet}", "{table: things}").replace("parts", "p*rts")
    write(tmp_path, 5, "id,kind", case.replace("p*rts", "part"))
    assert "there is no file 'part.csv'" in refused(tmp_path, "check", "case.yml", "--data")
    write(tmp_path, 5, "id,kind", case)
    assert "the store does not exist yet" in refused(tmp_path, "check", "case.yml", "--data")
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        connection.execute("CREATE TABLE thingies (id DOUBLE, size BLOB, made DATE)")
    said = refused(tmp_path, "check", "case.yml", "--data")
    assert "there is no table 'things' in the store" in said
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        connection.execute("ALTER TABLE thingies RENAME TO things")
    said = refused(tmp_path, "check", "case.yml", "--data")
    assert "column 'id' of things is DOUBLE, which does not fit Thing.id: key" in said
    assert "column 'size' of things is BLOB" in said
