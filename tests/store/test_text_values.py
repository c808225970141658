"""Files as people have them: decimal commas, dates, time zones, codes, encodings."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted, refused, rows
from support.postgres_stores import Database

import miningflow

CASE = """\
case: read
concepts:
  Thing: {key: id, features: {id: key, size: numeric, made: time, kind: nominal, good: binary}}
steps:
  grown:
    operator: GenericFeatureConstruction
    input: Thing
    sql: 24 * days_between(timestamp '2025-01-01 00:00:00', made)
    output: hours
  sorted:
    operator: PredictionWithDecisionTree
    input: grown
    target: good
    predictors: [hours, kind]
    output: guess
connect:
  store: STORE
  concepts:
    Thing: {SOURCE}
"""
DUCKDB = "duckdb:///store.duckdb"
MADE = [datetime(2025, 3, 29, 20), datetime(2025, 3, 30, 20)] * 5
IDS = list(range(1, 11))
GOOD = ["no"] * 5 + ["yes"] * 5


def write(folder: Path, source: str, store: str = DUCKDB) -> None:
    (folder / "case.yml").write_text(CASE.replace("SOURCE", source).replace("STORE", store))


def csv(path: Path, made: list[str], sizes: list[str], delimiter: str = ",", **how: Any) -> None:
    found = zip(IDS, sizes, made, GOOD, strict=True)
    lines = [delimiter.join([str(i), size, time, f"Maß {i % 2}", g]) for i, size, time, g in found]
    header = delimiter.join(["id", "size", "made", "kind", "good"])
    path.write_text("\n".join([header, *lines]), **how)


def loaded(folder: Path) -> list[tuple[Any, ...]]:
    return rows(folder / "store.duckdb", "read_results.Thing")


def hours(folder: Path, new: Any) -> list[float]:
    case = miningflow.load(folder / "case.yml")
    scores = case.score({"Thing": new}, keep=["hours"])
    return list(scores.sort_by("id")["hours"].to_pylist())


ZONED = ["2025-03-29T22:00:00+02:00", "2025-03-30 16:00:00-04"] * 5
SIZES = [f"{i}.5" for i in IDS]


@pytest.fixture(scope="module")
def zoned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zoned")
    write(folder, "file: things.csv")
    csv(folder / "things.csv", ZONED, SIZES)
    accepted(folder, "run", "case.yml")
    return folder


def frame(made: Any) -> pd.DataFrame:
    return pd.DataFrame({"id": IDS, "size": 1.5, "made": made, "kind": "Maß 1"})


def test_times_with_an_offset_become_those_of_utc(zoned: Path) -> None:
    assert [row[2] for row in loaded(zoned)] == MADE


def test_all_sources_of_new_rows_have_the_same_times(zoned: Path, tmp_path: Path) -> None:
    expected = [(v - datetime(2025, 1, 1)).total_seconds() / 3600 for v in MADE]
    aware = pd.to_datetime(ZONED, utc=True, format="mixed").tz_convert("Asia/Kolkata")
    naive = frame(pd.to_datetime(MADE))
    assert hours(zoned, frame(aware)) == expected
    assert hours(zoned, naive) == expected
    frame(aware).to_parquet(tmp_path / "aware.parquet")
    csv(tmp_path / "new.csv", ZONED, SIZES)
    csv(tmp_path / "plain.csv", [str(v) for v in MADE], SIZES)
    for file in ("aware.parquet", "new.csv", "plain.csv"):
        assert hours(zoned, tmp_path / file) == expected, file
    with duckdb.connect(str(zoned / "store.duckdb")) as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path}/aware.parquet'")
    assert hours(zoned, "t") == expected


def test_the_time_zone_of_the_machine_does_not_matter(
    zoned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "file: things.parquet")
    data = frame(pd.to_datetime(ZONED, utc=True, format="mixed")).assign(good=GOOD)
    data.to_parquet(tmp_path / "things.parquet")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    accepted(tmp_path, "run", "case.yml")
    assert [row[2] for row in loaded(tmp_path)] == MADE


@pytest.mark.parametrize("other", ["2025-03-30 16:00:00", "2025-03-30"])
def test_times_with_and_without_a_zone_are_refused(tmp_path: Path, other: str) -> None:
    write(tmp_path, "file: things.csv")
    csv(tmp_path / "things.csv", [*ZONED[:8], "2025-03-29 22:00:00 Europe/Berlin", other], SIZES)
    said = refused(tmp_path, "run", "case.yml")
    assert "case.yml:19:19: error: column 'made' of things.csv has times with and without" in said
    assert f"'{ZONED[0]}' in data row 1, '{other}' in data row 10" in said


GERMAN = "file: things.csv, decimal: ',', thousands: '.', date_format: '%d.%m.%Y %H:%M', " \
         "null_values: [k. A., '-'], encoding: latin-1, delimiter: ';'"  # fmt: skip
GERMAN_MADE = ["29.03.2025 20:00", "30.03.2025 20:00"] * 5
GERMAN_SIZES = ["1,5", "1.234,5", "1.234.567", "k. A.", "-", "-1,5e3", "0,5", "7", "8,", ",9"]
EXPECTED = [1.5, 1234.5, 1234567.0, None, None, -1500.0, 0.5, 7.0, 8.0, 0.9]


def test_a_german_file_is_read_and_scored(tmp_path: Path) -> None:
    write(tmp_path, GERMAN)
    csv(tmp_path / "things.csv", GERMAN_MADE, GERMAN_SIZES, ";", encoding="latin-1")
    accepted(tmp_path, "run", "case.yml")
    found = loaded(tmp_path)
    assert [row[1] for row in found] == EXPECTED
    assert [row[2] for row in found] == MADE
    assert found[0][3] == "Maß 1"
    csv(tmp_path / "new.csv", GERMAN_MADE, GERMAN_SIZES, ";", encoding="latin-1")
    told = accepted(tmp_path, "score", "case.yml", "--input", "Thing=new.csv", "--keep", "size",
                    "--output", "out.parquet")  # fmt: skip
    assert "10 rows" in told
    scored = pq.read_table(tmp_path / "out.parquet").sort_by("id")["size"].to_pylist()
    assert scored == EXPECTED
    assert "0 of" in accepted(tmp_path, "run", "case.yml")
    (tmp_path / "case.yml").write_text(
        (tmp_path / "case.yml").read_text().replace("null_values: [k. A., '-']", "null_values: -")
    )
    said = refused(tmp_path, "run", "case.yml")
    assert "the first is 'k. A.' in data row 4" in said


def test_a_german_file_is_read_on_postgres(tmp_path: Path, database: Database) -> None:
    write(tmp_path, GERMAN)
    csv(tmp_path / "things.csv", GERMAN_MADE, GERMAN_SIZES, ";", encoding="latin-1")
    (tmp_path / "connection.yml").write_text(
        f"store: {database.url}\nconcepts:\n  Thing: {{{GERMAN}}}\n"
    )
    accepted(tmp_path, "run", "case.yml", "--connect", "connection.yml")
    found = database.query('SELECT size, made, kind FROM read_results."Thing" ORDER BY id')
    assert found[0] == (1.5, MADE[0], "Maß 1")
    assert [row[0] for row in found] == EXPECTED


@pytest.mark.parametrize(
    ("size", "options"),
    [
        ("1.5", "decimal: ','"),
        ("1.5", "decimal: ',', thousands: '.'"),
        ("12.34,5", "decimal: ',', thousands: '.'"),
        ("1,5", "thousands: ','"),
        ("1,5", "delimiter: ';'"),
        ("two", "decimal: '.'"),
    ],
)
def test_a_number_in_another_form_is_refused(tmp_path: Path, size: str, options: str) -> None:
    write(tmp_path, f"file: things.csv, {options}")
    csv(tmp_path / "things.csv", ZONED, ["7", "7", size, *["7"] * 7], ";")
    said = refused(tmp_path, "run", "case.yml")
    assert "1 value in column 'size' of things.csv does not fit Thing.size: numeric; " in said
    assert f"the first is '{size}' in data row 3" in said
    assert "`decimal: ','`" in said


def test_utf_16_is_read(tmp_path: Path) -> None:
    write(tmp_path, "file: things.csv, encoding: UTF-16")
    csv(tmp_path / "things.csv", ZONED, SIZES, encoding="utf-16")
    accepted(tmp_path, "run", "case.yml")
    assert loaded(tmp_path)[0][3] == "Maß 1"


@pytest.mark.parametrize(
    ("options", "column", "message"),
    [
        ("delimiter: '||'", 42, "'delimiter' must be a single ASCII character, got '||'"),
        ("delimiter: ''", 42, "'delimiter' must be a single ASCII character, got ''"),
        ("decimal: ',,'", 40, "'decimal' must be a single ASCII character, got ',,'"),
        ("thousands: 5", 42, "'5' cannot stand within a number"),
        ("thousands: .", 42, "'.' cannot be both 'decimal' and 'thousands'"),
        ("date_format: DD.MM.YYYY", 44, "no code such as %Y in the date format 'DD.MM.YYYY'"),
        ("date_format: '%d.%Q'", 44, "unknown code '%Q' in the date format '%d.%Q'"),
        ("encoding: klingon", 41, "the encoding 'klingon' cannot be read"),
        ("encoding: cp1252", 41, "iconv -f cp1252 -t utf-8"),
        ("decimals: ','", 31, "unknown key 'decimals'"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(
    tmp_path: Path, options: str, column: int, message: str
) -> None:
    write(tmp_path, f"file: things.csv, {options}")
    said = refused(tmp_path, "check", "case.yml")
    assert f"case.yml:19:{column}: error: " in said
    assert message in said


@pytest.mark.parametrize("source", ["file: a.parquet", "table: a"])
def test_options_of_csv_are_refused_elsewhere(tmp_path: Path, source: str) -> None:
    write(tmp_path, f"{source}, decimal: ','")
    assert "'decimal' is for CSV files" in refused(tmp_path, "check", "case.yml")


def text_numbers(path: Path, sizes: list[str | None]) -> None:
    made = pa.array(MADE, pa.timestamp("us"))
    kinds = ["a", "b"] * 5
    columns = {"id": IDS, "size": sizes, "made": made, "kind": kinds, "good": GOOD}
    pq.write_table(pa.table(columns), path)


def test_text_that_holds_only_numbers_may_be_numeric(tmp_path: Path) -> None:
    write(tmp_path, "file: things.parquet")
    text_numbers(tmp_path / "things.parquet", [" 1", "2.5", None, "", "1e3", *["7"] * 5])
    accepted(tmp_path, "run", "case.yml")
    found = [row[1] for row in loaded(tmp_path)]
    assert found == [1.0, 2.5, None, None, 1000.0, *[7.0] * 5]
    text_numbers(tmp_path / "things.parquet", ["1", "2", "three", "4", "five", *["7"] * 5])
    said = refused(tmp_path, "run", "case.yml")
    assert "2 values in column 'size' of things.parquet do not fit Thing.size: numeric; " in said
    assert "the first is 'three' in data row 3" in said


def test_text_in_a_table_of_postgres_may_be_numeric(tmp_path: Path, database: Database) -> None:
    write(tmp_path, "table: things", database.url)
    (tmp_path / "connection.yml").write_text(
        f"store: {database.url}\nconcepts: {{Thing: {{table: things}}}}\n"
    )
    database.query(
        "CREATE TABLE things AS SELECT i AS id, i || '.5' AS size, 1.0::float8 AS kind, "
        "timestamptz '2025-03-29 22:00+02' AS made, 'no' AS good FROM generate_series(1, 3) i"
    )
    database.query(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', "
        "current_database(), 'Asia/Tokyo'); END $$"
    )
    words = ("case.yml", "--connect", "connection.yml")
    accepted(tmp_path, "run", *words, "--to", "grown")
    found = database.query('SELECT size, made, kind FROM read_results."Thing" ORDER BY id')
    assert found == [(i + 0.5, MADE[0], "1") for i in (1, 2, 3)]
    database.query("INSERT INTO things VALUES (4, 'four', 2, NULL, 'no')")
    said = refused(tmp_path, "run", *words, "--to", "grown")
    assert "1 value in column 'size' of things does not fit Thing.size: numeric" in said
    assert "one of them is 'four'" in said


def test_an_export_reads_times_and_codes_alike(zoned: Path, tmp_path: Path) -> None:
    accepted(zoned, "export", "case.yml", "--to", "script", "--output", tmp_path / "out",
             "--with-data")  # fmt: skip
    with contextlib.chdir(tmp_path / "out"), duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.execute(Path("all.sql").read_text())
        found = connection.sql('SELECT made FROM read_exported."Thing" ORDER BY id').fetchall()
    assert [made for (made,) in found] == MADE


def test_an_export_refuses_options_that_it_cannot_write(tmp_path: Path) -> None:
    write(tmp_path, GERMAN)
    csv(tmp_path / "things.csv", GERMAN_MADE, GERMAN_SIZES, ";", encoding="latin-1")
    accepted(tmp_path, "run", "case.yml")
    said = refused(tmp_path, "export", "case.yml", "--to", "script")
    assert "an export cannot read things.csv with `decimal`, `thousands`, `date_format`" in said
