"""Machines trained in the database against fetching: `python -m benchmarks.training [TASK …]`.

Each measurement is a separate process, which first reads the table once, so that both find it in
memory. What is compared takes turns, and the best of several counts. Memory is what a process adds
to its peak while it learns. Tasks are named by their number, beginning with 0; without any all run.
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
import pyarrow as pa
from sqlglot import exp

from miningflow.catalog import installed
from miningflow.declare import Concept, Feature
from miningflow.engines import open_engine
from miningflow.run.training_rows import Training
from miningflow.sql.block import Scan

# Longer than this nobody waits; the ratio is then at least what is printed.
PATIENCE = 120.0


@dataclass(frozen=True)
class Task:
    """A problem, what it is compared with, and the bars: how much faster, how exact."""

    name: str
    rows: int
    columns: int
    rounds: int
    other: str
    faster: float
    gap: float

    @property
    def number(self) -> bool:
        """Whether a number is predicted."""
        return self.name == "regression"

    @property
    def radial(self) -> bool:
        """Whether the kernel is radial."""
        return self.name == "radial"


TASKS = (
    Task("squared hinge", 1_000_000, 20, 3, "fetch + LinearSVC", 2.0, 1e-6),
    Task("hinge", 200_000, 10, 1, "fetch + SVC(linear)", 4.0, 1e-6),
    Task("regression", 200_000, 10, 1, "fetch + SVR(linear)", 4.0, 1e-6),
    Task("radial", 200_000, 10, 1, "fetch + SVC(rbf)", 1.0, 1e-3),
    # with many columns memory is what is won: about a fifth, in about the same time
    Task("squared hinge", 200_000, 100, 2, "fetch + LinearSVC", 0.5, 1e-6),
)


@dataclass(frozen=True)
class Measured:
    """What a process tells of itself."""

    seconds: float
    processor: float
    megabytes: float
    notes: tuple[str, ...]


def main() -> None:
    """Prints measured, ratio and bar for each task."""
    if len(sys.argv) > 3:
        _child(sys.argv[1], Path(sys.argv[2]), TASKS[int(sys.argv[3])])
        return
    missed = False
    for number in [int(given) for given in sys.argv[1:]] or range(len(TASKS)):
        with tempfile.TemporaryDirectory() as name:
            store = Path(name) / "rows.duckdb"
            _write(store, TASKS[number])
            ours, other = _measure(store, number, TASKS[number])
            missed |= not _print(TASKS[number], ours, other)
    if missed:
        sys.exit("a bar was missed")


def _print(task: Task, ours: Measured, other: Measured | None) -> bool:
    print(f"{task.name}, {task.rows:,} × {task.columns}")
    _print_measured("in the database", ours)
    if other is None:
        print(f"  {task.other:<19} > {PATIENCE:5.0f} s  (ended)")
    else:
        _print_measured(task.other, other)
    ratio = (PATIENCE if other is None else other.seconds) / ours.seconds
    fast = ratio >= task.faster
    least = "at least " if other is None else ""
    print(f"  faster by           {least}{ratio:.1f}, bar {task.faster:g}: {_word(fast)}")
    for note in ours.notes:
        print(f"  {note}")
    gap = float(ours.notes[-1].rsplit(" ", 1)[1])
    exact = gap <= task.gap
    print(f"  duality gap         {gap:.1e}, bar {task.gap:.0e}: {_word(exact)}", flush=True)
    return fast and exact


def _print_measured(name: str, told: Measured) -> None:
    used = f"{told.processor:7.2f} s of processors"
    print(f"  {name:<19} {told.seconds:7.2f} s  {used}  +{told.megabytes:6.0f} MB")


def _word(met: bool) -> str:
    return "met" if met else "MISSED"


def _write(store: Path, task: Task) -> None:
    """Makes rows of which the boundary gets some wrong, and 2 % have the wrong label.

    Of a radial machine it gets none wrong, and no row is near it: few rows hold the machine.
    """
    random = np.random.default_rng(0)
    X = random.normal(size=(task.rows, task.columns))
    if task.radial:
        size = (X[:, :4] ** 2).sum(axis=1) - 3.36
        X = X[np.abs(size) > 0.6]
        positive = (X[:, :4] ** 2).sum(axis=1) > 3.36
        side = np.zeros(len(X))
    else:
        side = X @ random.normal(size=task.columns) + random.normal(size=task.rows)
        positive = (side > 0) ^ (random.random(task.rows) < 0.02)
    columns: dict[str, Any] = {f"x{i}": X[:, i] for i in range(task.columns)}
    columns |= {"label": np.where(positive, "yes", "no"), "size": side}
    with duckdb.connect(str(store)) as connection:
        connection.register("made", pa.table(columns))
        connection.execute("CREATE TABLE t AS FROM made")


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
    # the process also starts and reads the rows
    patience = 15 + (PATIENCE if way == "other" else 3 * PATIENCE)
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None
    told = json.loads(done.stdout.splitlines()[-1])
    return Measured(told["seconds"], told["processor"], told["megabytes"], tuple(told["notes"]))


def _child(way: str, store: Path, task: Task) -> None:
    learn = _ours if way == "ours" else _other
    print(json.dumps(learn(store, task)))


def _ours(store: Path, task: Task) -> dict[str, Any]:
    engine = open_engine(f"duckdb:///{store}", store.parent)
    with engine.session() as session:
        rows, step = training_step(session, task.columns, task.name)
        session.rows(_scan(task))
        clock = Clock()
        step.learn(rows)
        return clock.told(rows.notes)


def training_step(session: Any, columns: int, name: str) -> tuple[Training, Any]:
    """Returns the rows of table t, and a step that learns from all of them."""
    names = [f"x{i}" for i in range(columns)]
    features = {each: Feature(each, "numeric") for each in [*names, "size"]}
    features["label"] = Feature("label", "binary")
    concept = Concept("t", features)
    given: dict[str, Any] = {"target": features["size"]}
    operator: Any = installed()["SupportVectorMachineForRegression"]
    if name != "regression":
        operator = installed()["SupportVectorMachineForClassification"]
        given = {"target": features["label"], "positive": "yes"}
        given["loss"] = "squared_hinge" if name == "squared hinge" else "hinge"
    if name == "radial":
        given["C"] = 10.0
    step = operator(
        input=concept,
        predictors=tuple(features[each] for each in names),
        kernel="radial" if name == "radial" else "linear",
        use_db_svm="always",
        output="found",
        **given,
    )
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
    return rows, step


def _other(store: Path, task: Task) -> dict[str, Any]:
    from sklearn.svm import SVC, SVR, LinearSVC

    names = [f"x{i}" for i in range(task.columns)]
    with duckdb.connect(str(store)) as connection:
        connection.execute(_scan(task)).fetchall()
        clock = Clock()
        frame = connection.sql("FROM t").df()
        X = frame[names].to_numpy()
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        y = frame["size"].to_numpy() if task.number else frame["label"].to_numpy() == "yes"
        machine = {
            "squared hinge": LinearSVC(dual=False),
            "hinge": SVC(kernel="linear", cache_size=200),
            "regression": SVR(kernel="linear", cache_size=200),
            "radial": SVC(C=10.0, cache_size=200),
        }[task.name]
        machine.fit(X, y)
        return clock.told([])


class Clock:
    """Measures from its making on: time, time of processors, and memory."""

    def __init__(self) -> None:
        self._before = peak(anew=True)
        self._processor = time.process_time()
        self._start = time.perf_counter()

    def told(self, notes: list[str]) -> dict[str, Any]:
        """Returns what was measured."""
        return {
            "seconds": time.perf_counter() - self._start,
            "processor": time.process_time() - self._processor,
            "megabytes": peak() - self._before,
            "notes": notes,
        }


def _scan(task: Task) -> str:
    sums = ", ".join(f"sum(x{i})" for i in range(task.columns))
    return f"SELECT {sums}, sum(size), max(label) FROM t"


def peak(anew: bool = False) -> float:
    """Returns the greatest memory of this process so far in megabytes; `anew` counts from now on.

    Not by getrusage, which begins with the memory of the process that started this one.
    """
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
