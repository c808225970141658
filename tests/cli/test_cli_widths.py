"""What commands print can be read at 60, 80 and 120 columns, also of large cases with loops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow

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
