"""The scoring script and the functions of models read codes and times of any type as sources do."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted

from miningflow.engines import csv_reading
from miningflow.sql import any_column

CASE = """\
case: coded
concepts:
  Thing: {key: id, features: {id: key, code: nominal, flag: binary, made: time, good: binary}}
steps:
  hours: {operator: GenericFeatureConstruction, input: Thing, sql: hour(made), output: hour}
  sorted:
    operator: PredictionWithDecisionTree
    input: hours
    target: good
    predictors: [code, flag, hour]
    output: guess
    leaf_size: 1
    pruning: 0
connect:
  store: duckdb:///store.duckdb
  concepts:
    Thing: {file: things.FORM}
"""
# Each of the three features decides for some rows.
ROWS = [
    (code, flag, hour, code == 2 or (code == 3 and flag) or (code == 1 and hour >= 12))
    for code in (1, 2, 3)
    for flag in (True, False)
    for hour in range(24)
]


def moment(hour: int) -> str:
    return f"2025-03-29 {hour:02}:00:00"


def folder_with(folder: Path, form: str) -> Path:
    """Runs the case on whole numbers and Booleans, or on a CSV file that pandas wrote."""
    (folder / "case.yml").write_text(CASE.replace("FORM", form))
    if form == "parquet":
        columns = {
            "id": list(range(len(ROWS))),
            "code": [row[0] for row in ROWS],
            "flag": [row[1] for row in ROWS],
            "made": [moment(row[2]) for row in ROWS],
            "good": ["yes" if row[3] else "no" for row in ROWS],
        }
        table = pa.table(columns)
        made = table["made"].cast(pa.timestamp("us"))
        pq.write_table(table.set_column(3, "made", made), folder / "things.parquet")
    else:
        lines = [
            f"{i},{code}.0,{flag},{moment(hour)},{'yes' if good else 'no'}"
            for i, (code, flag, hour, good) in enumerate(ROWS)
        ]
        (folder / "things.csv").write_text("\n".join(["id,code,flag,made,good", *lines]))
    accepted(folder, "run", "case.yml")
    return folder


@pytest.fixture(scope="module", params=["parquet", "csv"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_with(tmp_path_factory.mktemp("coded"), request.param)


EXPECTED = ["yes" if row[3] else "no" for row in ROWS]
CODES = ["code", "code::double", "code::float", "code::decimal(9, 2)", "code::text"]
CODES += ["code || '.0'", "code || '.00'"]
FLAGS = ["flag", "flag::text", "CASE WHEN flag THEN 'True' ELSE 'False' END", "upper(flag::text)"]
TIMES = ["made", "made::text", "strftime(made + INTERVAL 2 HOUR, '%Y-%m-%dT%H:%M:%S+02:00')"]
TIMES += ["made AT TIME ZONE 'UTC'"]


def rows_in(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET TimeZone = 'America/New_York'")
    connection.execute("CREATE TEMP TABLE rows_given (id int, code int, flag bool, made timestamp)")
    for i, (code, flag, hour, _) in enumerate(ROWS):
        given = [i, code, flag, moment(hour)]
        connection.execute("INSERT INTO rows_given VALUES (?, ?, ?, ?)", given)


FORMS = [(code, FLAGS[0], TIMES[0]) for code in CODES]
FORMS += [(CODES[0], flag, TIMES[0]) for flag in FLAGS[1:]]
FORMS += [(CODES[0], FLAGS[0], time) for time in TIMES[1:]]


@pytest.mark.parametrize(("code", "flag", "made"), FORMS)
def test_the_script_reads_any_type(ran: Path, code: str, flag: str, made: str) -> None:
    with duckdb.connect() as connection:
        rows_in(connection)
        columns = f"id, {code} AS code, {flag} AS flag, {made} AS made"
        connection.execute(f'CREATE VIEW "Thing" AS SELECT {columns} FROM rows_given')
        script = (ran / "target/coded/score.sql").read_text(encoding="utf-8")
        found = connection.execute(script).fetchall()
    assert [guess for _, guess in sorted(found)] == EXPECTED


@pytest.mark.parametrize(("code", "flag", "made"), FORMS)
def test_a_function_takes_any_type(ran: Path, code: str, flag: str, made: str) -> None:
    with duckdb.connect(ran / "store.duckdb") as connection:
        rows_in(connection)
        call = f"coded_results.guess(code => {code}, flag => {flag}, made => {made})"
        found = connection.execute(f"SELECT {call} FROM rows_given ORDER BY id").fetchall()
    assert [guess for (guess,) in found] == EXPECTED


def test_codes_that_were_learned_in_two_spellings_stay_apart(tmp_path: Path) -> None:
    text = CASE.replace("FORM", "csv")
    (tmp_path / "case.yml").write_text(text.replace("[code, flag, hour]", "[code]"))
    codes = ["1", "1.0", "2"]
    lines = [f"{i},{codes[i % 3]},true,{moment(1)},{i % 3}" for i in range(60)]
    (tmp_path / "things.csv").write_text("\n".join(["id,code,flag,made,good", *lines]))
    accepted(tmp_path, "run", "case.yml")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE VIEW \"Thing\" AS SELECT * FROM (VALUES (1, '1'), (2, '1.0')) t(id, code)"
        )
        script = (tmp_path / "target/coded/score.sql").read_text(encoding="utf-8")
        assert sorted(connection.execute(script).fetchall()) == [(1, "0"), (2, "1")]


def test_files_and_sql_agree_on_what_a_time_zone_is() -> None:
    assert any_column.ZONED == csv_reading.ZONED
