"""The four deselection rules, for every parameter of every operator that names features."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.example_case import OPERATORS, ExampleCase, example_of, named_features, without

from miningflow.catalog import installed
from miningflow.declare import FeatureSelection
from miningflow.declare.kinds.feature_maps import FeatureLabels, FeatureValues
from miningflow.declare.kinds.features import FeatureList, FeatureName, NamesFeatures
from miningflow.declare.kinds.fragments import AggregateMap, ConditionList, Expression
from miningflow.declare.kinds.qualified_features import CollectedFeatures, FeatureOfEach
from miningflow.declare.parameters import Parameter
from miningflow.errors import CompileError, ResolveError

SINGLE = (FeatureName, Expression, ConditionList, FeatureOfEach)
LISTS = (FeatureList, AggregateMap, CollectedFeatures, FeatureValues, FeatureLabels)

# Parameters that examples do not give; a change to None takes a parameter out.
FURTHER: list[tuple[str, dict[str, Any]]] = [
    (
        "RowSelectionByQuery",
        {"conditions": [{"feature": "income", "operator": ">", "value": 0}], "where": None},
    ),
    (
        "FeatureSelectionByAttributes",
        {"keep": ["age", "income"], "attributes": ["age", "income", "household"], "drop": None},
    ),
    ("ComputeSVMError", {"probability": "risk", "decision": None}),
    (
        "ComputeSVMError",
        {"input": "Customer", "predicted": "lapsed", "decision": None, "by": "region"},
    ),
    ("JoinByKey", {"keys": ["Customer.region", "Rating.grade"]}),
    ("UnionByKey", {"keys": ["Customer.region", "Rating.grade"]}),
    *(
        (name, {"predictors": ["age"], "sample_weight": "household"})
        for name in (
            "MissingValueWithDecisionRules",
            "MissingValueWithDecisionTree",
            "MissingValuesWithRegressionSVM",
            "PredictionWithDecisionRules",
            "PredictionWithDecisionTree",
            "SupportVectorMachineForClassification",
            "SupportVectorMachineForRegression",
        )
    ),
]


@dataclass(frozen=True)
class Given:
    """A parameter of an operator that names features in a step."""

    parameter: Parameter
    operator: str
    changes: dict[str, Any]

    def example(self) -> ExampleCase:
        return example_of(installed()[self.operator], self.changes)

    def features(self, example: ExampleCase) -> list[str]:
        """Lists what the parameter names and a selection can drop."""
        value = example.body[self.parameter.name]
        if isinstance(self.parameter.kind, FeatureOfEach):
            names = [v.partition(".")[2] for v in value if v.startswith(f"{self.owner(example)}.")]
        else:
            names = named_features(self.parameter, value)
        return list(dict.fromkeys(names))

    def owner(self, example: ExampleCase) -> str:
        """Finds the concept whose features are meant."""
        kind = self.parameter.kind
        assert isinstance(
            kind,
            NamesFeatures
            | AggregateMap
            | CollectedFeatures
            | Expression
            | ConditionList
            | FeatureOfEach,
        )
        of = kind.item.of if isinstance(kind, AggregateMap) else kind.of
        return next(c for c, p in example.named_concepts() if p == of)

    def __str__(self) -> str:
        return f"{self.operator}-{self.parameter.name}"


def _all_given() -> list[Given]:
    found = [
        Given(parameter, operator, changes)
        for operator, changes in [*((o.__name__, {}) for o in OPERATORS), *FURTHER]
        for parameter in installed()[operator].parameters()
        if isinstance(parameter.kind, (*SINGLE, *LISTS))
        and parameter.name in example_of(installed()[operator], changes).body
    ]
    return list({str(g): g for g in found}.values())


GIVEN = _all_given()


def test_no_parameter_is_left_out() -> None:
    declared = {
        f"{o.__name__}-{p.name}"
        for o in OPERATORS
        for p in o.parameters()
        if isinstance(p.kind, (*SINGLE, *LISTS))
    }
    assert declared == {str(g) for g in GIVEN}, "give it in the example, or in FURTHER"


def _is_needed(given: Given) -> bool:
    """Returns whether rule 2 holds: fragments need each feature, even if they are optional."""
    return given.parameter.kind.needs_each(given.parameter.obligatory)


@pytest.mark.parametrize("given", [g for g in GIVEN if _is_needed(g)], ids=str)
def test_an_obligatory_feature_cannot_be_missed(given: Given, tmp_path: Path) -> None:
    for i, feature in enumerate(given.features(given.example())):
        example = given.example()
        example.drop_before([feature], given.owner(example))
        case = example.load(tmp_path / str(i))
        with pytest.raises(CompileError) as refused:
            case.run()
        messages = [m.message for m in refused.value.diagnostics]
        assert (
            f"obligatory parameter '{given.parameter.name}' (feature '{feature}') "
            "was deselected in step 'dropped'"
        ) in messages
        diagnostic = refused.value.diagnostics[messages.index(messages[0])]
        assert diagnostic.hint
        assert diagnostic.place is not None


def _is_optional_feature(given: Given) -> bool:
    return isinstance(given.parameter.kind, FeatureName) and not given.parameter.obligatory


@pytest.mark.parametrize("given", [g for g in GIVEN if _is_optional_feature(g)], ids=str)
def test_an_optional_feature_counts_as_not_given(given: Given, tmp_path: Path) -> None:
    example = given.example()
    (feature,) = given.features(example)
    example.drop_before([feature], given.owner(example))
    without = example_of(example.operator, {**given.changes, given.parameter.name: None})
    without.drop_before([feature], given.owner(without))
    assert _rows(example, tmp_path / "given") == _rows(without, tmp_path / "not given")


@pytest.mark.parametrize(
    "given", [g for g in GIVEN if isinstance(g.parameter.kind, LISTS)], ids=str
)
def test_a_list_is_reduced(given: Given, tmp_path: Path) -> None:
    whole = given.example()
    value = whole.body[given.parameter.name]
    if len(value) <= given.parameter.kind.fewest:
        pytest.skip("the list of the example is as short as it may be")
    feature = given.features(whole)[0]
    whole.drop_before([feature], given.owner(whole))
    reduced = without(given.parameter, value, feature)
    by_hand = example_of(whole.operator, {**given.changes, given.parameter.name: reduced})
    if any(feature in v for v in by_hand.body.values() if isinstance(v, list)):
        by_hand = _without(by_hand, feature)
    by_hand.drop_before([feature], given.owner(by_hand))
    assert _rows(whole, tmp_path / "whole") == _rows(by_hand, tmp_path / "by hand")


def _without(example: ExampleCase, feature: str) -> ExampleCase:
    for name, value in list(example.body.items()):
        if isinstance(value, list):
            example.body[name] = [v for v in value if v != feature]
            if not example.body[name]:  # as if it were not given
                del example.body[name]
    return example


@pytest.mark.parametrize(
    "given", [g for g in GIVEN if isinstance(g.parameter.kind, LISTS)], ids=str
)
def test_an_emptied_list(given: Given, tmp_path: Path) -> None:
    example = given.example()
    if isinstance(given.parameter.kind, AggregateMap):  # those that name no feature are always left
        value = example.body[given.parameter.name]
        kept = {n: sql for n, sql in value.items() if named_features(given.parameter, {n: sql})}
        example.body[given.parameter.name] = kept
    features = given.features(example)
    example.drop_before(features, given.owner(example))
    if not given.parameter.obligatory:
        example.load(tmp_path).run()
        return
    with pytest.raises(CompileError) as refused:
        example.load(tmp_path).run()
    (diagnostic,) = refused.value.diagnostics
    named = ", ".join(f"'{f}' (in step 'dropped')" for f in features)
    assert diagnostic.message == (
        f"obligatory parameter '{given.parameter.name}' needs at least "
        f"{given.parameter.kind.fewest}, and 0 are left: deselected were {named}"
    )
    assert diagnostic.hint


@pytest.mark.parametrize("parameter", ["drop", "keep"])
def test_a_selection_of_what_is_gone_drops_nothing_more(parameter: str, tmp_path: Path) -> None:
    selection = installed()["FeatureSelectionByAttributes"]
    example = example_of(selection, {"drop": None, parameter: ["age", "household"]})
    example.drop_before(["age", "household"], "Customer")
    case = example.load(tmp_path)
    case.run()
    left = ["customer_id", "income", "region", "since", "lapsed"]
    assert case.table(example.step).column_names == left


def test_what_is_kept_or_dropped_is_among_the_attributes(tmp_path: Path) -> None:
    selection = installed()["FeatureSelectionByAttributes"]
    for parameter in ("keep", "drop"):
        changes = {"drop": None, parameter: ["age"], "attributes": ["income"]}
        with pytest.raises(ResolveError, match="'age' is not among the attributes"):
            example_of(selection, changes).load(tmp_path)


@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS if issubclass(o, FeatureSelection)], ids=lambda o: o.__name__
)
def test_keys_and_targets_cannot_be_dropped(
    operator: type[FeatureSelection], tmp_path: Path
) -> None:
    names = {p.name: p for p in operator.parameters()}
    superset = "drop" if "drop" in names else "attributes"
    with pytest.raises(ResolveError):
        example_of(operator, {superset: ["customer_id", "age"]}).load(tmp_path)
    if "target" in names:
        kind = names[superset].kind
        fits = isinstance(kind, NamesFeatures) and "binary" in kind.types
        message = "the target 'lapsed' cannot be among" if fits else "'lapsed' is binary"
        with pytest.raises(ResolveError, match=message):
            example_of(operator, {superset: ["lapsed", "age"]}).load(tmp_path)


def _rows(example: ExampleCase, folder: Path) -> tuple[list[str], list[str]]:
    case = example.load(folder)
    case.run()
    table = case.table(example.step)
    columns = [table.column(i).to_pylist() for i in range(table.num_columns)]
    return table.column_names, sorted(repr(row) for row in zip(*columns, strict=True))
