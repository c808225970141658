"""Stores that others wrote to: whatever the repository holds, nobody sees a traceback.

What the case did not make is never dropped, and `run --full` gives the results back.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from support import example_data
from support.stores import HELD_OUT, TWO_FILES, results

from attacks.alterations import alter
from attacks.commands import Ended, run_command
from attacks.tally import Tally

STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income, materialize: view}
grouped: {operator: GroupingGivenNoOfGroups, input: filled, target: region, groups: 2}
drawn: {operator: AssignStochasticValue, input: grouped, target: age, output: age_drawn}
relevant:
  operator: FeatureSelectionByScore
  input: drawn
  target: lapsed
  attributes: [age_drawn, income, household, claim_count]
  keep: 3
tree:
  operator: PredictionWithDecisionTree
  input: relevant
  target: lapsed
  predictors: [age_drawn, income, region]
  output: leaf
judged:
  operator: SupportVectorMachineForClassification
  input: tree
  target: lapsed
  positive: 'yes'
  predictors: [age_drawn, income, region]
  kernel: radial
  probability: chance
  output: risk
parts: {operator: SegmentationStratified, input: filled, by: region}
within: {operator: LinearScaling, input: parts, target: income, output: share}
whole: {operator: Unsegment, input: within}
out: {operator: PrepareForExport, input: whole, path: out.csv}
"""
PRECIOUS = (
    "CREATE TABLE main.precious AS SELECT 42 AS x",
    "CREATE TABLE example_results.precious AS SELECT 42 AS x",
    "CREATE TABLE example_built.precious AS SELECT 42 AS x",
    "CREATE VIEW example_results.mine AS SELECT * FROM main.precious",
    "CREATE MACRO main.doubled(x) AS 2 * x",
)
LOOKED = """SELECT
(SELECT sum(x) FROM main.precious), (SELECT sum(x) FROM example_results.precious),
(SELECT sum(x) FROM example_built.precious), (SELECT sum(x) FROM example_results.mine), doubled(21)
"""
READING = (
    ("plan", "case.yml"),
    ("compile", "case.yml"),
    ("compile", "case.yml", "--score"),
    ("score", "case.yml"),
    ("show", "case.yml"),
    ("show", "case.yml", "judged"),
    ("stats", "case.yml", "filled"),
    ("explain", "case.yml"),
    ("explain", "case.yml", "tree"),
    ("lineage", "case.yml"),
    ("export", "case.yml", "--to", "exported"),
    ("impact", "case.yml", "income"),
)
STORE = "store.duckdb"


def attack(count: int, seed: int) -> Tally:
    """Alters a store in `count` ways, and runs commands on each."""
    tally = Tally()
    rng = random.Random(seed)
    with _built() as (folder, expected):
        for number in range(count):
            _attack_one(folder, expected, random.Random(rng.random()), number, tally)
    return tally


@contextmanager
def _built() -> Iterator[tuple[Path, object]]:
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name:
        folder = Path(name)
        example_data.write(folder, example_data.tables())
        steps = textwrap.indent(STEPS.strip("\n"), "  ")
        case = f"case: example\nscoring: judged\n{HELD_OUT}\nsteps:\n{steps}\n{TWO_FILES}"
        (folder / "case.yml").write_text(case, encoding="utf-8")
        for words in (("run", "case.yml"), ("stats", "case.yml")):
            ended = run_command(folder, *words)
            assert ended.code == 0, ended
        expected = results(folder / STORE)
        with duckdb.connect(str(folder / STORE)) as connection:
            for statement in PRECIOUS:
                connection.execute(statement)
        shutil.copy(folder / STORE, folder / "whole.duckdb")
        yield folder, expected


def _attack_one(
    folder: Path, expected: object, rng: random.Random, number: int, tally: Tally
) -> None:
    store = folder / STORE
    shutil.copy(folder / "whole.duckdb", store)
    (folder / f"{STORE}.wal").unlink(missing_ok=True)
    with duckdb.connect(str(store)) as connection:
        done = [alter(connection, rng) for _ in range(rng.randint(1, 3))]
    said = f"store {number}: {'; '.join(done)}"
    tally.add("altered stores")
    ended = [_one(folder, words, tally, said) for words in rng.sample(READING, 3)]
    ended.append(_one(folder, ("run", "case.yml"), tally, said))
    if any(each.code for each in ended):
        tally.add("stores that a command refused")
        full = _one(folder, ("run", "case.yml", "--full"), tally, said)
        if full.code == 0:
            tally.add("stores that --full mended")
            found = {k: v for k, v in results(store).items() if k not in ("precious", "mine")}
            if found != expected:
                tally.breaks("other results after --full", said)
        elif "that this case did not make" in full.err:
            tally.add("stores whose list of objects is lost")
        elif "another store" not in full.err:
            tally.breaks("not mended by --full", f"{said}: {full.err.strip()[:400]}")
    _one(folder, ("clean", "case.yml"), tally, said)
    with duckdb.connect(str(store), read_only=True) as connection:
        try:
            assert connection.execute(LOOKED).fetchall() == [(42, 42, 42, 42, 42)]
        except (duckdb.Error, AssertionError) as error:
            tally.breaks("something foreign dropped", f"{said}: {str(error)[:200]}")


def _one(folder: Path, words: tuple[str, ...], tally: Tally, said: str) -> Ended:
    ended = run_command(folder, *words)
    tally.add("commands")
    tally.add(f"exit code {ended.code}")
    if ended.bug:
        tally.breaks("traceback", f"{' '.join(words)}: {ended.bug}: {said}")
    elif ended.code == 1 and "did not write" in ended.err:
        tally.add("messages that name the repository")
    return ended
