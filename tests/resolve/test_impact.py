"""What the removal of a feature does is foretold, and happens."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import tested_case
from support.command_line import accepted, refused

import miningflow
from miningflow.errors import CompileError
from miningflow.project import LoadedCase

ROOT = Path(__file__).parents[2]
STEPS = """  older: {operator: RowSelectionByQuery, input: slim, where: age + income > 3}
  described:
    operator: FeatureSelectionByAttributes
    input: slim
    attributes: [age, income, total]
    drop: [income]
  distinct: {operator: RemoveDuplicates, input: slim, targets: [since]}
  scaled: {operator: LinearScaling, input: slim, for_each: {target: [age, how_many]}}
"""
TESTS = """tests:
  fills: {step: filled, given: {with_claims: [{id: 1, income: 2}]}, expect: [{id: 1, income: 2}]}
  counts: {step: with_claims, given: {Customer: [{id: 1}], Claim: []}, expect: [{how_many: 0}]}
data_tests:
  adults: [{not_null: total}, {not_null: age}]
"""


@pytest.fixture
def case(tmp_path: Path) -> LoadedCase:
    path = tested_case.write(tmp_path, STEPS + TESTS)
    text = path.read_text().replace(
        "{file: claim.csv}", "{file: claim.csv, columns: {amount: sum}}"
    )
    path.write_text(text)
    return miningflow.load(path)


def _said(case: LoadedCase, what: str, column: bool = False) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for e in case.impact(what, column).effects:
        through = f" (with {e.through})" if e.through else ""
        found.setdefault(e.kind, []).append(f"{e.where}: {e.said}{through}")
    return found


def test_an_obligatory_feature_breaks_a_step_and_all_after_it(case: LoadedCase) -> None:
    since = "cannot run, because 'filled' cannot (with filled)"
    assert _said(case, "Customer.income") == {
        "breaks": [
            "filled: target needs income",
            *(f"{s}: {since}" for s in ("slim", "adults", "older", "described", "distinct")),
            f"scaled: {since}",
            "data test of adults: total is not null (with filled)",
            "data test of adults: age is not null (with filled)",
            "test fills: it runs filled (with filled)",
            "test fills: a row names with_claims.income",
        ]
    }


def test_expressions_lists_loops_and_tests_are_followed(case: LoadedCase) -> None:
    assert _said(case, "slim.age") == {
        "breaks": [
            "adults: where needs age",
            "older: where needs age",
            "data test of adults: total is not null (with adults)",
            "data test of adults: age is not null (with adults)",
        ],
        "shrinks": ["described: attributes loses age: 2 of 3 are left"],
        "loses": ["scaled: the turn for age is left out"],
    }


def test_what_is_made_from_it_goes_with_it(case: LoadedCase) -> None:
    impact = case.impact("Claim.amount")
    assert impact.lost["with_claims"] == ("total",)
    assert impact.lost["adults"] == ("total",)
    assert _said(case, "Claim.amount") == {
        "loses": [
            "source of Claim: columns maps amount",
            "data test of adults: total is not null: left out without total",
        ],
        "shrinks": [
            "with_claims: aggregates loses amount: 1 of 2 are left",
            "described: attributes loses total: 2 of 3 are left",
        ],
    }


def test_an_optional_list_counts_as_not_given(case: LoadedCase) -> None:
    assert _said(case, "filled.since") == {
        "loses": ["distinct: targets counts as not given without since"]
    }


def test_a_key_breaks_relations_and_steps(case: LoadedCase) -> None:
    found = _said(case, "Customer.id")["breaks"]
    assert "concept Customer: id is its key; held-out rows are chosen by it" in found
    assert "relation claims_of: it uses Customer.id" in found
    assert "with_claims: relation claims_of uses it" in found
    assert "relation claims_of: it uses Claim.id" in _said(case, "Claim.id")["breaks"]


def test_a_column_stands_for_the_features_that_read_it(case: LoadedCase) -> None:
    assert case.impact("claim.csv.sum", column=True) == case.impact("Claim.amount")


def test_nothing_may_use_it(case: LoadedCase) -> None:
    impact = case.impact("adults.since")
    assert impact.effects == ()
    folder = case.path.parent
    assert "adults" in accepted(folder, "impact", "case.yml", "adults.since")


def test_places_are_those_of_the_parameters(case: LoadedCase) -> None:
    folder = case.path.parent
    told = json.loads(accepted(folder, "impact", "case.yml", "slim.age", "--json"))
    where = next(e for e in told["effects"] if e["where"] == "adults")
    line = (folder / "case.yml").read_text().splitlines()[where["line"] - 1]
    assert line[where["column"] - 1 :].startswith("age >= 18")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Customer.incom"], "did you mean 'income'?"),
        (["Custmer.income"], "did you mean 'Customer'?"),
        (["Customer"], "write Customer.feature"),
        (["--column", "claim.csv.amount"], "no concept reads the column 'claim.csv.amount'"),
    ],
)
def test_what_is_not_there_is_refused(case: LoadedCase, words: list[str], said: str) -> None:
    assert said in refused(case.path.parent, "impact", "case.yml", *words)


FORETOLD = ["age", "income", "channel", "premium", "since", "newsletter"]


@pytest.mark.parametrize("feature", FORETOLD)
def test_what_is_foretold_happens(tmp_path: Path, feature: str) -> None:
    """Drops the feature for real, right after the source, and compares what still compiles."""
    shutil.copytree(ROOT / "cases" / "data", tmp_path / "data")
    text = (ROOT / "cases" / "insurance.yml").read_text().split("\ntests:")[0]
    shortened = text.replace(
        "    kernel: radial\n    C: 2\n    sample_size: 800", "    kernel: linear"
    )
    connect = "\nconnect:" + (ROOT / "cases" / "insurance.yml").read_text().split("\nconnect:")[1]
    (tmp_path / "plain.yml").write_text(shortened + connect)
    foretold = miningflow.load(tmp_path / "plain.yml").impact(f"Customer.{feature}")
    broken = [e for e in foretold.effects if e.kind == "breaks"]
    dropped = shortened.replace(
        "steps:\n",
        "steps:\n  without: {operator: FeatureSelectionByAttributes, input: Customer, "
        f"drop: [{feature}]}}\n",
        1,
    ).replace("        input: Customer\n", "        input: without\n", 1)
    (tmp_path / "dropped.yml").write_text(dropped + connect)
    case = miningflow.load(tmp_path / "dropped.yml")
    upto: dict[str, Any] = {"to_step": "prepared"}
    if broken:
        with pytest.raises(CompileError) as refusal:
            case.run(**upto)
        assert f"(feature '{feature}') was deselected in step 'without'" in str(refusal.value)
    else:
        case.run(**upto)
        assert feature not in case.table("prepared").column_names
    assert bool(broken) == (feature in ("income", "channel", "since"))
