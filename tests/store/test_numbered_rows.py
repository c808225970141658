"""Files without a key: the rows are numbered, so that they can be held out and told apart."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

CASE = """case: mail
concepts:
  Mail:
    key: id
    holdout: {share: 0.3, seed: 1}
    features: {id: key, words: numeric, links: numeric, kind: nominal}
steps:
  scored:
    operator: SupportVectorMachineForClassification
    input: Mail
    target: kind
    positive: spam
    predictors: [words, links]
    kernel: linear
    output: risk
connect:
  store: duckdb:///mail.duckdb
  concepts: {Mail: {%s}}
"""


def mails(rows: int = 60) -> pa.Table:
    words = [float(i * 7 % 31) for i in range(rows)]
    links = [float(i * 5 % 11) for i in range(rows)]
    kinds = ["spam" if w + 3 * k > 30 else "ham" for w, k in zip(words, links, strict=True)]
    return pa.table({"words": words, "links": links, "kind": kinds})


def load(folder: Path, source: str, data: pa.Table) -> LoadedCase:
    pq.write_table(data, folder / "mail.parquet")
    pa_csv.write_csv(data, folder / "mail.csv")
    path = folder / "case.yml"
    path.write_text(CASE % source, encoding="utf-8")
    return miningflow.load(path)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_rows_get_their_number_as_key(tmp_path: Path, form: str) -> None:
    case = load(tmp_path, f"file: mail.{form}, number_rows: id", mails())
    case.run()
    found = case.table("Mail").sort_by("id")
    assert found["id"].to_pylist() == list(range(1, 61))
    assert found["words"].to_pylist() == mails()["words"].to_pylist()


def test_new_rows_are_numbered_too(tmp_path: Path) -> None:
    case = load(tmp_path, "file: mail.parquet, number_rows: id", mails())
    case.run()
    new = mails(9).drop_columns("kind")
    scores = case.score({"Mail": new}).sort_by("id")
    assert scores["id"].to_pylist() == list(range(1, 10))
    pq.write_table(new, tmp_path / "new.parquet")
    assert case.score({"Mail": tmp_path / "new.parquet"}).sort_by("id").equals(scores)
    keyed = new.append_column("id", pa.array(range(101, 110)))
    again = case.score({"Mail": keyed}).sort_by("id")
    assert again["id"].to_pylist() == list(range(101, 110))
    assert again["risk"].to_pylist() == scores["risk"].to_pylist()


def test_a_missing_key_column_is_answered_with_the_way_out(tmp_path: Path) -> None:
    case = load(tmp_path, "file: mail.parquet", mails())
    with pytest.raises(MiningFlowError, match=r"no column 'id' for Mail.id(.|\n)*number_rows: id"):
        case.run()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("file: mail.csv, number_rows: words", "'words' is not the key of 'Mail'"),
        ("table: mails, number_rows: id", "the rows of a table have no order"),
    ],
)
def test_only_the_key_of_a_file_can_be_numbered(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(MiningFlowError, match=message):
        load(tmp_path, source, mails()).run()
