"""One mistake hides no other: all that is wrong with a case is reported together."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import miningflow, refused

CASE = """\
case: a
concepts:
  C:
    key: id
    features: {id: key, x: numeric, y: numeric, z: numeric, g: nominal, h: nominal, t: time}
  D: {key: d, features: {d: key, id: key, v: numeric}}
relations:
  d_of: {from: D.id, to: C.id}
steps:
  filled: {operator: AssignAverageValue, input: C, target: x}
  kept: {operator: FeatureSelectionByAttributes, input: filled, drop: [y]}
  joined: {operator: AggregateByRelation, input: kept, relation: d_of, aggregates: {n: count()}}
"""
# A mistake in the last step, which must be found whatever else is wrong.
LAST = "AggregateByRelation, input: kept, relation: d_of, aggregates: {n: cont()}"
WRONG_LAST = CASE.replace(
    "AggregateByRelation, input: kept, relation: d_of, aggregates: {n: count()}", LAST
)

MISTAKES = {
    "an unknown key": ("case: a\n", "case: a\nzork: 1\n", "unknown key 'zork'"),
    "a misspelt section": ("relations:\n", "relatons:\n", "did you mean 'relations'?"),
    "misspelt steps": ("steps:\n", "step:\n", "did you mean 'steps'?"),
    "misspelt concepts": ("concepts:\n", "concept:\n", "did you mean 'concepts'?"),
    "a misspelt key of a concept": ("    key: id", "    keys: id", "did you mean 'key'?"),
    "a misspelt type": ("x: numeric", "x: numric", "did you mean 'numeric'?"),
    "a wrong holdout": ("key: d,", "key: d, holdout: {share: 2},", "must be between 0 and 1"),
    "no name": ("case: a\n", "", "a case needs 'case'"),
    "a wrong about": ("case: a\n", "case: a\nabout: [1]\n", "'about' must be a single value"),
    "a misspelt operator": ("AssignAverage", "AsignAverage", "did you mean 'AssignAverageValue'?"),
    "a misspelt 'operator'": ("{operator: Assign", "{oprator: Assign", "unknown key 'oprator'"),
    "a misspelt parameter": ("target: x", "taget: x", "did you mean 'target'?"),
    "a misspelt feature": ("drop: [y]", "drop: [yy, z]", "there is no feature 'yy'"),
    "a misspelt concept": ("input: filled", "input: filed", "did you mean 'filled'?"),
    "a wrong materialize": ("target: x", "target: x, materialize: vew", "did you mean 'view'?"),
    "a wrong scoring": ("case: a\n", "case: a\nscoring: zork\n", "there is no step 'zork'"),
}


def check(folder: Path, text: str) -> str:
    (folder / "case.yml").write_text(text)
    return refused(folder, "check", "case.yml")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_hides_none_after_it(tmp_path: Path, mistake: str) -> None:
    right, wrong, said = MISTAKES[mistake]
    assert right in WRONG_LAST
    found = check(tmp_path, WRONG_LAST.replace(right, wrong, 1))
    assert said in found
    assert "function 'cont' is not allowed" in found


def test_what_cannot_be_read_is_reported_once(tmp_path: Path) -> None:
    """What uses it is not reported as well."""
    concept = "  D: {key: d, features: {d: key, id: key, v: numeric}}"
    found = check(tmp_path, CASE.replace(concept, "  D: 3"))
    assert found.count(": error: ") == 1
    found = check(tmp_path, CASE.replace("  d_of: {from: D.id, to: C.id}", "  d_of:"))
    assert "relation 'd_of' is empty" in found
    assert found.count(": error: ") == 1
    found = check(
        tmp_path, CASE.replace("  filled: {operator: AssignAverageValue, ", "  filled: {")
    )
    assert found.count(": error: ") == 1
    found = check(tmp_path, CASE.replace("x: numeric, ", "x: [numeric], "))
    assert found.count(": error: ") == 1
    assert "concept 'E' is empty" in check(tmp_path, CASE.replace("  D: {", "  E:\n  D: {"))


def test_every_wrong_item_of_a_list_is_reported(tmp_path: Path) -> None:
    found = check(tmp_path, CASE.replace("drop: [y]", "drop: [qq, y, ww, y]"))
    assert "there is no feature 'qq'" in found
    assert "there is no feature 'ww'" in found
    assert "names 'y' twice" in found


def test_every_turn_of_a_loop_is_looked_at(tmp_path: Path) -> None:
    loop = "for_each: {target: [x, qq, ww]}"
    found = check(tmp_path, CASE.replace("target: x", loop))
    assert "there is no feature 'qq'" in found
    assert "there is no feature 'ww'" in found


def test_turns_with_the_same_mistake_are_said_once(tmp_path: Path) -> None:
    step = "filled: {operator: LinearScaling, input: C, for_each: {target: [x, y, z]}, range: [1]}"
    first = "filled: {operator: AssignAverageValue, input: C, target: x}"
    found = check(tmp_path, CASE.replace(first, step))
    assert found.count(": error: ") == 1
    assert "the same in 2 more turns: y, z" in found


def test_warnings_of_turns_are_said_once(tmp_path: Path) -> None:
    filled = "  filled: {operator: AssignAverageValue, input: C, target: x}\n"
    chosen = (
        "  chosen: {operator: FeatureSelectionByScore, input: C, target: h, positive: 'a', "
        "attributes: [x, y, z], keep: 1}\n"
        "  filled: {operator: LinearScaling, input: chosen, for_each: "
        "[{target: x, output: a1}, {target: y, output: a2}, {target: z, output: a3}]}\n"
        "  sums: {operator: GenericFeatureConstruction, input: filled, for_each: "
        "[{output: b1, sql: x + 1}, {output: b2, sql: x + 2}, {output: b3, sql: x + 3}]}\n"
    )
    (tmp_path / "case.yml").write_text(
        CASE.replace(filled, chosen).replace("drop: [y]", "drop: [g]")
    )
    said = miningflow(tmp_path, "check", "case.yml")
    assert said.code == 0, said
    assert said.err.count("warning: ") <= 3


def test_a_wrong_connection_does_not_wait_for_the_case(tmp_path: Path) -> None:
    (tmp_path / "there.yml").write_text("store: duckdb:///s.duckdb\nzork: 1\n")
    (tmp_path / "case.yml").write_text(WRONG_LAST)
    found = refused(tmp_path, "check", "case.yml", "--connect", "there.yml")
    assert "there.yml:2:1: error: unknown key 'zork'" in found
    assert "case.yml:12:" in found


def test_many_mistakes_of_one_kind_are_one_message(tmp_path: Path) -> None:
    names = [f"V{i}" for i in range(180)]
    found = check(tmp_path, CASE.replace("drop: [y]", f"drop: [{', '.join(names)}]"))
    assert found.count(": error: ") == 1
    assert "there is no feature 'V0' in 'filled'" in found
    assert "the same for 179 more: 'V1', 'V2', 'V3', 'V4', 'V5' and 174 more" in found
    assert found.endswith("180 errors\n")
    said = miningflow(tmp_path, "check", "case.yml", "--json")
    assert said.out.count('"severity": "error"') == 180
