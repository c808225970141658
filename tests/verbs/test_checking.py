"""`check` looks at one or several cases, and counts what `plan` and `run` count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow

import miningflow as package
from miningflow.errors import MiningFlowError
from miningflow.verbs.check import contents

CASES = sorted((Path(__file__).parents[2] / "cases").glob("*.yml"))
GOOD = """\
case: good
concepts:
  C: {key: id, features: {id: key, a: numeric, b: numeric, g: nominal}}
steps:
  filled: {operator: AssignAverageValue, input: C, for_each: {target: [a, b]}}
  parts: {operator: SegmentationStratified, input: filled, by: g}
connect:
  store: duckdb:///store.duckdb
  concepts: {C: {file: c.csv}}
"""
WRONG = GOOD.replace("input: C", "input: D").replace("SegmentationStratified", "Segmenting")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.yml").write_text(GOOD)
    (tmp_path / "wrong.yml").write_text(WRONG)
    (tmp_path / "c.csv").write_text("id,a,b,g\n1,1,2,x\n2,3,,y\n")
    return tmp_path


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_it_counts_the_stages_of_a_plan(path: Path, tmp_path: Path) -> None:
    case = package.load(path)
    assert contents(case.bound).stages == len(case.bound.sources) + len(case.bound.steps)
    if case.connection is not None:
        assert contents(case.bound).stages == len(case.plan().stages)


def test_it_counts_concepts_steps_turns_and_segmentations(folder: Path) -> None:
    said = accepted(folder, "check", "good.yml")
    assert "good: 1 concept, 2 steps, no errors\n" in said
    assert "a run has 4 stages: filled has 2 turns, what follows parts runs once" in said
    assert "4 of 4 stages would run" in accepted(folder, "plan", "good.yml")
    found = json.loads(accepted(folder, "check", "good.yml", "--json"))
    assert found["case"] == "good"
    assert found["diagnostics"] == []
    assert (found["concepts"], found["steps"], found["stages"]) == (1, 2, 4)
    assert found["loops"] == {"filled": 2}
    assert found["segmentations"] == ["parts"]


def test_several_files_are_checked_one_after_the_other(folder: Path) -> None:
    said = miningflow(folder, "check", "wrong.yml", "good.yml")
    assert said.code == 1
    assert "there is no concept or step 'D'" in said.err
    assert "wrong.yml: 2 errors" in said.err
    assert "good: 1 concept" in said.out
    assert said.out.endswith("1 of 2 cases have no errors\n")
    said = miningflow(folder, "check", "wrong.yml", "none.yml", "good.yml", "--json")
    assert said.code == 1
    found = json.loads(said.out)
    assert [each["file"] for each in found] == ["wrong.yml", "none.yml", "good.yml"]
    assert [len(each["diagnostics"]) for each in found] == [2, 1, 0]
    assert accepted(folder, "check", "good.yml", "good.yml").endswith(
        "2 of 2 cases have no errors\n"
    )


def test_python_returns_what_is_wrong_with_each_case(folder: Path) -> None:
    wrong, good = package.check(folder / "wrong.yml", folder / "good.yml")
    assert not wrong.passed
    assert len(wrong.diagnostics) == 2
    assert good.passed
    assert good.contents is not None
    assert good.contents.loops == {"filled": 2}
    with pytest.raises(MiningFlowError, match="no case to check"):
        package.check()
