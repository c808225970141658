"""Warnings that say the same become one, and a build keeps its warnings."""

from __future__ import annotations

from miningflow.warn.result_warning import ResultWarning, as_notes, collapsed, from_notes


def test_warnings_of_features_and_turns_are_one() -> None:
    said = "constant", "leave it out"
    made = [ResultWarning("constant", "scored", *said, (f"V{i}",)) for i in (1, 2)]
    other = ResultWarning("constant", "other", *said, ("V1",))
    both, alone = collapsed([*made, other])
    assert str(both) == "scored: V1, V2: constant"
    assert alone == other
    assert str(collapsed(made, turns=True)[0]) == "scored (2 turns): V1, V2: constant"


def test_a_build_keeps_its_warnings_and_a_damaged_one_is_a_note() -> None:
    made = ResultWarning("constant", "scored", "it's\nconstant", "leave it out", ("ä",), 3)
    [note] = as_notes([made])
    assert "\n" not in note
    damaged = ['warning {"kind": 1}', "warning {", "warning: of another kind"]
    assert from_notes(["learned", note, *damaged]) == (("learned", *damaged), (made,))
