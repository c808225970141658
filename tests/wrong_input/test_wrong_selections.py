"""Selections that are given something wrong: the place, what is wrong, and the way out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from conftest import WriteCase
from support.command_line import refused
from test_nothing_to_learn import CONCEPTS, CONNECT, NAN, ROWS, replace_column

WITH_KEEP = [
    "FeatureSelectionByAlignment",
    "FeatureSelectionByMarginBound",
    "FeatureSelectionByNormal",
    "FeatureSelectionByScore",
    "FloatingBackwardFeatureSelectionGivenNoOfAttributes",
    "FloatingForwardFeatureSelectionGivenNoOfAttributes",
    "SimpleBackwardFeatureSelectionGivenNoOfAttributes",
    "SimpleForwardFeatureSelectionGivenNoOfAttributes",
]
WITHOUT_KEEP = [
    "FeatureSelectionByGeometry",
    "FeatureSelectionWithSVM",
    "GeneticFeatureSelection",
    "SGFeatureSelection",
]
every_selection = pytest.mark.parametrize("operator", [*WITH_KEEP, *WITHOUT_KEEP])


def _step(operator: str, more: str = "", attributes: str = "[age, household]") -> str:
    """Writes a step whose `attributes` stand in line 14, and what is added in line 15."""
    keep = "keep: 1" if operator in WITH_KEEP else "about: no number of attributes is given"
    lines = ["input: Customer", "target: lapsed", keep, f"attributes: {attributes}", more]
    more_lines = "\n".join(f"  {line}" for line in lines if line)
    return f"learned:\n  operator: {operator}\n{more_lines}"


def _said(write_case: WriteCase, step: str, *words: str) -> str:
    folder = write_case(step, concepts=CONCEPTS, connect=CONNECT).parent
    return refused(folder, *(words or ("check",)), "case.yml")


POSITIVE = "positive: 'yes'"


@every_selection
@pytest.mark.parametrize(
    ("attributes", "place", "message"),
    [
        ("[]", "14:17", "'attributes' of {operator} takes at least 1 features, got 0"),
        ("[age, lapsed]", "14:", "lapsed"),
        ("[customer_id, age]", "14:18", "feature 'customer_id' is key; 'attributes' of {operator}"),
        ("[age, years]", "14:23", "there is no feature 'years' in 'Customer'"),
        ("[age, age]", "14:23", "'attributes' of {operator} names 'age' twice"),
    ],
)
def test_wrong_attributes(
    write_case: WriteCase, operator: str, attributes: str, place: str, message: str
) -> None:
    said = _said(write_case, _step(operator, POSITIVE, attributes))
    assert f"case.yml:{place}" in said
    assert message.format(operator=operator) in said


@pytest.mark.parametrize("operator", WITH_KEEP)
def test_more_attributes_to_keep_than_there_are(write_case: WriteCase, operator: str) -> None:
    step = _step(operator, POSITIVE).replace("keep: 1", "keep: 3")
    said = _said(write_case, step)
    assert (
        "case.yml:13:11: error: 'keep' must be at most 2, the number of attributes, got 3" in said
    )


@every_selection
@pytest.mark.parametrize(
    ("column", "values", "kind", "message"),
    [
        ("lapsed", ["yes"] * ROWS, pa.string(), "= 'yes'; two classes are needed"),
        ("lapsed", ["no", "never"] * 30, pa.string(), "'yes' of 'lapsed' never occurs"),
        ("age", [None, *range(ROWS - 1)], pa.float64(), "the training rows have NULL in 'age' (1)"),
        ("age", NAN, pa.float64(), "feature 'age' has 1 value that is NaN or infinite"),
    ],
)
def test_wrong_rows(
    write_case: WriteCase, operator: str, column: str, values: list[Any], kind: Any, message: str
) -> None:
    folder = write_case(_step(operator, POSITIVE), concepts=CONCEPTS, connect=CONNECT).parent
    replace_column(folder, column, values, kind)
    said = refused(folder, "run", "case.yml")
    assert "case.yml:9:3: error: step 'learned' cannot learn: " in said
    assert message in said


@pytest.mark.parametrize(
    ("operator", "more", "place", "message"),
    [
        ("FeatureSelectionByAlignment", "kernel: radial", "15:13", "cannot be 'radial'"),
        ("FeatureSelectionByMarginBound", "kernel: sigmoid", "15:13", "cannot be 'sigmoid'"),
        ("FeatureSelectionWithSVM", "kernel: quadratic", "15:13", "cannot be 'quadratic'"),
        ("GeneticFeatureSelection", "kernel: polynomial", "15:13", "cannot be 'polynomial'"),
        ("FeatureSelectionByScore", "score: gini", "15:12", "cannot be 'gini'"),
        ("GeneticFeatureSelection", "population: 1", "15:17", "must be at least 2, got 1"),
        ("GeneticFeatureSelection", "generations: 0", "15:18", "must be at least 1, got 0"),
        ("GeneticFeatureSelection", "mutation: 1.5", "15:15", "must be at most 1, got 1.5"),
        ("GeneticFeatureSelection", "crossover: -0.1", "15:16", "must be at least 0, got -0.1"),
        ("GeneticFeatureSelection", "population: many", "15:17", "takes a whole number"),
        ("SGFeatureSelection", "threshold: 2", "15:16", "must be at most 1, got 2"),
        ("SGFeatureSelection", "population: 0", "15:17", "must be at least 2, got 0"),
        ("FeatureSelectionByGeometry", "groups: {a: age, b: 'a*'}", "15:13", "in two groups"),
        ("FeatureSelectionByGeometry", "groups: {a: years}", "15:13", "which matches no attribute"),
        ("FeatureSelectionByGeometry", "groups: {a: age, a: household}", "15:22", "twice"),
        ("FeatureSelectionByGeometry", "groups: [age]", "15:13", "takes a map of values"),
        ("FeatureSelectionByGeometry", "max_sets: 2", "14:17", "2 groups and 2 classes make 3"),
        ("FeatureSelectionByScore", "nulls: ignore", "15:12", "cannot be 'ignore'"),
    ],
)
def test_wrong_parameters(
    write_case: WriteCase, operator: str, more: str, place: str, message: str
) -> None:
    step = _step(operator, more)
    if operator in ("FeatureSelectionWithSVM", "GeneticFeatureSelection", "SGFeatureSelection"):
        step += f"\n  {POSITIVE}"
    said = _said(write_case, step)
    assert f"case.yml:{place}: error: " in said
    assert message in said


@pytest.mark.parametrize(
    "operator",
    [*(o for o in WITH_KEEP if "Given" not in o), "FeatureSelectionByGeometry"],
)
def test_a_selection_for_numbers_refuses_others_by_name(
    write_case: WriteCase, operator: str
) -> None:
    said = _said(write_case, _step(operator, attributes="[age, region]"))
    assert "case.yml:14:23: error: feature 'region' is nominal; 'attributes'" in said
    assert "fitting features: age, household" in said
