"""A process that dies at any moment leaves old or new results, never a mixture."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import WriteCase
from support.stores import HELD_OUT, TWO_FILES, leftovers, query, results

import miningflow
from miningflow.errors import EngineError

STEPS = """
some: {operator: RowSelectionByQuery, input: Customer, where: age > 20}
with_claims:
  operator: AggregateByRelation
  input: some
  relation: claims_of
  aggregates: {claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income, materialize: table}
known: {operator: AssignModalValue, input: filled, target: region, materialize: view}
scaled: {operator: LinearScaling, input: some, target: age}
"""
MACHINE = """
judged:
  operator: SupportVectorMachineForClassification
  input: known
  target: lapsed
  positive: 'yes'
  predictors: [age, income, household, region, claim_count]
  output: risk
  materialize: table
"""
YEARS = ("20", "30")
SAID = ("", "some", "with_claims", "filled", "known", "scaled", "judged", "publishing")
Moment = tuple[str, float]


def start(case: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "miningflow", "run", str(case), *options]
    return subprocess.Popen(
        command,
        cwd=case.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )


def kill(process: subprocess.Popen[str], moment: Moment) -> bool:
    """Kills a run some time after it printed something; returns whether it was still running."""
    said, delay = moment
    assert process.stderr is not None
    while said and (line := process.stderr.readline()) and said not in line:
        pass
    with suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    process.kill()
    process.stderr.close()
    return process.wait() == -9


@pytest.fixture
def case(write_case: WriteCase) -> Path:
    return write_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)


def crash_again_and_again(case: Path, moments: list[Moment]) -> set[str]:
    """Returns the states in which the killed runs left the store: 'old' and 'new'."""
    store, text = case.parent / "store.duckdb", case.read_text()
    expected: dict[str, dict[str, list[tuple[Any, ...]]]] = {}
    for years in (*YEARS[::-1], YEARS[0]):
        case.write_text(text.replace("age > 20", f"age > {years}"))
        miningflow.load(case).run()
        expected[years] = results(store)
    assert all(
        expected[YEARS[0]][name] != expected[YEARS[1]][name]
        for name in expected[YEARS[0]]
        if name not in ("Customer", "Claim")
    )
    states: set[str] = set()
    current = YEARS[0]
    for moment in moments:
        wanted = YEARS[1 - YEARS.index(current)]
        case.write_text(text.replace("age > 20", f"age > {wanted}"))
        runs = query(store, "SELECT max(run) FROM miningflow.runs")[0][0]
        kill(start(case), moment)
        found = results(store)
        assert found in (expected[current], expected[wanted]), moment
        states.add("old" if found == expected[current] else "new")
        miningflow.load(case).run()
        assert results(store) == expected[wanted], moment
        assert leftovers(store) == set(), moment
        statuses = dict(query(store, "SELECT run, status FROM miningflow.runs"))
        assert "running" not in statuses.values()
        if found == expected[current] and runs + 1 in statuses:
            assert statuses[runs + 1] in ("interrupted", "done"), moment
        current = wanted
    return states


@pytest.mark.slow
def test_killed_now_and_then(case: Path) -> None:
    moments = [("some", 0.0), ("filled", 0.01), ("publishing", 0.0)]
    assert "old" in crash_again_and_again(case, moments)


@pytest.mark.slow
def test_killed_at_many_moments(write_case: WriteCase) -> None:
    case = write_case(STEPS + MACHINE, concepts=HELD_OUT, connect=TWO_FILES)
    rng = random.Random(7)
    moments = [(said, rng.choice([0, 0.005, 0.02, 0.05])) for said in SAID]
    moments += [("publishing", delay) for delay in (0.01, 0.03, 0.1, 0.3, 1.0, 60.0)]
    rng.shuffle(moments)
    assert crash_again_and_again(case, moments) == {"old", "new"}


def test_an_interrupted_run_is_known_as_such(case: Path) -> None:
    assert kill(start(case), ("with_claims", 0.0))
    store = case.parent / "store.duckdb"
    assert query(store, "SELECT status, ended FROM miningflow.runs") == [("running", None)]
    report = miningflow.load(case).run()
    assert query(store, "SELECT status FROM miningflow.runs ORDER BY run") == [
        ("interrupted",),
        ("done",),
    ]
    taken_over = {s.name for s in report.stages if s.reason.startswith("built by a run that did")}
    assert {"Customer", "Claim"} & taken_over
    assert leftovers(store) == set()


@pytest.mark.slow
def test_two_processes_on_one_store(case: Path) -> None:
    first = start(case)
    assert first.stderr is not None
    first.stderr.readline()
    project = miningflow.load(case)
    with pytest.raises(EngineError, match=rf"in use by process {first.pid}\n(?s:.*)--wait"):
        project.run()
    second = start(case, "--wait", "60")
    report = project.run(wait=60)
    assert all(s.rows for s in report.stages)
    assert first.wait() == 0
    assert second.wait() == 0
    first.stderr.close()
    assert second.stderr is not None
    second.stderr.close()
    store = case.parent / "store.duckdb"
    assert query(store, "SELECT status FROM miningflow.runs") == [("done",)]
    assert leftovers(store) == set()
