"""Seeded rows in a DuckDB file, a fitted machine, and the SQL that stands for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import joblib  # type: ignore[import-untyped]  # it has no types
import numpy as np
import pyarrow as pa

from miningflow.learn.arrays import Matrix

CHUNK = 500_000


@dataclass(frozen=True)
class Stored:
    """What a process that scores needs to know, beside the file of rows and the machine."""

    names: list[str]
    query: str
    decisions: list[str]
    group: int
    orbital: str = ""

    def save(self, folder: Path) -> None:
        """Writes it for other processes."""
        (folder / "stored.json").write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Stored:
        """Reads it back."""
        return cls(**json.loads((folder / "stored.json").read_text(encoding="utf-8")))


def opened(folder: Path, group: int) -> duckdb.DuckDBPyConnection:
    """Opens the file of rows.

    DuckDB gives each group of so many rows to one thread, and takes its own size, 122,880, for that
    of every file that is opened without saying it.
    """
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{folder / 'rows.duckdb'}' AS store (ROW_GROUP_SIZE {group})")
    connection.execute("USE store")
    return connection


def store(
    folder: Path, machine: Any, rows: Iterable[Matrix], orbital: str = "", group: int = 122_880
) -> None:
    """Writes chunks of rows as a table `t`, a machine fitted on such rows, and its SQL."""
    import miningflow  # the processes that measure need not load it

    names = [f"x{i}" for i in range(machine.n_features_in_)]
    script = miningflow.to_sql(machine, features=names, table="t", keep=["id"])
    with opened(folder, group) as connection:
        columns = ", ".join(f"{name} DOUBLE" for name in names)
        connection.execute(f"CREATE TABLE t (id BIGINT, {columns})")
        first = 0
        for chunk in rows:
            ids = np.arange(first, first + len(chunk))
            numbers = {name: chunk[:, i] for i, name in enumerate(names)}
            connection.register("made", pa.table({"id": ids, **numbers}))
            connection.execute("INSERT INTO t FROM made")
            first += len(chunk)
        for statement in script.setup:
            connection.execute(statement)
        computed = connection.sql(f"SELECT * FROM ({script.query}) LIMIT 0").columns
        decisions = [name for name in computed if name.startswith("decision")]
    joblib.dump(machine, folder / "machine.joblib")
    Stored(names, script.query, decisions, group, orbital).save(folder)


def generated(rows: int, columns: int) -> Iterator[Matrix]:
    """Returns chunks of normal numbers, always the same ones."""
    for first in range(0, rows, CHUNK):
        random = np.random.default_rng([columns, first])
        yield random.normal(size=(min(CHUNK, rows - first), columns))
