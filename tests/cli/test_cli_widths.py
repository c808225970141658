"""What commands print can be read at 60, 80 and 120 columns, also of large cases with loops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow

from miningflow.cli.wrapping import wrapped, wrapped_diagnostic
from miningflow.errors import Diagnostic, Place

FEATURES = [f"measure_{i}" for i in range(200)]
INPUTS = ["Wide", *(f"built_{i}" for i in range(29))]
STEPS = "".join(
    f"  built_{i}: {{operator: GenericFeatureConstruction, input: {read}, "
    f"sql: measure_{i} + 1, output: one_more_{i}}}\n"
    for i, read in enumerate(INPUTS)
)
WIDE = (
    "case: wide\nconcepts:\n  Wide:\n    key: id\n    features: {id: key, "
    + ", ".join(f"{name}: numeric" for name in FEATURES)
    + "}\nsteps:\n"
    + STEPS
    + "  slim: {operator: FeatureSelectionByAttributes, input: built_29, drop: ['measure_1*']}\n"
    + "connect:\n  store: duckdb:///store.duckdb\n  concepts: {Wide: {file: wide.csv}}\n"
)
LOOPS = """\
case: loops
concepts:
  Person: {key: id, features: {id: key, age: numeric, size: numeric, weight: numeric}}
steps:
  filled: {operator: AssignAverageValue, input: Person, for_each: {target: [age, size, weight]}}
  percent:
    operator: GenericFeatureConstruction
    input: filled
    for_each:
    - {output: age_share, sql: age / 100}
    - {output: size_share, sql: size / 100}
    - {output: weight_share, sql: weight / 100}
connect:
  store: duckdb:///store.duckdb
  concepts: {Person: {file: people.csv}}
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loops")
    (folder / "case.yml").write_text(LOOPS)
    (folder / "people.csv").write_text("id,age,size,weight\n1,20,1.7,60\n2,,1.8,\n3,40,,80\n")
    return folder


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case that has something to say for each command."""
    folder = tmp_path_factory.mktemp("judged")
    size = "features: {id: key, age: numeric, size: numeric, weight: numeric"
    chosen = """\
  chosen:
    operator: FeatureSelectionByScore
    input: filled
    target: label
    positive: 'yes'
    attributes: [age, size, weight]
    keep: 2
tests:
  averages:
    step: filled
    given: {Person: [{id: 1, age: 20, size: 1, weight: 60, label: 'yes'}]}
    expect: [{id: 1, age: 21, size: 1, weight: 60, label: 'yes'}]
connect:"""
    text = LOOPS.replace(size, f"{size}, label: binary").replace("connect:", chosen)
    (folder / "case.yml").write_text(text)
    unknown = text.replace("input: filled\n    for_each", "input: filed\n    for_each")
    (folder / "wrong.yml").write_text(unknown)
    rows = (f"{i},{20 + i % 30},{i % 7},{i % 11},{'yes' if i % 3 else 'no'}" for i in range(90))
    (folder / "people.csv").write_text("id,age,size,weight,label\n" + "\n".join(rows) + "\n")
    accepted(folder, "run", "case.yml")
    return folder


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wide")
    (folder / "wide.yml").write_text(WIDE)
    (folder / "wide.csv").write_text(",".join(["id", *FEATURES]) + "\n" + ",".join(["1"] * 201))
    accepted(folder, "run", "wide.yml")
    return folder


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_large_case_is_shown_a_step_a_line(
    wide: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    said = accepted(wide, "show", "wide.yml")
    assert [line for line in said.splitlines() if len(line.rstrip()) > width] == []
    assert len(said.splitlines()) < 80
    for i in range(30):
        assert re.search(rf"^ +built_{i} +{202 + i} +\+ one_more_{i} *$", said, re.M), i
    assert re.search(r"slim +120 +− measure_1, measure_10", said)
    assert "and 99 more" in " ".join(said.split())


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("verb", ["plan", "run", "stats", "show", "explain"])
def test_no_name_is_cut_in_two(
    loops: Path, monkeypatch: pytest.MonkeyPatch, verb: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    accepted(loops, "run", "case.yml")
    words = {"explain": ["filled"]}.get(verb, [])
    said = accepted(loops, verb, "case.yml", *words)
    named = "GenericFeatureConstruction" if verb in ("plan", "run") else "filled"
    assert named in said
    table = [line for line in said.splitlines() if not line.startswith(("results", "SQL", "each"))]
    assert [line for line in table if len(line.rstrip()) > width] == []


def test_the_operators_can_be_read_at_60_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for verb in ("operators", "engines"):
        said = accepted(tmp_path, verb)
        assert [line for line in said.splitlines() if len(line.rstrip()) > 60] == []
    assert "SimpleBackwardFeatureSelectionGivenNoOfAttributes" in accepted(tmp_path, "operators")


WORDS = [
    ["run", "case.yml", "--full"],
    ["stats", "case.yml"],
    ["stats", "case.yml", "--estimate", "percent"],
    ["explain", "case.yml", "filled"],
    ["verify", "case.yml", "--on", "duckdb://"],
    ["score", "case.yml", "--step", "filled"],
    ["show", "case.yml", "percent.age_share"],
    ["show", "case.yml", "percent"],
    ["impact", "case.yml", "Person.age"],
    ["export", "case.yml", "--to", "script"],
    ["test", "case.yml"],
    ["operators", "FeatureSelectionWithSVM"],
    ["engines", "postgres"],
    ["compare", "case.yml", "chosen"],
    ["check", "wrong.yml"],
    ["plan", "wrong.yml"],
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_lines_fit_60_columns(
    judged: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = miningflow(judged, *words)
    assert said.code in (0, 1)
    lines = (said.out + said.err).splitlines()
    assert lines
    # words are not cut, lines of the case are shown as they are, and so are steps to copy
    whole = [line for line in lines if " " not in line.strip() or "{" in line or ": [" in line]
    assert [line for line in lines if len(line.rstrip()) > 60 and line not in whole] == []


def test_a_draft_can_be_read_at_60_columns(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(tmp_path)
    source = f"People={judged / 'people.csv'}"
    drafted = ["init", "draft", "--from", source, "--target", "label", "--explain"]
    said = accepted(tmp_path, *drafted)
    assert "label" in said
    assert [line for line in said.splitlines() if len(line.rstrip()) > 60] == []


def test_text_is_wrapped_between_words() -> None:
    text = "  warning: " + "word " * 12 + "/a/path/that/is/longer/than/the/width"
    lines = wrapped(text, 30).splitlines()
    assert lines[0] == "  warning: word word word word"
    assert lines[1].startswith("      word")
    assert lines[-1] == "      /a/path/that/is/longer/than/the/width"
    assert wrapped(text, None) == text
    place = Place("case.yml", 3, 10, "x" * 90)
    shown = wrapped_diagnostic(Diagnostic("wrong " * 12, place, "do " * 30), 40).splitlines()
    assert "    " + "x" * 90 in shown
    assert max(len(line) for line in shown if "x" not in line) <= 40


def test_turns_are_one_line_of_a_plan_and_of_a_run(loops: Path) -> None:
    planned = accepted(loops, "plan", "case.yml", "--full")
    assert "filled (3 turns)" in planned
    assert "percent (3 turns)" in planned
    assert "[" not in planned
    assert "7 of 7 stages would run" in planned
    ran = miningflow(loops, "run", "case.yml", "--full")
    assert "filled (3 turns)" in ran.out
    assert "✓ percent (3 turns)" in ran.err
    some = accepted(loops, "plan", "case.yml", "--from", "percent[size_share]")
    assert "size_share, weight_share: --from percent[size_share]" in " ".join(some.split())


def test_a_turn_is_called_by_its_feature_or_by_what_it_makes(loops: Path) -> None:
    sql = accepted(loops, "compile", "case.yml")
    assert "-- step 'percent[age_share]'" in sql
    assert "-- step 'filled[age]'" in sql
    assert "percent[1]" not in sql
    accepted(loops, "compile", "case.yml", "percent[age_share]")


def test_an_error_of_a_turn_names_its_feature(tmp_path: Path) -> None:
    (tmp_path / "case.yml").write_text(LOOPS)
    (tmp_path / "people.csv").write_text("id,age,size,weight\n1,20,,60\n2,30,,70\n")
    said = miningflow(tmp_path, "run", "case.yml")
    assert said.code == 1
    assert "step 'filled[size]' cannot learn" in said.err
