"""`--source Concept=rows`: files and tables in place of the sources that the connection names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow, refused
from support.framed_case import files, load, on_files, people


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Returns a folder of files that lies outside that of the case."""
    folder = tmp_path / "elsewhere"
    files(folder, "csv")
    return folder


def test_a_case_without_a_connection_runs_on_files_of_the_user(
    tmp_path: Path, elsewhere: Path
) -> None:
    load(tmp_path / "case")
    given = [f"--source={name}=../elsewhere/{name}.csv" for name in ("Person", "Order")]
    said = refused(tmp_path / "case", "run", "case.yml", given[0])
    assert "or give its rows: `--source Order=FILE`" in said
    accepted(tmp_path / "case", "run", "case.yml", *given)
    assert "0 of" in accepted(tmp_path / "case", "plan", "case.yml", *given)
    told = json.loads(accepted(tmp_path / "case", "plan", "case.yml", "--json"))
    reason = f"unchanged: {elsewhere / 'Person.csv'} that run 1 was given"
    assert told["stages"][0]["reason"] == reason
    assert "80" in accepted(tmp_path / "case", "stats", "case.yml", "Person")
    accepted(tmp_path / "case", "check", "case.yml", "--data")


def test_every_verb_that_reads_sources_takes_others(tmp_path: Path, elsewhere: Path) -> None:
    case = on_files(tmp_path / "case", "parquet")
    people(60).drop(columns="unused").to_csv(elsewhere / "few.csv", index=False)
    few = f"--source=Person={elsewhere / 'few.csv'}"
    case.run(target=case.path.parent / "target")
    reason = f"reads {elsewhere / 'few.csv'} instead of Person.parquet"
    planned = json.loads(accepted(tmp_path, "plan", case.path, few, "--json"))
    assert planned["stages"][0]["reason"] == reason
    found = json.loads(accepted(tmp_path, "stats", case.path, "Person", few, "--json"))
    assert found["concepts"][0]["rows"] == 60
    assert "60" in accepted(tmp_path, "stats", case.path, "--estimate", few)
    assert "were not made from these" in refused(tmp_path, "compare", case.path, "slim", few)
    accepted(tmp_path, "verify", case.path, "--on", "duckdb://", few)
    assert "80" in accepted(tmp_path, "stats", case.path, "Person"), "nothing was changed so far"
    accepted(tmp_path, "run", case.path, few)
    assert case.table("Person").num_rows == 60
    accepted(tmp_path, "compare", case.path, "slim", few, "--folds", 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Person", "write Concept=file or Concept=table"),
        ("=x.csv", "write Concept=file or Concept=table"),
        ("Persn=x.csv", "did you mean 'Person'?"),
        ("Person=x.csv", "there is no file 'x.csv'"),
        ("judged=x.csv", "is a step"),
    ],
)
def test_a_wrong_source_is_refused(tmp_path: Path, given: str, said: str) -> None:
    load(tmp_path)
    result = miningflow(tmp_path, "run", "case.yml", "--source", given)
    assert result.code in (1, 2)
    assert said in " ".join(result.err.split())
    assert [f.name for f in tmp_path.iterdir()] == ["case.yml"]


def test_a_concept_is_given_once(tmp_path: Path) -> None:
    load(tmp_path)
    twice = "--source=Person=a.csv", "--source=Person=b.csv"
    assert "'Person' is given twice" in refused(tmp_path, "run", "case.yml", *twice, code=2)
