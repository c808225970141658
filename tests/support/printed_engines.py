"""Databases that SQL is only printed for, and what is asked of each of them in tests."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
from sqlglot import exp

from miningflow.sql.dialect import render


class Printed(Protocol):
    """A real database that takes statements as they were printed."""

    dialect: str

    def execute(self, statement: str) -> None:
        """Runs a statement."""
        ...

    def rows(self, query: str) -> pd.DataFrame:
        """Fetches the result of a query."""
        ...

    def load(self, frame: pd.DataFrame, table: str) -> None:
        """Makes a table of a frame."""
        ...


def named(name: str) -> exp.Table:
    """Refers to a table."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def load(engine: Printed, name: str, table: pa.Table) -> None:
    """Loads times as texts, and shows them as times."""
    times = [f.name for f in table.schema if pa.types.is_timestamp(f.type)]
    columns = {column: table.column(column).to_pylist() for column in table.column_names}
    for time in times:
        columns[time] = [moment and moment.isoformat(" ") for moment in columns[time]]
    frame = pd.DataFrame(
        {n: pd.Series(v, dtype=object if None in v else None) for n, v in columns.items()}
    )
    engine.load(frame, f"loaded {name}")
    shown = [
        exp.alias_(
            exp.cast(exp.column(n, quoted=True), "timestamp")
            if n in times
            else exp.column(n, quoted=True),
            n,
            quoted=True,
        )
        for n in columns
    ]
    query = exp.Select(expressions=shown, from_=exp.From(this=named(f"loaded {name}")))
    made = exp.Create(this=named(name), kind="VIEW", expression=query)
    engine.execute(render(made, engine.dialect))


def unload(engine: Printed, name: str) -> None:
    """Drops what `load` made."""
    for kind, gone in (("VIEW", name), ("TABLE", f"loaded {name}")):
        drop = exp.Drop(tables=[named(gone)], kind=kind, exists=True)
        engine.execute(render(drop, engine.dialect))


def compared_rows(frame: pd.DataFrame) -> list[list[Any]]:
    """Returns the rows in the order of their first column, values as they compare with others."""
    rows = [[compared(value) for value in row] for row in frame.itertuples(index=False)]
    return sorted(rows, key=lambda row: (repr(row[0]), repr(row)))


def compared(value: Any) -> Any:
    """Returns numbers to ten digits, times as texts, NULL as None."""
    if pd.isna(value):
        return None
    if isinstance(value, float | Decimal):
        return float(f"{float(value):.10g}")
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.removesuffix(".000000") if isinstance(value, str) else value
