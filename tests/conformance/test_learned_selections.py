"""What every selection that learns must do: NULL, odd numbers, held-out rows, the artifact."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.example_case import OPERATORS, ExampleCase, example_of
from support.joined_examples import chosen

from miningflow.declare import FeatureSelection, Operator
from miningflow.declare.kinds.features import FeatureList
from miningflow.declare.kinds.words import Choice
from miningflow.declare.selection import Selection
from miningflow.errors import RunError
from miningflow.project import LoadedCase

ROOT = Path(__file__).parents[2]
LEARNED = [
    o
    for o in OPERATORS
    if issubclass(o, FeatureSelection) and o.__name__ != "FeatureSelectionByAttributes"
]
NOMINAL = [
    o
    for o in LEARNED
    for p in o.parameters()
    if p.name == "attributes" and isinstance(p.kind, FeatureList) and "nominal" in p.kind.types
]
WITH_TARGET = [o for o in LEARNED if "target" in {p.name for p in o.parameters()}]
HOLES = {"age": [1, 4], "household": [2], "region": [0, 2, 3]}

every_selection = pytest.mark.parametrize("operator", LEARNED, ids=lambda o: o.__name__)


def _example(operator: type[Operator], **changes: Any) -> ExampleCase:
    """Returns the example with attributes of all types it takes, over rows without NULL."""
    attributes = ["age", "household", *(["region"] if operator in NOMINAL else [])]
    given = {"keep": 1} if "keep" in example_of(operator).body else {}
    example = example_of(operator, {"attributes": attributes, "nulls": None, **given, **changes})
    example.data["Customer"] = _whole(example.data["Customer"])
    return example


def _whole(table: pa.Table) -> pa.Table:
    at = table.column_names.index("region")
    return table.set_column(at, "region", table.column("region").fill_null("south"))


def _with(table: pa.Table, name: str, values: Mapping[int, Any]) -> pa.Table:
    column = table.column(name).to_pylist()
    for row, value in values.items():
        column[row] = value
    at = table.column_names.index(name)
    return table.set_column(at, name, pa.array(column, table.schema.field(name).type))


def _holes(table: pa.Table) -> pa.Table:
    for name, rows in HOLES.items():
        table = _with(table, name, dict.fromkeys(rows))
    return table


Make = Callable[[type[Operator]], ExampleCase]


@dataclass
class SharedCase:
    """A case of many examples over the same rows, which runs when it is first asked for."""

    case: LoadedCase

    @cached_property
    def selections(self) -> dict[str, Selection]:
        self.case.run()
        return dict(self.case.selections())


@dataclass(frozen=True)
class Together:
    """An example, and the case in which it is a step."""

    example: ExampleCase
    shared: SharedCase

    @property
    def step(self) -> str:
        return self.example.operator.__name__

    @property
    def rows(self) -> int:
        return len(self.shared.case.table(self.step))

    def selection(self) -> Selection:
        """Returns what the example learned."""
        return self.shared.selections[self.step]

    def refusal(self) -> str:
        """Runs the example alone, and returns why it is refused."""
        with pytest.raises(RunError) as refused:
            self.shared.case.run(select=[f"+{self.step}"])
        (diagnostic,) = refused.value.diagnostics
        assert diagnostic.place is not None
        return f"{diagnostic.message}\n{diagnostic.hint}"


Share = Callable[..., Together]


@pytest.fixture(scope="module")
def share(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Share:
    """Puts the examples that a function makes into one case per table of rows."""
    made: dict[Make, dict[type[Operator], Together]] = {}

    def find(
        make: Make, operator: type[Operator], among: Sequence[type[Operator]] = LEARNED
    ) -> Together:
        if make not in made:
            examples = [make(o) for o in chosen(request) if o in among]
            made[make] = _together(examples, tmp_path_factory)
        return made[make][operator]

    return find


def _together(
    examples: list[ExampleCase], folders: pytest.TempPathFactory
) -> dict[type[Operator], Together]:
    found: dict[type[Operator], Together] = {}
    for first in examples:
        if first.operator in found:
            continue
        group = [e for e in examples if _printed_rows(e) == _printed_rows(first)]
        steps = {e.operator.__name__: e.body for e in group}
        shared = SharedCase(replace(first, steps=steps).load(folders.mktemp("together")))
        found |= {e.operator: Together(e, shared) for e in group}
    return found


def _printed_rows(example: ExampleCase) -> str:
    return str(example.data["Customer"].to_pydict())  # NaN is printed like NaN, but not equal to it


def test_all_of_them_have_one_root() -> None:
    assert len(LEARNED) >= 13
    for operator in LEARNED:
        assert "LearnedSelection" in {c.__name__ for c in operator.__mro__}
        declared = {p.name: p for p in operator.parameters()}
        assert declared["attributes"].obligatory
        assert declared["nulls"].kind == Choice(("refuse", "drop_rows", "impute"))
        assert declared["nulls"].default == "refuse"


@every_selection
def test_the_artifact_says_what_became_of_each_attribute(
    operator: type[Operator], share: Share
) -> None:
    ran = share(_example, operator)
    found, attributes = ran.selection(), ran.example.body["attributes"]
    assert sorted([*found.kept, *found.dropped]) == sorted(attributes)
    assert found.reason
    assert found.measure
    assert set(found.scores) <= set(attributes)
    assert found.scores
    assert any(t.accepted for t in found.trace)


def _with_holes(operator: type[Operator], **changes: Any) -> ExampleCase:
    example = _example(operator, **changes)
    example.data["Customer"] = _holes(example.data["Customer"])
    return example


@every_selection
def test_nulls_are_refused_by_name_and_number(operator: type[Operator], share: Share) -> None:
    said = share(_with_holes, operator).refusal()
    assert "the training rows have NULL in 'age' (2), 'household' (1)" in said
    assert ("'region' (3)" in said) == (operator in NOMINAL)
    for remedy in ("`nulls: drop_rows`", "`nulls: impute`", "AssignAverageValue"):
        assert remedy in said


def _dropping(operator: type[Operator]) -> ExampleCase:
    return _with_holes(operator, nulls="drop_rows")


def _dropped_before(operator: type[Operator]) -> ExampleCase:
    without = _example(operator)
    names = [n for n in HOLES if n in without.body["attributes"]]
    gone = {row for name in names for row in HOLES[name]}
    left = [row for row in range(without.data["Customer"].num_rows) if row not in gone]
    without.data["Customer"] = without.data["Customer"].take(left)
    return without


@every_selection
def test_rows_are_dropped_as_if_they_were_not_there(operator: type[Operator], share: Share) -> None:
    found = share(_dropping, operator).selection()
    assert found == share(_dropped_before, operator).selection()


def _imputing(operator: type[Operator]) -> ExampleCase:
    return _with_holes(operator, nulls="impute")


def _imputed_before(operator: type[Operator]) -> ExampleCase:
    by_hand = _example(operator)
    table = _holes(by_hand.data["Customer"])
    filled = table.to_pandas()
    for name in ("age", "household"):
        filled[name] = filled[name].fillna(filled[name].mean())
    filled["region"] = filled["region"].fillna(filled["region"].mode().min())
    by_hand.data["Customer"] = pa.Table.from_pandas(filled, table.schema, preserve_index=False)
    return by_hand


@every_selection
def test_means_and_modes_stand_in_for_nulls(operator: type[Operator], share: Share) -> None:
    imputed = share(_imputing, operator)
    found, expected = imputed.selection(), share(_imputed_before, operator).selection()
    assert found.kept == expected.kept
    assert list(found.scores.values()) == pytest.approx(list(expected.scores.values()), rel=1e-9)
    assert imputed.rows == imputed.example.data["Customer"].num_rows


def _unlabelled(operator: type[Operator]) -> ExampleCase:
    example = _example(operator)
    table = example.data["Customer"]
    example.data["Customer"] = _with(_with(table, "lapsed", {7: None}), "age", {7: None})
    return example


def _labelled(operator: type[Operator]) -> ExampleCase:
    example = _example(operator)
    table = example.data["Customer"]
    example.data["Customer"] = table.take([r for r in range(table.num_rows) if r != 7])
    return example


@pytest.mark.parametrize("operator", WITH_TARGET, ids=lambda o: o.__name__)
def test_rows_without_a_label_are_never_used(operator: type[Operator], share: Share) -> None:
    found = share(_unlabelled, operator, WITH_TARGET).selection()
    assert found == share(_labelled, operator, WITH_TARGET).selection()


def _holding_out(operator: type[Operator]) -> ExampleCase:
    example = _example(operator)
    example.concepts["Customer"]["holdout"] = {"share": 0.4, "seed": 3}
    return example


def _holding_out_holes(operator: type[Operator]) -> ExampleCase:
    example = _holding_out(operator)
    table = example.data["Customer"]
    held_out = [row for row, key in enumerate(table["customer_id"].to_pylist()) if _held_out(key)]
    assert 5 < len(held_out) < 40
    example.data["Customer"] = _with(table, "age", dict.fromkeys(held_out))
    return example


@every_selection
def test_what_is_held_out_may_have_holes(operator: type[Operator], share: Share) -> None:
    found = share(_holding_out_holes, operator).selection()
    assert found == share(_holding_out, operator).selection()


def _held_out(key: int) -> bool:
    return hashlib.md5(f"{key}:3".encode()).hexdigest() < format(round(0.4 * 16**8), "08x")


@cache
def _with_odd(odd: float, nulls: str) -> Make:
    def make(operator: type[Operator]) -> ExampleCase:
        example = _example(operator, nulls=nulls)
        example.data["Customer"] = _with(example.data["Customer"], "household", {3: odd, 9: odd})
        return example

    return make


@every_selection
@pytest.mark.parametrize(
    ("odd", "nulls"), [(math.nan, "refuse"), (math.inf, "drop_rows"), (-math.inf, "impute")]
)
def test_odd_numbers_are_refused_by_name(
    operator: type[Operator], odd: float, nulls: str, share: Share
) -> None:
    said = share(_with_odd(odd, nulls), operator).refusal()
    assert "feature 'household' has 2 values that are NaN or infinite" in said
