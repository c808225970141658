"""Texts that are made to take long are refused, or read at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import accepted, refused

CASE = """\
case: small
concepts:
  Person: {key: id, features: {id: key, FEATURES}}
steps:
"""


def written(folder: Path, step: str, features: int = 3) -> Path:
    """Writes a case with one step over many features."""
    named = ", ".join(f"f{i}: numeric" for i in range(features))
    head = CASE.replace("FEATURES", named)
    (folder / "case.yml").write_text(f"{head}  s: {step}\n")
    return folder


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("all except" + " " * 30_000, "a pattern has at most 20000 characters, got 30010"),
        ("all except" + " " * 15_000 + "]x", "has no feature ']x' to leave out"),
        ("all except [" + ", ".join(f"a{i}*" for i in range(101)) + "]", "at most 100 names with"),
        ("*a" * 5_000, "no feature of 'Person' fits"),
        ("f*" * 20_000, "a pattern has at most 20000 characters, got 40000"),
    ],
)
def test_patterns_take_no_time(tmp_path: Path, pattern: str, said: str) -> None:
    step = f"{{operator: LinearScaling, input: Person, for_each: {{target: '{pattern}'}}}}"
    answer = refused(written(tmp_path, step), "check", "case.yml")
    assert said in answer
    assert len(answer) < 1500


def test_a_list_of_names_to_leave_out_is_read_as_before(tmp_path: Path) -> None:
    step = "{operator: LinearScaling, input: Person, for_each: {target: 'all except [f0, f2*]'}}"
    accepted(written(tmp_path, step), "check", "case.yml")


def test_a_loop_has_limits(tmp_path: Path) -> None:
    step = "{operator: LinearScaling, input: Person, for_each: {target: 'f*'}}"
    said = refused(written(tmp_path, step, features=10_000), "check", "case.yml")
    assert "'for_each' has at most 2000 turns, got 10000" in said
