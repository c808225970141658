"""What every selection that learns must do: NULL, odd numbers, held-out rows, the artifact."""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from example_case import OPERATORS, ExampleCase, example_of

import miningflow
from miningflow import pipeline
from miningflow.declare import FeatureSelection, Operator
from miningflow.declare.selection import Selection
from miningflow.errors import RunError

ROOT = Path(__file__).parents[2]
LEARNED = [
    o
    for o in OPERATORS
    if issubclass(o, FeatureSelection) and o.__name__ != "FeatureSelectionByAttributes"
]
NOMINAL = [
    o for o in LEARNED for p in o.parameters() if p.name == "attributes" and "nominal" in p.types
]
HOLES = {"age": [1, 4], "household": [2], "region": [0, 2, 3]}

every_selection = pytest.mark.parametrize("operator", LEARNED, ids=lambda o: o.__name__)


def _example(operator: type[Operator], **changes: Any) -> ExampleCase:
    """Gives the example with attributes of all types it takes, over rows without NULL."""
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


def _learned(example: ExampleCase, folder: Path) -> Selection:
    case = example.load(folder)
    case.run()
    return pipeline.selections(case.project)[example.step]


def _refused(example: ExampleCase, folder: Path) -> str:
    with pytest.raises(RunError) as refused:
        example.load(folder).run()
    (mistake,) = refused.value.mistakes
    assert mistake.place is not None
    return f"{mistake.message}\n{mistake.hint}"


def test_all_of_them_have_one_root() -> None:
    assert len(LEARNED) >= 13
    for operator in LEARNED:
        assert "LearnedSelection" in {c.__name__ for c in operator.__mro__}
        declared = {p.name: p for p in operator.parameters()}
        assert declared["attributes"].obligatory
        assert declared["nulls"].choices == ("refuse", "drop_rows", "impute")
        assert declared["nulls"].default == "refuse"


@every_selection
def test_the_artifact_says_what_became_of_each_attribute(
    operator: type[Operator], tmp_path: Path
) -> None:
    example = _example(operator)
    found = _learned(example, tmp_path)
    assert sorted([*found.kept, *found.dropped]) == sorted(example.body["attributes"])
    assert found.reason
    assert found.measure
    assert set(found.scores) <= set(example.body["attributes"])
    assert found.scores
    assert any(t.accepted for t in found.trace)


@every_selection
def test_nulls_are_refused_by_name_and_number(operator: type[Operator], tmp_path: Path) -> None:
    example = _example(operator)
    example.data["Customer"] = _holes(example.data["Customer"])
    said = _refused(example, tmp_path)
    assert "NULLs in the rows to learn from, in 'age' (2), 'household' (1)" in said
    assert ("'region' (3)" in said) == (operator in NOMINAL)
    for remedy in ("`nulls: drop_rows`", "`nulls: impute`", "AssignAverageValue"):
        assert remedy in said


@every_selection
def test_rows_are_dropped_as_if_they_were_not_there(
    operator: type[Operator], tmp_path: Path
) -> None:
    with_holes = _example(operator, nulls="drop_rows")
    with_holes.data["Customer"] = _holes(with_holes.data["Customer"])
    without = _example(operator)
    names = [n for n in HOLES if n in without.body["attributes"]]
    gone = {row for name in names for row in HOLES[name]}
    left = [row for row in range(without.data["Customer"].num_rows) if row not in gone]
    without.data["Customer"] = without.data["Customer"].take(left)
    assert _learned(with_holes, tmp_path / "a") == _learned(without, tmp_path / "b")


@every_selection
def test_means_and_modes_stand_in_for_nulls(operator: type[Operator], tmp_path: Path) -> None:
    imputed = _example(operator, nulls="impute")
    table = _holes(imputed.data["Customer"])
    imputed.data["Customer"] = table
    by_hand = _example(operator)
    filled = table.to_pandas()
    for name in ("age", "household"):
        filled[name] = filled[name].fillna(filled[name].mean())
    filled["region"] = filled["region"].fillna(filled["region"].mode().min())
    by_hand.data["Customer"] = pa.Table.from_pandas(filled, table.schema, preserve_index=False)
    found, expected = _learned(imputed, tmp_path / "a"), _learned(by_hand, tmp_path / "b")
    assert found.kept == expected.kept
    assert list(found.scores.values()) == pytest.approx(list(expected.scores.values()), rel=1e-9)
    assert imputed.load(tmp_path / "a").table(imputed.step).num_rows == table.num_rows


@every_selection
def test_rows_without_a_label_are_never_used(operator: type[Operator], tmp_path: Path) -> None:
    if "target" not in {p.name for p in operator.parameters()}:
        return
    unlabelled = _example(operator)
    table = unlabelled.data["Customer"]
    unlabelled.data["Customer"] = _with(_with(table, "lapsed", {7: None}), "age", {7: None})
    without = _example(operator)
    without.data["Customer"] = table.take([r for r in range(table.num_rows) if r != 7])
    assert _learned(unlabelled, tmp_path / "a") == _learned(without, tmp_path / "b")


@every_selection
def test_what_is_held_out_may_have_holes(operator: type[Operator], tmp_path: Path) -> None:
    plain, other = _example(operator), _example(operator)
    table = plain.data["Customer"]
    held_out = [row for row, key in enumerate(table["customer_id"].to_pylist()) if _held_out(key)]
    assert 5 < len(held_out) < 40
    other.data["Customer"] = _with(table, "age", dict.fromkeys(held_out))
    for example in (plain, other):
        example.concepts["Customer"]["holdout"] = {"share": 0.4, "seed": 3}
    assert _learned(other, tmp_path / "a") == _learned(plain, tmp_path / "b")


def _held_out(key: int) -> bool:
    return hashlib.md5(f"{key}:3".encode()).hexdigest() < format(round(0.4 * 16**8), "08x")


@every_selection
@pytest.mark.parametrize(
    ("odd", "nulls"), [(math.nan, "refuse"), (math.inf, "drop_rows"), (-math.inf, "impute")]
)
def test_odd_numbers_are_refused_by_name(
    operator: type[Operator], odd: float, nulls: str, tmp_path: Path
) -> None:
    example = _example(operator, nulls=nulls)
    example.data["Customer"] = _with(example.data["Customer"], "household", {3: odd, 9: odd})
    said = _refused(example, tmp_path)
    assert "feature 'household' has 2 values that are NaN or infinite" in said


def test_the_case_of_the_sensors_shows_what_each_is_good_for(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "cases" / "data", tmp_path / "data")
    shutil.copy(ROOT / "cases" / "sensors.yml", tmp_path)
    case = miningflow.load(tmp_path / "sensors.yml")
    assert not case.warnings
    report = case.run()
    kept = {name: set(s.kept) for name, s in pipeline.selections(case.project).items()}
    telling = ("temperature", "vibration")
    assert kept["kits"] == {f"{kind}_{i}" for kind in telling for i in (1, 2, 3, 4)}
    for step in ("bred", "bred_without_repeats", "aligned"):
        assert kept[step] == {"speed", "load"}, step
    assert not {"speed", "load"} <= kept["stepwise"]
    assert kept["spread"] == {"clock"}
    accuracy = {
        name: next(row["accuracy"] for row in rows if row["part"] == "held out")
        for name, rows in report.evaluations.items()
    }
    assert accuracy["jam_quality"] > 0.8
    assert accuracy["jam_quality_stepwise"] < 0.6
