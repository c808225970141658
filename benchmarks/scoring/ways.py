"""Ways to score, each in a process: `python -m benchmarks.scoring.ways WAY FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import joblib  # type: ignore[import-untyped]  # it has no types
import numpy as np

from benchmarks.scoring.measuring import measure
from benchmarks.scoring.stored import Stored, opened
from miningflow.engines.duckdb.kernels import kernel_function
from miningflow.learn.fitted_models import fitted_model
from miningflow.learn.kernels import KernelModel

Connection = duckdb.DuckDBPyConnection


def main() -> None:
    """Opens the store, reads its rows once, and scores them."""
    way, folder = sys.argv[1], Path(sys.argv[2])
    stored = Stored.load(folder)
    with opened(folder, stored.group) as connection:
        _scan(connection, stored)
        _load_modules(connection)
        if way in WITH_MACHINE:
            machine = joblib.load(folder / "machine.joblib")
            machine.decision_function(np.zeros((2, len(stored.names))))
            measure(lambda: WITH_MACHINE[way](connection, stored, machine))
        elif way == "function":
            _function(connection, stored, joblib.load(folder / "machine.joblib"))
        else:
            measure(lambda: IN_SQL[way](connection, stored))


def _load_modules(connection: Connection) -> None:
    """Fetches a number in each way, since the first time loads modules."""
    connection.sql("SELECT 1e0 AS one").df()
    for batch in connection.sql("SELECT 1e0 AS one").to_arrow_reader(1):
        batch.column(0).to_numpy()


def _scan(connection: Connection, stored: Stored) -> float:
    sums = ", ".join(f"sum({name})" for name in stored.names)
    return float(sum(connection.sql(f"SELECT {sums} FROM t").fetchall()[0]))


def _aggregated(connection: Connection, stored: Stored) -> float:
    sums = " + ".join(f"sum({name})" for name in stored.decisions)
    return float(connection.sql(f"SELECT {sums} FROM ({stored.query})").fetchall()[0][0])


def _with_label(connection: Connection, stored: Stored) -> float:
    query = f"SELECT sum(decision), count(label) FROM ({stored.query})"
    return float(connection.sql(query).fetchall()[0][0])


def _orbital(connection: Connection, stored: Stored) -> float:
    sums = 'count(output_label), sum("output_probability.no"), sum("output_probability.yes")'
    return float(connection.sql(f"SELECT {sums} FROM ({stored.orbital})").fetchall()[0][0])


def _streamed(connection: Connection, stored: Stored) -> float:
    relation = connection.sql(f"SELECT {', '.join(stored.decisions)} FROM ({stored.query})")
    total = 0.0
    for batch in relation.to_arrow_reader(100_000):
        total += sum(float(column.to_numpy().sum()) for column in batch.columns)
    return total


def _table(connection: Connection, stored: Stored) -> float:
    query = f"SELECT id, decision FROM ({stored.query})"
    connection.execute(f"CREATE OR REPLACE TABLE scores AS {query}")
    return 0.0


def _data_frame(connection: Connection, stored: Stored, machine: Any) -> float:
    frame = connection.sql(f"SELECT {', '.join(stored.names)} FROM t").df()
    return float(machine.decision_function(frame.to_numpy()).sum())


def _arrow(connection: Connection, stored: Stored, machine: Any) -> float:
    table = connection.sql(f"SELECT {', '.join(stored.names)} FROM t").to_arrow_table()
    X = np.column_stack([table[name].to_numpy() for name in stored.names])
    return float(machine.decision_function(X).sum())


def _function(connection: Connection, stored: Stored, machine: Any) -> None:
    model = fitted_model(machine)
    assert isinstance(model, KernelModel)
    query = f"SELECT sum(decide([{', '.join(stored.names)}])[1]) FROM t"
    with kernel_function(connection, "decide", model):
        measure(lambda: float(connection.sql(query).fetchall()[0][0]))


IN_SQL: dict[str, Callable[[Connection, Stored], float]] = {
    "scan": _scan,
    "aggregated": _aggregated,
    "with label": _with_label,
    "orbital": _orbital,
    "streamed": _streamed,
    "table": _table,
}
WITH_MACHINE: dict[str, Callable[[Connection, Stored, Any], float]] = {
    "data frame": _data_frame,
    "arrow": _arrow,
}
NAMES = {
    "scan": "scan: `sum` of each column",
    "aggregated": "SQL, decisions summed up",
    "with label": "SQL, decisions and labels",
    "orbital": "orbital, labels and probabilities",
    "streamed": "SQL, streamed as Arrow",
    "table": "SQL, written as a table",
    "data frame": "fetched as a data frame + scikit-learn",
    "arrow": "fetched as Arrow + scikit-learn",
    "function": "Arrow function in our process",
}

if __name__ == "__main__":
    main()
