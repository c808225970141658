"""`miningflow operators` lists operators, finds them by their purpose, and explains one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import accepted, refused

import miningflow
from miningflow.catalog import installed
from miningflow.errors import MiningFlowError


def test_a_search_lists_the_best_first_and_says_what_to_type(tmp_path: Path) -> None:
    said = accepted(tmp_path, "operators", "missing")
    lines = [line.split() for line in said.splitlines() if line.strip()]
    assert lines[2][:3] == ["AssignAverageValue", "FillMean", "construction"]
    assert lines[-1][-3:] == ["miningflow", "operators", "FillMean"]
    assert "JoinByKey" not in said


def test_several_words_narrow_the_search(tmp_path: Path) -> None:
    said = accepted(tmp_path, "operators", "missing", "tree")
    assert "FillTree" in said
    assert "FillMean" not in said


@pytest.mark.parametrize("name", ["PredictionWithDecisionTree", "Tree"])
def test_a_name_is_explained_and_its_lower_case_is_a_search(tmp_path: Path, name: str) -> None:
    said = accepted(tmp_path, "operators", name)
    assert said.startswith("## PredictionWithDecisionTree\n")
    assert "short name: `Tree`" in said
    assert "MissingValueWithDecisionTree" in accepted(tmp_path, "operators", "tree")


def test_json_has_the_short_names_in_the_order_of_the_search(tmp_path: Path) -> None:
    found = json.loads(accepted(tmp_path, "operators", "rare", "--json"))
    assert [each["alias"] for each in found][:2] == ["GroupRare", "GroupRareToCount"]
    one = json.loads(accepted(tmp_path, "operators", "GroupRare", "--json"))
    assert one == found[0]
    assert json.loads(accepted(tmp_path, "operators", "Union", "--json"))["alias"] is None


def test_nothing_found_is_an_error_with_the_closest_words(tmp_path: Path) -> None:
    assert "did you mean 'missing'?" in refused(tmp_path, "operators", "missng")
    assert "no operator is found by 'zork blub'" in refused(tmp_path, "operators", "zork", "blub")


def test_python_finds_the_same(tmp_path: Path) -> None:
    frame = miningflow.operators("missing").to_frame()
    assert frame.columns.tolist() == ["operator", "short_name", "family", "does"]
    assert frame.short_name.tolist()[:2] == ["FillMean", "FillConstant"]
    named = json.loads(accepted(tmp_path, "operators", "missing", "--json"))
    assert frame.operator.tolist() == [each["name"] for each in named]
    assert len(miningflow.operators()) == len(installed())
    (tree,) = miningflow.operators("Tree")
    assert tree.name == "PredictionWithDecisionTree"
    assert str(tree) == accepted(tmp_path, "operators", "Tree")


def test_python_refuses_what_is_no_word() -> None:
    for wrong in ("missng", "zork", "", 3):
        with pytest.raises(MiningFlowError):
            miningflow.operators(wrong)  # type: ignore[arg-type]
