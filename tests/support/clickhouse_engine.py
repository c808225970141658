"""A real ClickHouse inside this process: chDB."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from miningflow.fitted import FittedScript


def why_absent() -> str:
    """Says what is missing for ClickHouse, or nothing."""
    try:
        import chdb  # noqa: F401  # only asks whether it is there
    except ImportError:
        return "chdb is not installed: pip install -e '.[dialects-test]'"
    return ""


class ClickHouse:
    """A session in memory."""

    dialect = "clickhouse"

    def __init__(self) -> None:
        import chdb.session

        made: Any = chdb.session.Session
        self.session = made()
        self.execute("CREATE DATABASE miningflow_test")
        self.execute("USE miningflow_test")

    def close(self) -> None:
        """Ends the session."""
        self.session.close()

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
        self.session.query(statement)

    def rows(self, query: str) -> pd.DataFrame:
        """Fetches the result of a query; as JSON, in which doubles keep all digits."""
        settings = "SET output_format_json_quote_64bit_integers = 0"
        self.execute(settings)
        found = json.loads(str(self.session.query(query, "JSONCompact")))
        names = [column["name"] for column in found["meta"]]
        return pd.DataFrame(found["data"], columns=names, dtype=object)

    def load(self, frame: pd.DataFrame, table: str) -> None:
        """Makes a table of a frame; None is NULL, and NaN stays NaN in columns of numbers."""
        columns = [f"{self.quoted(str(name))} {_type(frame[name])}" for name in frame.columns]
        self.execute(f"CREATE TABLE {self.quoted(table)} ({', '.join(columns)}) ENGINE = Memory")
        lists = [_values(frame[name]) for name in frame.columns]
        rows = ", ".join(
            "(" + ", ".join(_literal(value) for value in row) + ")"
            for row in zip(*lists, strict=True)
        )
        if rows:
            self.execute(f"INSERT INTO {self.quoted(table)} VALUES {rows}")

    def tables(self) -> list[str]:
        """Names the tables."""
        return [str(name) for name in self.rows("SHOW TABLES").iloc[:, 0]]

    def quoted(self, name: str) -> str:
        """Quotes a name."""
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _type(values: pd.Series) -> str:
    """Returns the type; whole numbers are keys, which have no NULL there."""
    texts = any(isinstance(value, str) for value in values)
    kind = "String" if texts else "Int64" if values.dtype.kind in "iub" else "Float64"
    return kind if kind == "Int64" else f"Nullable({kind})"


def _values(values: pd.Series) -> list[Any]:
    numbers = values.dtype.kind == "f"
    return [None if not numbers and pd.isna(value) else value for value in values.tolist()]


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return repr(float(value)) if isinstance(value, float) else str(int(value))
