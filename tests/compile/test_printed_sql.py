"""What is printed: explicit columns, quoted names, doubles, comments that stay comments."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sqlglot
from conftest import LoadCase
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType
from support import example_data

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), claim_count: count()}
ratio: {operator: GenericFeatureConstruction, input: with_claims, sql: income / 3, output: third}
scaled: {operator: LinearScaling, input: ratio, target: third}
groups:
  operator: EquidistantDiscretizationGivenNoOfIntervals
  input: scaled
  target: age
  intervals: 3
  output: age_group
mapped: {operator: Mapping, input: groups, target: region, map: {north: n, south: "it's"}}
rated:
  operator: JoinByKey
  concepts: [mapped, Rating]
  rename: {Rating.income: rated_income}
sample: {operator: RowSelectionByRandomSampling, input: rated, how_many: 35}
known: {operator: DeleteRecordsWithMissingValues, input: sample, targets: [region]}
slim: {operator: FeatureSelectionByAttributes, input: known, drop: [since]}
old: {operator: RowSelectionByQuery, input: slim, where: age > 20 or region is null}
risky:
  operator: SupportVectorMachineForClassification
  input: old
  target: lapsed
  positive: 'yes'
  predictors: [age, household, claim_count, age_group]
  output: risk
guessed:
  operator: SupportVectorMachineForRegression
  input: risky
  target: age
  predictors: [household, region]
  kernel: linear
  output: guess
quality:
  operator: ComputeSVMError
  input: guessed
  actual: lapsed
  predicted: risk_label
  positive: 'yes'
  decision: risk
people: {operator: Union, concepts: [Customer, Prospect]}
"""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    folder = tmp_path_factory.mktemp("printed")
    example_data.write(folder, example_data.tables())
    body = "\n".join(f"  {line}" for line in STEPS.splitlines())
    path = folder / "case.yml"
    path.write_text(
        f"case: example\n{example_data.CONCEPTS}\nsteps:\n{body}\n{example_data.CONNECT}",
        encoding="utf-8",
    )
    project = miningflow.load(path)
    project.run()
    return project


@pytest.fixture(scope="module")
def scripts(case: LoadedCase) -> list[str]:
    return [case.compile(), case.compile("risky", score=True), case.compile("guessed", score=True)]


def test_columns_are_listed(scripts: list[str]) -> None:
    for script in scripts:
        for statement in _parsed(script):
            for star in statement.find_all(exp.Star):
                assert isinstance(star.parent, exp.Count), star.parent


def test_names_are_quoted(scripts: list[str]) -> None:
    for script in scripts:
        for statement in _parsed(script):
            for name in statement.find_all(exp.Identifier):
                if isinstance(name.parent, exp.PropertyEQ):
                    continue  # the text key of a struct, which sqlglot reads as a name
                assert name.quoted, name


def _is_position(literal: exp.Literal) -> bool:
    """Returns whether a number counts items of a list."""
    if not literal.name.isdigit():
        return False
    called = literal.find_ancestor(exp.Anonymous, exp.Lambda, exp.Select)
    lists = ("LIST_EXTRACT", "RANGE", "GENERATE_SERIES")
    if isinstance(called, exp.Anonymous) and called.name.upper() in lists:
        return True
    return literal.find_ancestor(exp.Bracket, exp.GenerateSeries) is not None


def test_numbers_are_doubles(scripts: list[str]) -> None:
    for script in scripts:
        for statement in _parsed(script):
            for literal in statement.find_all(exp.Literal):
                parent = literal.parent
                if literal.is_string or isinstance(parent, exp.Limit):
                    continue
                if _is_position(literal):
                    continue
                assert re.fullmatch(r"\d+(\.\d+)?e-?\d+", literal.name.lower()), literal


def test_every_statement_names_its_step(case: LoadedCase, scripts: list[str]) -> None:
    for statement in scripts[0].split(";\n"):
        if statement.strip():
            first = statement.strip().splitlines()[0]
            assert re.match(r"-- step '\w+': [A-Z]\w+", first), first
    for step in case.bound.steps:
        assert f"-- step '{step}': " in scripts[0]


def _parsed(script: str) -> list[exp.Expression]:
    found = sqlglot.parse(script, dialect="duckdb")
    return [statement for statement in found if isinstance(statement, exp.Expression)]


@pytest.mark.parametrize(
    "name", ["a'; DROP TABLE x; --", "*/ DROP TABLE x /*", "-- x", "{{ jinja }}", "ü'\"`"]
)
def test_a_name_stays_inside_its_comment_and_quotes(name: str, load_case: LoadCase) -> None:
    case = load_case(
        f"""
        {json.dumps(name, ensure_ascii=False)}:
          operator: SupportVectorMachineForClassification
          about: {json.dumps(f"about {name}", ensure_ascii=False)}
          input: Customer
          target: lapsed
          positive: 'yes'
          predictors: [age]
          output: risk
        """
    )
    case.run()
    assert case.table(name).num_rows == 60
    for script in (case.compile(), case.compile(name, score=True)):
        kinds = {type(statement).__name__ for statement in _parsed(script)}
        assert kinds <= {"Create", "Select"}
        assert not any(_is_bare(script, word) for word in ("DROP", "jinja"))


def _is_bare(script: str, word: str) -> bool:
    """Returns whether a word stands outside of comments, names and texts."""
    tokens = sqlglot.tokenize(script, read="duckdb")
    return any(
        word in t.text
        for t in tokens
        if t.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
    )


@pytest.mark.parametrize("break_", ["\n", "\r", "\u2028", "\x0b", "\x85"])
def test_a_name_with_a_line_break_is_refused(break_: str, tmp_path: Path) -> None:
    example_data.write(tmp_path, example_data.tables())
    name = json.dumps(f"a{break_}DROP TABLE x")
    path = tmp_path / "case.yml"
    for step, output in ((name, "y"), ("fine", name)):
        path.write_text(
            f"case: example\n{example_data.CONCEPTS}\nsteps:\n  {step}: {{operator: "
            f"GenericFeatureConstruction, input: Customer, sql: age, output: {output}}}\n"
            f"{example_data.CONNECT}",
            encoding="utf-8",
        )
        with pytest.raises(MiningFlowError):
            miningflow.load(path)


def test_line_breaks_in_about_do_not_reach_the_sql(load_case: LoadCase) -> None:
    case = load_case(
        r"""
        plain:
          operator: GenericFeatureConstruction
          about: "one\n; DROP TABLE x;\ntwo"
          input: Customer
          sql: age
          output: y
        """
    )
    case.run()
    assert not _is_bare(case.compile(), "DROP")
