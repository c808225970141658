"""Codes of categories are the same text whatever type their column has."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted, rows
from support.postgres_stores import Database

import miningflow

CASE = """\
case: coded
concepts:
  Thing: {key: id, features: {id: key, code: nominal, flag: binary, good: binary}}
steps:
  sorted:
    operator: PredictionWithDecisionTree
    input: Thing
    target: good
    predictors: [code, flag]
    output: guess
connect:
  store: duckdb:///store.duckdb
  concepts:
    Thing: {file: things.parquet}
"""
IDS = list(range(1, 61))
CODES = [1, 2, 3] * 20
FLAGS = [i % 2 == 0 for i in IDS]
GOOD = [1.0 if code == 2 else 0.0 for code in CODES]
TYPES = [pa.int64(), pa.uint8(), pa.float64(), pa.float32(), pa.decimal128(9, 2), pa.string()]


def write(path: Path, kind: pa.DataType = TYPES[0]) -> None:
    if pa.types.is_decimal(kind):
        codes = pa.array([Decimal(code) for code in CODES], kind)
    else:
        codes = pa.array([str(c) if kind == pa.string() else c for c in CODES], kind)
    columns = {"id": IDS, "code": codes, "flag": FLAGS, "good": GOOD}
    pq.write_table(pa.table(columns), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coded")
    (folder / "case.yml").write_text(CASE)
    write(folder / "things.parquet")
    accepted(folder, "run", "case.yml")
    return folder


def guesses(folder: Path, new: Any) -> list[str]:
    scores = miningflow.load(folder / "case.yml").score({"Thing": new})
    return list(scores.sort_by("id")["guess"].to_pylist())


EXPECTED = ["1" if code == 2 else "0" for code in CODES]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_a_code_is_the_same_text_in_every_type(tmp_path: Path, folder: Path, kind: Any) -> None:
    (tmp_path / "case.yml").write_text(CASE)
    write(tmp_path / "things.parquet", kind)
    accepted(tmp_path, "run", "case.yml", "--to", "Thing")
    found = rows(tmp_path / "store.duckdb", "coded_results.Thing")
    assert [row[1] for row in found] == [str(code) for code in CODES]
    assert [row[2] for row in found] == [str(flag).lower() for flag in FLAGS]
    assert {row[3] for row in found} == {"0", "1"}
    assert guesses(folder, tmp_path / "things.parquet") == EXPECTED
    assert guesses(folder, pq.read_table(tmp_path / "things.parquet")) == EXPECTED


def test_a_frame_with_a_missing_code_is_scored_alike(folder: Path) -> None:
    frame = pd.DataFrame({"id": [*IDS, 61], "code": [*CODES, None], "flag": [*FLAGS, True]})
    assert frame["code"].dtype == "float64"
    assert guesses(folder, frame)[:60] == EXPECTED
    assert guesses(folder, frame.assign(code=frame["code"].astype("category")))[:60] == EXPECTED


@pytest.mark.parametrize(("code", "true"), [("{}", "True"), ("{}.0", "TRUE"), ("{}.00", "true")])
def test_csv_may_write_codes_and_truth_in_another_way(
    folder: Path, tmp_path: Path, code: str, true: str
) -> None:
    words = {True: true, False: {"true": "false", "True": "False", "TRUE": "FALSE"}[true]}
    lines = [f"{i},{code.format(c)},{words[f]}" for i, c, f in zip(IDS, CODES, FLAGS, strict=True)]
    (tmp_path / "new.csv").write_text("\n".join(["id,code,flag", *lines]))
    case = miningflow.load(folder / "case.yml")
    scores = case.score({"Thing": tmp_path / "new.csv"}, keep=["code", "flag"]).sort_by("id")
    assert scores["guess"].to_pylist() == EXPECTED
    assert scores["code"].to_pylist() == [str(c) for c in CODES]
    assert scores["flag"].to_pylist() == [str(flag).lower() for flag in FLAGS]


def test_words_that_were_learned_as_text_meet_real_booleans(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(CASE.replace("parquet", "csv"))
    lines = [f"{i},{c}.0,{f},{c == 2}" for i, c, f in zip(IDS, CODES, FLAGS, strict=True)]
    (tmp_path / "things.csv").write_text("\n".join(["id,code,flag,good", *lines]))
    accepted(tmp_path, "run", "case.yml")
    frame = pd.DataFrame({"id": IDS, "code": [f"{c}.0" for c in CODES], "flag": FLAGS})
    case = miningflow.load(tmp_path / "case.yml")
    scores = case.score({"Thing": frame}, keep=["flag"]).sort_by("id")
    assert scores["guess"].to_pylist() == [str(c == 2) for c in CODES]
    assert scores["flag"].to_pylist() == [str(flag) for flag in FLAGS]
    assert guesses(tmp_path, frame.assign(code=CODES)) == [str(c == 2) for c in CODES]


def test_a_value_that_is_stored_is_never_changed(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(CASE)
    codes = ["1.0", "1", "2"] * 20
    columns = {"id": IDS, "code": codes, "flag": FLAGS, "good": GOOD}
    pq.write_table(pa.table(columns), tmp_path / "things.parquet")
    accepted(tmp_path, "run", "case.yml")
    case = miningflow.load(tmp_path / "case.yml")
    scores = case.score({"Thing": tmp_path / "things.parquet"}, keep=["code"]).sort_by("id")
    assert scores["code"].to_pylist() == codes


def test_fractions_and_negative_zero_have_one_text(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(CASE)
    codes = [1.5, -0.0, 0.0, 1e15, -2.0, 0.1] * 10
    columns = {"id": IDS, "code": codes, "flag": FLAGS, "good": GOOD}
    pq.write_table(pa.table(columns), tmp_path / "things.parquet")
    accepted(tmp_path, "run", "case.yml", "--to", "Thing")
    found = [row[1] for row in rows(tmp_path / "store.duckdb", "coded_results.Thing")]
    assert found[:6] == ["1.5", "0", "0", "1000000000000000", "-2", "0.1"]


def test_text_keeps_its_form(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(CASE)
    codes = ["001", "1.0", "True", "1"] * 15
    columns = {"id": IDS, "code": codes, "flag": FLAGS, "good": GOOD}
    pq.write_table(pa.table(columns), tmp_path / "things.parquet")
    accepted(tmp_path, "run", "case.yml", "--to", "Thing")
    found = [row[1] for row in rows(tmp_path / "store.duckdb", "coded_results.Thing")]
    assert found == codes


def test_postgres_writes_codes_alike(tmp_path: Path, database: Database) -> None:
    (tmp_path / "case.yml").write_text(CASE)
    (tmp_path / "connection.yml").write_text(
        f"store: {database.url}\nconcepts: {{Thing: {{table: things}}}}\n"
    )
    database.query("CREATE TABLE things (id int, code float8, flag bool, good numeric(9, 2))")
    codes = [1.5, -0.0, 1.0, 1e15, -2.0, 0.1]
    for i, code in enumerate(codes):
        database.query(f"INSERT INTO things VALUES ({i}, {code!r}, true, {i % 2})")
    accepted(tmp_path, "run", "case.yml", "--to", "Thing", "--connect", "connection.yml")
    found = database.query('SELECT code, flag, good FROM coded_results."Thing" ORDER BY id')
    assert [row[0] for row in found] == ["1.5", "0", "1", "1000000000000000", "-2", "0.1"]
    assert {row[1:] for row in found} == {("true", "0"), ("true", "1")}
