"""Runs the SQL of a fitted machine on an engine and compares it with scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import duckdb
import numpy as np
import pandas as pd

import miningflow
from miningflow.fitted import FittedScript

LARGEST_DIFFERENCE = 1e-9


class Engine(Protocol):
    """A real database that runs a script."""

    dialect: str

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        ...


class DuckDB:
    """A DuckDB in memory, a new one for each script."""

    dialect = "duckdb"

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        connection = duckdb.connect()
        connection.register("given frame", frame)
        quoted = '"' + table.replace('"', '""') + '"'
        connection.execute(f'CREATE TABLE {quoted} AS SELECT * FROM "given frame"')
        for statement in script.setup:
            connection.execute(statement)
        found = connection.sql(script.query).to_arrow_table()
        for statement in script.teardown:
            connection.execute(statement)
        left = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert left == [(table,)]
        return pd.DataFrame(
            {name: found[name].to_pylist() for name in found.column_names}, dtype=object
        )


IN_PROCESS = DuckDB()


def run(
    script: FittedScript, frame: pd.DataFrame, table: str = "rows", engine: Engine = IN_PROCESS
) -> pd.DataFrame:
    """Returns the result of a script over a table that holds a frame, in the order of its `id`."""
    return engine.run(script, frame, table).sort_values("id", ignore_index=True)


def table_of(X: Any, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Returns a matrix as a table with an `id`."""
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    if names is not None:
        frame = frame.set_axis(list(names), axis=1)
    return frame.assign(id=np.arange(len(frame)))


def scored(
    fitted: Any, X: Any, names: Sequence[str] | None = None, engine: Engine = IN_PROCESS
) -> pd.DataFrame:
    """Scores rows in SQL."""
    if not isinstance(X, pd.DataFrame):
        names = names or [f"c{i}" for i in range(np.asarray(X).shape[1])]
    script = miningflow.to_sql(fitted, features=names, keep=["id"], dialect=engine.dialect)
    return run(script, table_of(X, names), engine=engine)


def assert_agrees(
    fitted: Any, X: Any, names: Sequence[str] | None = None, engine: Engine = IN_PROCESS
) -> float:
    """Compares labels and decision values with scikit-learn; returns the largest difference."""
    rows = scored(fitted, X, names, engine)
    given = X.to_numpy() if isinstance(X, pd.DataFrame) and names is not None else X
    expected = np.asarray(fitted.predict(given))
    if "prediction" in rows:
        return difference(rows[["prediction"]], expected[:, None])
    assert rows["label"].to_list() == expected.tolist()
    decisions = np.asarray(fitted.decision_function(given), dtype=float)
    shown = [name for name in rows.columns if name.startswith("decision")]
    wide = decisions.reshape(len(rows), -1)
    assert shown == (
        ["decision"] if wide.shape[1] == 1 else [f"decision_{i}" for i in range(wide.shape[1])]
    )
    assert list(rows.columns) == ["id", *shown, "label"]
    return difference(rows[shown], wide)


def difference(found: pd.DataFrame, expected: Any) -> float:
    """Returns the largest difference, relative to the largest value, and refuses a large one."""
    size = float(np.abs(expected).max()) or 1.0
    largest = float(np.abs(found.to_numpy(dtype=float) - expected).max()) / size
    assert largest <= LARGEST_DIFFERENCE
    return largest
