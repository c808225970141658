"""A real SQLite in memory, that of Python."""

from __future__ import annotations

import sqlite3
from typing import Any

import pandas as pd

from miningflow.fitted import FittedScript


def why_absent() -> str:
    """Says what this SQLite lacks, or nothing."""
    if sqlite3.sqlite_version_info < (3, 39):
        return f"SQLite {sqlite3.sqlite_version} has no FULL JOIN: 3.39 is needed"
    try:
        sqlite3.connect(":memory:").execute("SELECT EXP(1), LN(2), TANH(1)")
    except sqlite3.OperationalError:
        return "this SQLite was built without mathematical functions"
    return ""


class SQLite:
    """A separate database."""

    dialect = "sqlite"

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)

    def close(self) -> None:
        """Ends it."""
        self.connection.close()

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        self.load(frame, table)
        try:
            for statement in script.setup:
                self.execute(statement)
            rows = self.rows(script.query)
            for statement in script.teardown:
                self.execute(statement)
            assert self.tables() == [table]
        finally:
            for name in self.tables():
                self.execute(f"DROP TABLE {self.quoted(name)}")
        return rows

    def execute(self, statement: str) -> None:
        """Runs a statement."""
        self.connection.execute(statement)

    def rows(self, query: str) -> pd.DataFrame:
        """Fetches the result of a query."""
        cursor = self.connection.execute(query)
        names = [column[0] for column in cursor.description]
        return pd.DataFrame(cursor.fetchall(), columns=names, dtype=object)

    def load(self, frame: pd.DataFrame, table: str) -> None:
        """Makes a table of a frame; None is NULL, and so is NaN."""
        columns = [f"{self.quoted(str(name))} {_type(frame[name])}" for name in frame.columns]
        self.execute(f"CREATE TABLE {self.quoted(table)} ({', '.join(columns)})")
        lists = [_values(frame[name]) for name in frame.columns]
        places = ", ".join("?" * len(lists))
        self.connection.executemany(
            f"INSERT INTO {self.quoted(table)} VALUES ({places})", list(zip(*lists, strict=True))
        )

    def tables(self) -> list[str]:
        """Names the tables."""
        found = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return [name for (name,) in found]

    def quoted(self, name: str) -> str:
        """Quotes a name."""
        return '"' + name.replace('"', '""') + '"'


def _type(values: pd.Series) -> str:
    texts = any(isinstance(value, str) for value in values)
    return "TEXT" if texts else "INTEGER" if values.dtype.kind in "iub" else "REAL"


def _values(values: pd.Series) -> list[Any]:
    return [None if pd.isna(value) else value for value in values.tolist()]
