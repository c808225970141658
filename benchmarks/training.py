"""Linear machines trained in the database against fetching: `python -m benchmarks.training`.

Each measurement is a process of its own, which first reads the table once, so that both find it in
memory. What is compared takes turns, and the best of several counts. Memory is what a process adds
to its peak while it learns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sklearn.svm import SVC, LinearSVC
from sqlglot import exp

from miningflow.catalog import installed
from miningflow.declare import Concept, Feature
from miningflow.engines import open_engine
from miningflow.run.training import Training
from miningflow.sql.block import Scan

Matrix = npt.NDArray[np.float64]

# Longer than this nobody waits; the ratio is then at least what is printed.
PATIENCE = 120.0


@dataclass(frozen=True)
class Task:
    """A problem, what it is compared with, and the bar."""

    loss: str
    rows: int
    columns: int
    rounds: int
    other: str
    faster: float


TASKS = (
    Task("squared_hinge", 1_000_000, 20, 3, "fetch + LinearSVC", 2.0),
    Task("hinge", 200_000, 10, 1, "fetch + SVC(linear)", 4.0),
)


@dataclass(frozen=True)
class Measured:
    """What a process tells of itself."""

    seconds: float
    megabytes: float
    weights: tuple[float, ...]
    notes: tuple[str, ...]


def main() -> None:
    """Prints measured, ratio and bar for each task."""
    if len(sys.argv) > 1:
        _child(sys.argv[1], Path(sys.argv[2]), TASKS[int(sys.argv[3])])
        return
    missed = False
    for number, task in enumerate(TASKS):
        with tempfile.TemporaryDirectory() as name:
            store = Path(name) / "rows.duckdb"
            X, signs = _write(store, task)
            ours, other = _measure(store, number, task)
            missed |= not _print(task, ours, other, X, signs)
    if missed:
        sys.exit("a bar was missed")


def _print(task: Task, ours: Measured, other: Measured | None, X: Matrix, signs: Matrix) -> bool:
    print(f"{task.loss}, {task.rows:,} × {task.columns}")
    print(f"  in the database     {ours.seconds:7.2f} s  +{ours.megabytes:6.0f} MB")
    if other is None:
        print(f"  {task.other:<19} > {PATIENCE:5.0f} s  (ended)")
    else:
        print(f"  {task.other:<19} {other.seconds:7.2f} s  +{other.megabytes:6.0f} MB")
    ratio = (PATIENCE if other is None else other.seconds) / ours.seconds
    fast = ratio >= task.faster
    least = "at least " if other is None else ""
    print(f"  faster by           {least}{ratio:.1f}, bar {task.faster:.0f}: {_word(fast)}")
    for note in ours.notes:
        print(f"  {note}")
    return _accurate(task, ours, X, signs) and fast


def _accurate(task: Task, ours: Measured, X: Matrix, signs: Matrix) -> bool:
    if task.loss == "squared_hinge":
        exact = LinearSVC(dual=False, tol=1e-10, max_iter=10_000).fit(X, signs)
        weights = np.append(exact.coef_[0], exact.intercept_[0])
        worst = float(np.abs(weights - ours.weights).max())
        print(f"  weights off by      {worst:.1e}, bar 1e-06: {_word(worst <= 1e-6)}")
        return worst <= 1e-6
    gap = float(ours.notes[-1].rsplit(" ", 1)[1])
    print(f"  duality gap         {gap:.1e}, bar 1e-06: {_word(gap <= 1e-6)}")
    return gap <= 1e-6


def _word(met: bool) -> str:
    return "met" if met else "MISSED"


def _write(store: Path, task: Task) -> tuple[Matrix, Matrix]:
    """Makes rows of which the boundary gets some wrong, and 2 % have the wrong label."""
    random = np.random.default_rng(0)
    X = random.normal(size=(task.rows, task.columns))
    side = X @ random.normal(size=task.columns) + random.normal(size=task.rows)
    positive = (side > 0) ^ (random.random(task.rows) < 0.02)
    columns: dict[str, Any] = {f"x{i}": X[:, i] for i in range(task.columns)}
    columns["label"] = np.where(positive, "yes", "no")
    with duckdb.connect(str(store)) as connection:
        connection.register("made", pa.table(columns))
        connection.execute("CREATE TABLE t AS FROM made")
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    return standard, np.where(positive, 1.0, -1.0)


def _measure(store: Path, number: int, task: Task) -> tuple[Measured, Measured | None]:
    best: dict[str, Measured | None] = {"ours": None, "other": None}
    for _ in range(task.rounds):
        for way in ("ours", "other"):
            found = _process(way, store, number)
            known = best[way]
            if found is not None and (known is None or found.seconds < known.seconds):
                best[way] = found
    assert best["ours"] is not None, "learning in the database took too long"
    return best["ours"], best["other"]


def _process(way: str, store: Path, number: int) -> Measured | None:
    command = [sys.executable, "-m", "benchmarks.training", way, str(store), str(number)]
    try:
        # the process also starts and reads the rows
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=PATIENCE + 15
        )
    except subprocess.TimeoutExpired:
        return None
    told = json.loads(done.stdout.splitlines()[-1])
    return Measured(
        told["seconds"], told["megabytes"], tuple(told["weights"]), tuple(told["notes"])
    )


def _child(way: str, store: Path, task: Task) -> None:
    learn = _ours if way == "ours" else _other
    print(json.dumps(learn(store, task)))


def _ours(store: Path, task: Task) -> dict[str, Any]:
    engine = open_engine(f"duckdb:///{store}", store.parent)
    names = [f"x{i}" for i in range(task.columns)]
    features = {name: Feature(name, "numeric") for name in names}
    features["label"] = Feature("label", "binary")
    concept = Concept("t", features)
    machine: Any = installed()["SupportVectorMachineForClassification"]
    step = machine(
        input=concept,
        target=features["label"],
        positive="yes",
        predictors=tuple(features[name] for name in names),
        kernel="linear",
        loss=task.loss,
        output="risk",
    )
    with engine.session() as session:
        rows = Training(
            "scored",
            concept,
            Scan("t", tuple(features)),
            exp.to_table,
            session,
            "duckdb",
            lambda event: None,
            threading.Event(),
        )
        session.rows(_scan(names))
        before, start = _peak(anew=True), time.perf_counter()
        model = step.learn(rows).machine.model
        seconds = time.perf_counter() - start
    weights = [*model.weights, model.intercept]
    return _told(seconds, before, weights, rows.notes)


def _other(store: Path, task: Task) -> dict[str, Any]:
    names = [f"x{i}" for i in range(task.columns)]
    with duckdb.connect(str(store)) as connection:
        connection.execute(_scan(names)).fetchall()
        before, start = _peak(anew=True), time.perf_counter()
        frame = connection.sql("FROM t").df()
        X = frame[names].to_numpy()
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        positive = frame["label"].to_numpy() == "yes"
        squared = task.loss == "squared_hinge"
        machine = LinearSVC(dual=False) if squared else SVC(kernel="linear", cache_size=200)
        machine.fit(X, positive)
        seconds = time.perf_counter() - start
    weights = [*machine.coef_[0], machine.intercept_[0]]
    return _told(seconds, before, weights, [])


def _told(seconds: float, before: float, weights: list[float], notes: list[str]) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "megabytes": _peak() - before,
        "weights": [float(w) for w in weights],
        "notes": notes,
    }


def _scan(names: list[str]) -> str:
    return f"SELECT {', '.join(f'sum({name})' for name in names)}, max(label) FROM t"


def _peak(anew: bool = False) -> float:
    """Gives the greatest memory of this process so far in megabytes; `anew` counts from now on.

    Not by getrusage, which begins with the memory of the process that started this one.
    """
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
