"""Wrong words on the command line: exit code 2 for misuse, 1 for what does not exist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support import example_data
from support.command_line import accepted, miningflow, refused

CASE = f"""\
case: example
{example_data.CONCEPTS}
steps:
  with_claims:
    operator: AggregateByRelation
    input: Customer
    relation: claims_of
    aggregates: {{claim_count: count()}}
  selected:
    operator: FeatureSelectionByAttributes
    input: with_claims
    drop: [income]
  risky:
    operator: SupportVectorMachineForClassification
    input: selected
    target: lapsed
    positive: 'yes'
    predictors: [age, household, claim_count]
    kernel: linear
    output: risk
  direct:
    operator: SupportVectorMachineForClassification
    input: Customer
    target: lapsed
    positive: 'yes'
    predictors: [age, household]
    kernel: linear
    output: risk
scoring: risky
{example_data.CONNECT}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("built")
    example_data.write(folder, example_data.tables())
    (folder / "case.yml").write_text(CASE)
    assert "has not learned yet" in refused(folder, "score", "case.yml")
    assert "`miningflow run`" in refused(folder, "compile", "case.yml", "--score")
    accepted(folder, "run", "case.yml")
    yield folder
    # nothing that a test of this file asks for may change the results
    assert "0 of 9 stages would run" in accepted(folder, "plan", "case.yml")


@pytest.mark.parametrize(
    "words",
    [
        ("score", "case.yml", "--input", "Customer"),
        ("score", "case.yml", "--input", "=new.csv"),
        ("score", "case.yml", "--input", "Customer="),
        ("score", "case.yml", "--input", "Customer=a.csv", "--input", "Customer=b.csv"),
        ("run", "case.yml", "--wait", "long"),
        ("run",),
        ("check", "case.yml", "--zork"),
        ("zork",),
        (),
    ],
    ids=" ".join,
)
def test_misuse_is_exit_code_2(built: Path, words: tuple[str, ...]) -> None:
    assert "Usage: miningflow" in refused(built, *words, code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "case.yml", "--select", "risk"), "did you mean 'risky'?"),
        (("run", "case.yml", "--from", "selectd"), "did you mean 'selected'?"),
        (("run", "case.yml", "--to", "zz"), "known steps: Customer"),
        (("plan", "case.yml", "--select", "+zz+"), "there is no step or concept 'zz'"),
        (("score", "case.yml", "--step", "zz"), "steps that predict: risky, direct"),
        (("score", "case.yml", "--step", "selected"), "these do: risky, direct"),
        (("score", "case.yml", "--keep", "zz"), "has no feature 'zz' to keep"),
        (("score", "case.yml", "--input", "Cstomer=new.csv"), "did you mean 'Customer'?"),
        (("score", "case.yml", "--input", "Customer=new.csv"), "there is no file 'new.csv'"),
        (("score", "case.yml", "--input", "Customer=newbies"), "there is no table 'newbies'"),
        (("score", "case.yml", "--input", "Customer=case.yml"), "neither .csv"),
        (("score", "case.yml", "--output", "none/scores.csv"), "there is no folder 'none'"),
        (("score", "case.yml", "--output", "scores.txt"), "scores go to .parquet or .csv files"),
        (("score", "case.yml", "--output", "."), "is not the name of a table"),
        (("show", "case.yml", "zz"), "there is no step or concept 'zz'"),
        (("show", "case.yml", "risky.agee"), "did you mean 'age'?"),
        (("show", "case.yml", "risky", "--trace"), "these do: selected"),
        (("compile", "case.yml", "zz"), "there is no step or concept 'zz'"),
        (("compile", "case.yml", "--dialect", "oracle"), "known dialects: duckdb"),
        (("operators", "Unoin"), "did you mean 'Union'?"),
        (("schema", "--output", "none/schema.json"), "No such file or directory"),
        (("init", "."), "exists and is not empty"),
        (("init", "case.yml"), "exists and is not empty"),
        (("init", "case.yml/project"), "Not a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_exist_is_exit_code_1(
    built: Path, words: tuple[str, ...], message: str
) -> None:
    before = sorted(p.name for p in built.iterdir())
    assert message in refused(built, *words)
    assert sorted(p.name for p in built.iterdir()) == before


def test_scoring_names_the_step_that_needs_a_missing_column(built: Path, tmp_path: Path) -> None:
    people = pq.read_table(built / "Prospect.parquet")
    pq.write_table(people.drop_columns(["household"]), tmp_path / "new.parquet")
    words = ("score", "case.yml", "--input", f"Customer={tmp_path}/new.parquet")
    said = refused(built, *words, "--step", "direct")
    assert "new.parquet has no column 'household', which step 'direct' needs" in said
    assert "scoring reads customer_id, age, household of Customer" in said
    assert "has no column 'household', which step " in refused(built, *words)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_scoring_needs_no_label_and_nothing_deselected(
    built: Path, tmp_path: Path, form: str
) -> None:
    people = pq.read_table(built / "Prospect.parquet").drop_columns(["lapsed", "income", "since"])
    if form == "csv":
        pyarrow.csv.write_csv(people, tmp_path / "new.csv")
    else:
        pq.write_table(people, tmp_path / "new.parquet")
    words = ("score", "case.yml", "--input", f"Customer={tmp_path}/new.{form}")
    found = json.loads(accepted(built, *words, "--json"))["rows"]
    keys = sorted(row["customer_id"] for row in found)
    assert keys == people.column("customer_id").to_pylist()
    assert {row["risk_label"] for row in found} <= {"yes", "no"}
    accepted(built, *words, "--output", tmp_path / f"scores.{form}")
    assert (tmp_path / f"scores.{form}").stat().st_size > 0


def test_values_that_do_not_fit_are_refused_when_scoring(built: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("customer_id,age,household\n1,old,2\n")
    said = refused(built, "score", "case.yml", "--input", f"Customer={tmp_path}/new.csv")
    assert "the first is 'old' in data row 1" in said


@pytest.mark.parametrize(
    "words",
    [
        ("check", "case.yml"),
        ("plan", "case.yml"),
        ("run", "case.yml"),
        ("show", "case.yml"),
        ("show", "case.yml", "risky"),
        ("show", "case.yml", "risky.age"),
        ("show", "case.yml", "--trace"),
        ("score", "case.yml"),
        ("operators",),
        ("operators", "Union"),
    ],
    ids=" ".join,
)
def test_json_is_json(built: Path, words: tuple[str, ...]) -> None:
    said = miningflow(built, *words, "--json")
    assert said.code == 0, said
    assert json.loads(said.out, parse_constant=pytest.fail)
    assert said.err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("check", "none.yml"),
        ("plan", "none.yml"),
        ("plan", "case.yml", "--select", "zz"),
        ("run", "none.yml"),
        ("run", "case.yml", "--to", "zz"),
        ("run", "case.yml", "--target", "case.yml"),
        ("show", "none.yml"),
        ("show", "case.yml", "zz"),
        ("score", "none.yml"),
        ("score", "case.yml", "--input", "Customer=none.csv"),
        ("clean", "none.yml"),
        ("operators", "Zork"),
    ],
    ids=" ".join,
)
def test_json_is_json_on_failure_too(built: Path, words: tuple[str, ...]) -> None:
    said = miningflow(built, *words, "--json")
    assert said.code == 1, said
    (diagnostic, *_) = json.loads(said.out)["diagnostics"]
    assert diagnostic["severity"] == "error"
    assert diagnostic["message"]


def test_json_knows_no_nan(tmp_path: Path) -> None:
    example_data.write(tmp_path, example_data.tables())
    (tmp_path / "case.yml").write_text(CASE)
    accepted(tmp_path, "run", "case.yml")
    (tmp_path / "new.csv").write_text("customer_id,age,household\n1,nan,2\n2,inf,2\n3,30,2\n")
    said = accepted(tmp_path, "score", "case.yml", "--input", "Customer=new.csv", "--json")
    found = json.loads(said, parse_constant=pytest.fail)["rows"]
    assert [row["risk"] is None for row in found] == [True, True, False]
    assert json.loads(accepted(tmp_path, "clean", "case.yml", "--json"))["dropped"]
    assert json.loads(accepted(tmp_path, "clean", "case.yml", "--json"))["dropped"] == []
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        left = connection.sql(
            "SELECT * FROM information_schema.tables WHERE table_schema LIKE 'example%'"
        ).fetchall()
    assert left == []
