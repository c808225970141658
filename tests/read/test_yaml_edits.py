"""Edits of YAML text: the result says what was meant, and the other lines stay as they are."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from miningflow.errors import MiningFlowError
from miningflow.read.left_out import left_out
from miningflow.read.yaml_comparison import says_more
from miningflow.read.yaml_edits import YamlEdits

BLOCK = """\
# head
top:
    a:   # why a
        x: 1     # one
        # inside

        y: {type: q, about: it}   # two

    b: {x: 1, y: 2,
        z: 3}
    # behind b
  # less
other: &shared
  k: v
more: *shared
nothing:     # yet
braces: {}   # empty
"""


def edited(text: str, *edits: tuple[Any, ...]) -> str:
    changes = YamlEdits(text, "case.yml")
    for name, *given in edits:
        getattr(changes, name)(*given)
    return changes.result()


def test_lines_go_behind_what_belongs_to_a_map() -> None:
    found = edited(
        BLOCK,
        ("append", ("top",), ["c:", "  x: 1"]),
        ("append", ("top", "a"), ["z: 5"]),
        ("append", ("nothing",), ["n: 1"]),
        ("append", ("braces",), ["n: 1"]),
        ("append", ("made",), ["n: 1"], "top"),
    )
    assert "        y: {type: q, about: it}   # two\n        z: 5\n\n" in found
    assert "    # behind b\n    c:\n      x: 1\n\nmade:\n  n: 1\n  # less\n" in found
    assert "nothing:     # yet\n  n: 1\nbraces:   # empty\n  n: 1\n" in found
    said = yaml.safe_load(found)
    assert said["top"]["a"]["z"] == 5 and said["made"] == said["nothing"] == {"n": 1}
    assert says_more(BLOCK, found) and not says_more(found, BLOCK)


def test_entries_are_changed_in_place() -> None:
    found = edited(
        BLOCK,
        ("put", ("top", "a", "x"), "7", "# seven"),
        ("put", ("top", "a", "y", "type"), "r", "# no room"),
        ("put", ("top", "b", "w"), "4"),
        ("put", ("top", "b", "y"), "5"),
        ("put", ("top", "a", "new"), "6", "# new"),
    )
    assert "        x: 7     # seven; before: one\n" in found
    assert "        y: {type: r, about: it}   # two\n" in found
    assert "    b: {x: 1, y: 5,\n        z: 3, w: 4}\n" in found
    assert "        new: 6                          # new\n" in found


def test_entries_are_removed_with_their_lines() -> None:
    assert "# one" not in edited(BLOCK, ("remove", ("top", "a", "x")))
    found = edited(BLOCK, ("remove", ("top", "b", "x")), ("remove", ("top", "b", "z")))
    assert yaml.safe_load(found)["top"]["b"] == {"y": 2}
    both = edited(BLOCK, ("remove", ("top", "a", "x")), ("remove", ("top", "a", "y")))
    assert set(yaml.safe_load(both)["top"]) == {"b"}
    swapped = edited(
        BLOCK,
        ("put", ("top", "a", "z"), "1"),
        ("remove", ("top", "a", "x")),
        ("remove", ("top", "a", "y")),
    )
    assert yaml.safe_load(swapped)["top"]["a"] == {"z": 1}
    assert edited(BLOCK, ("remove", ("top", "nowhere"))) == BLOCK


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("append", ("other",), ["x: 1"]), "'other' is shared"),
        (("append", ("more",), ["x: 1"]), "'more' is shared"),
        (("put", ("more", "k"), "w"), "'more' is shared"),
        (("remove", ("other", "k")), "'other' is shared"),
        (("append", ("top", "b"), ["x: 1"]), "'top.b' is written in braces"),
    ],
)
def test_what_cannot_be_edited_is_refused(edit: tuple[Any, ...], said: str) -> None:
    with pytest.raises(MiningFlowError, match=said) as error:
        edited(BLOCK, edit)
    assert error.value.diagnostics[0].place is not None


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_stay(ending: str) -> None:
    text = f"a: 1{ending}b:{ending}  c: 2"
    found = edited(text, ("append", ("b",), ["d: 3"]))
    assert found == f"{text}{ending}  d: 3"


def test_comments_say_what_is_left_out() -> None:
    features = "      x: key  # y is left out\n      # z, u and v are left out: old\n"
    text = f"concepts:\n  A:\n    features:\n{features}"
    found = left_out(text, "A")
    assert [found.has(name) for name in ("x", "y", "Z", "u", "v")] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert not left_out(text, "B").has("z")
    assert left_out(text.replace("# z, u and v", "# All other columns"), "A").has("anything")
    assert left_out("concepts:\n  A:\n    # a\tb is left out\n    features: {x: key}\n", "A").has(
        "a\tb"
    )
