"""A case of 60 steps against SQL by hand: `python -m benchmarks.tower [ROWS]`.

Ten numbers are filled, scaled, taken the logarithm of, cut into categories, and joined into sums
and ratios: 60 steps over 10 million rows, of which the last one is a table. The other side is one
query for everything that is learned and one CREATE TABLE with the same expressions, written by
hand. Both run in the same database, in turns, and the best of several counts.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

import miningflow

ROWS = 10_000_000
ROUNDS = 3
COLUMNS = [f"n{i}" for i in range(10)]
BOUND = 1.5


def main() -> None:
    """Prints seconds and ratios, and exits with 1 if one is over its bound."""
    rows = int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, rows)
        pairs = [_once(folder) for _ in range(ROUNDS)]
    print(f"{rows:,} rows, {len(_steps())} steps")
    failed = False
    for what, place in (("the whole: learn and build", 0), ("the last statement alone", 1)):
        ours, other = (min(pair[side][place] for pair in pairs) for side in (0, 1))
        print(f"{what:<28} ours {ours:7.2f} s   by hand {other:7.2f} s   ratio {ours / other:.2f}")
        failed |= ours / other > BOUND
    if failed:
        sys.exit(f"a ratio is over its bound of {BOUND}")


def _steps() -> dict[str, dict[str, Any]]:
    steps: dict[str, dict[str, Any]] = {}
    before = "Row"

    def add(name: str, operator: str, **parameters: Any) -> None:
        nonlocal before
        steps[name] = {"operator": operator, "input": before, **parameters}
        before = name

    for c in COLUMNS:
        add(f"fill_{c}", "AssignAverageValue", target=c)
        add(f"scale_{c}", "LinearScaling", target=c, range=[0, 1], output=f"{c}_scaled")
        add(f"log_{c}", "GenericFeatureConstruction", sql=f"ln(1 + {c})", output=f"{c}_log")
        add(
            f"cut_{c}",
            "EquidistantDiscretizationGivenNoOfIntervals",
            target=c,
            intervals=5,
            output=f"{c}_group",
        )
    for i, c in enumerate(COLUMNS):
        other = COLUMNS[(i + 1) % 10]
        add(
            f"sum_{c}",
            "GenericFeatureConstruction",
            sql=f"{c}_scaled + {other}_scaled",
            output=f"{c}_sum",
        )
        add(
            f"ratio_{c}",
            "GenericFeatureConstruction",
            sql=f"{c}_log / (1 + {c}_sum)",
            output=f"{c}_ratio",
        )
    steps[before]["materialize"] = "table"
    return steps


def _write(folder: Path, rows: int) -> None:
    columns = ", ".join(
        f"CASE WHEN hash(i, {j}) % 20 = 0 THEN NULL "
        f"ELSE (hash(i, {j + 100}) % 1000000)::DOUBLE / 1000 END AS {c}"
        for j, c in enumerate(COLUMNS)
    )
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute(f"CREATE TABLE raw AS SELECT i AS id, {columns} FROM range({rows}) r(i)")
    case = {
        "case": "tower",
        "concepts": {
            "Row": {"key": "id", "features": {"id": "key", **dict.fromkeys(COLUMNS, "numeric")}}
        },
        "steps": _steps(),
        "connect": {"store": "duckdb:///store.duckdb", "concepts": {"Row": {"table": "raw"}}},
    }
    (folder / "case.yml").write_text(json.dumps(case), encoding="utf-8")


def _once(folder: Path) -> tuple[tuple[float, float], tuple[float, float]]:
    """Runs both, each from nothing; gives seconds for all, and for the last statement."""
    case = miningflow.load(folder / "case.yml")
    last = list(_steps())[-1]
    start = time.perf_counter()
    report = case.run(full=True)
    whole = time.perf_counter() - start
    built = next(s.seconds for s in report.stages if s.name == last)
    return (whole, built), _by_hand(folder)


def _by_hand(folder: Path) -> tuple[float, float]:
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute("DROP TABLE IF EXISTS by_hand")
        start = time.perf_counter()
        learned = ", ".join(f"avg({c}), min({c}), max({c})" for c in COLUMNS)
        found = connection.execute(f"SELECT {learned} FROM raw").fetchall()[0]
        facts = {c: found[3 * i : 3 * i + 3] for i, c in enumerate(COLUMNS)}
        between = time.perf_counter()
        connection.execute(f"CREATE TABLE by_hand AS {_hand_written(facts)}")
        end = time.perf_counter()
        different = connection.execute(
            f"SELECT max(abs(a.n0_ratio - b.n0_ratio)) + max(abs(a.n9_sum - b.n9_sum)) "
            f"FROM by_hand a JOIN tower_results.{list(_steps())[-1]} b USING (id)"
        ).fetchall()[0][0]
        assert different < 1e-9, "the two give different numbers"
        connection.execute("DROP TABLE by_hand")
    return end - start, end - between


def _hand_written(facts: dict[str, tuple[float, float, float]]) -> str:
    means = {c: mean for c, (mean, _, _) in facts.items()}
    filled = ", ".join(f"coalesce({c}, {mean!r}::DOUBLE) AS {c}" for c, mean in means.items())
    made: list[str] = []
    for c, (_, low, high) in facts.items():
        made.append(f"({c} - {low!r}::DOUBLE) / {high - low!r}::DOUBLE AS {c}_scaled")
        made.append(f"ln(1 + {c}) AS {c}_log")
        cuts = [low + (high - low) * i / 5 for i in range(1, 5)]
        cases = " ".join(f"WHEN {c} < {cut!r}::DOUBLE THEN 'below {cut:.4g}'" for cut in cuts)
        made.append(f"CASE {cases} ELSE 'above' END AS {c}_group")
    for i, c in enumerate(COLUMNS):
        made.append(f"{c}_scaled + {COLUMNS[(i + 1) % 10]}_scaled AS {c}_sum")
    for c in COLUMNS:
        made.append(f"{c}_log / (1 + {c}_sum) AS {c}_ratio")
    return f"SELECT *, {', '.join(made)} FROM (SELECT id, {filled} FROM raw)"


if __name__ == "__main__":
    main()
