"""What `check` foresees: selections that may drop what is needed, and held-out rows that leak."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import example_data
from support.command_line import miningflow

SELECT = """
  relevant:
    operator: FeatureSelectionWithSVM
    input: Customer
    target: lapsed
    positive: 'yes'
    attributes: [age, income, household]
"""
BETWEEN = "  between: {operator: AssignModalValue, input: relevant, target: region}\n"
SCORE = """
  scored_by_svm:
    operator: SupportVectorMachineForClassification
    input: between
    target: lapsed
    positive: 'yes'
    predictors: %s
    output: risk
"""


def warnings(folder: Path, steps: str, concepts: str = example_data.CONCEPTS) -> str:
    (folder / "case.yml").write_text(f"case: a\n{concepts}\nsteps:\n{steps}")
    said = miningflow(folder, "check", "case.yml")
    assert said.code == 0
    assert "no errors" in said.out
    return said.err


def test_an_obligatory_feature_that_may_be_dropped_is_a_warning_with_its_way(
    tmp_path: Path,
) -> None:
    step = "  last: {operator: LinearScaling, input: between, target: age, range: [0, 1]}\n"
    said = warnings(tmp_path, SELECT + BETWEEN + step)
    line = 1 + (tmp_path / "case.yml").read_text()[: -len(step)].count("\n")
    assert f"case.yml:{line}:59: warning: obligatory parameter 'target' (feature 'age')" in said
    assert "may be deselected in step 'relevant'; then 'last' cannot run" in said
    assert "path: relevant → between → last" in said
    assert said.count("warning: ") == 1


@pytest.mark.parametrize(
    "step",
    [
        "{operator: RowSelectionByQuery, input: between, where: age > 3}",
        "{operator: GenericFeatureConstruction, input: between, sql: age + 1, output: next}",
    ],
)
def test_a_fragment_needs_each_of_its_features(tmp_path: Path, step: str) -> None:
    said = warnings(tmp_path, f"{SELECT}{BETWEEN}  last: {step}\n")
    assert "(feature 'age') may be deselected in step 'relevant'" in said


@pytest.mark.parametrize("name", ["region", "since"])
def test_what_no_selection_may_drop_is_no_warning(tmp_path: Path, name: str) -> None:
    step = (
        f"  last: {{operator: DeleteRecordsWithMissingValues, input: between, targets: [{name}]}}\n"
    )
    assert warnings(tmp_path, SELECT + BETWEEN + step) == ""


def test_a_list_that_always_keeps_one_is_no_warning(tmp_path: Path) -> None:
    # the selection keeps at least one of exactly these
    assert warnings(tmp_path, SELECT + BETWEEN + SCORE % "[age, income, household]") == ""
    assert warnings(tmp_path, SELECT + BETWEEN + SCORE % "[age, region]") == ""


def test_a_list_that_may_run_empty_is_a_warning(tmp_path: Path) -> None:
    said = warnings(tmp_path, SELECT + BETWEEN + SCORE % "[age, income]")
    assert "obligatory parameter 'predictors' needs at least 1, and step 'relevant'" in said
    assert "may leave only 0 of its 2 features" in said
    assert "path: relevant → between → scored_by_svm" in said


def test_warnings_are_in_the_json(tmp_path: Path) -> None:
    import json

    warnings(tmp_path, SELECT + BETWEEN + SCORE % "[age, income]")
    (found,) = json.loads(miningflow(tmp_path, "check", "case.yml", "--json").out)["diagnostics"]
    assert found["severity"] == "warning"
    assert found["line"] > 1


HELD = example_data.CONCEPTS.replace(
    "    key: customer_id\n", "    key: customer_id\n    holdout: {share: 0.3, seed: 1}\n", 1
)


def test_learning_from_rows_that_lost_their_mark_is_a_warning(tmp_path: Path) -> None:
    union = "  both: {operator: Union, concepts: [Customer, Prospect]}\n"
    filled = "  filled: {operator: AssignAverageValue, input: both, target: income}\n"
    said = warnings(tmp_path, union + filled, HELD)
    assert "warning: step 'filled' also learns from held-out rows of 'Customer'" in said
    assert "after 'both' they can no longer be recognised by key" in said
    assert "learn_on" in said
    assert warnings(tmp_path, union, HELD) == ""  # nothing is learned there
    assert warnings(tmp_path, union + filled) == ""
    elsewhere = filled.replace("target", "learn_on: Customer, target")
    assert warnings(tmp_path, union + elsewhere, HELD) == ""


def test_learning_two_relations_away_from_a_holdout_is_a_warning(tmp_path: Path) -> None:
    concepts = HELD.replace(
        "\nrelations:\n",
        "  Item:\n    key: item_id\n    features: {item_id: key, claim_id: key, price: numeric}\n"
        "\nrelations:\n  items_of: {from: Item.claim_id, to: Claim.claim_id}\n",
    )
    step = "  priced: {operator: AssignAverageValue, input: Item, target: price}\n"
    said = warnings(tmp_path, step, concepts)
    assert "step 'priced' also learns from held-out rows of 'Customer': after 'Claim'" in said


def test_what_a_join_or_an_aggregate_needs_may_be_dropped(tmp_path: Path) -> None:
    drop = "  slim: {operator: FeatureSelectionByAttributes, input: %s, drop: [%s]}\n"
    join = (
        "  joined: {operator: JoinByKey, concepts: [slim, Rating], "
        "keys: [slim.region, Rating.grade], rename: {Rating.income: rated}}\n"
    )
    said = warnings(tmp_path, drop % ("Customer", "region") + join)
    assert "obligatory parameter 'keys' (feature 'region') may be deselected in step 'slim'" in said
    total = (
        "  totals: {operator: AggregateByRelation, input: Customer, rows_of: slim, "
        "relation: claims_of, aggregates: {total: sum(amount)%s}}\n"
    )
    said = warnings(tmp_path, drop % ("Claim", "amount") + total % "")
    assert "'aggregates' needs at least 1, and step 'slim' may leave only 0 of its 1 agg" in said
    assert warnings(tmp_path, drop % ("Claim", "amount") + total % ", n: count()") == ""


def test_the_mark_is_carried_through_keys(tmp_path: Path) -> None:
    steps = SELECT + BETWEEN + SCORE % "[age, income, household]"
    assert warnings(tmp_path, steps, HELD) == ""
