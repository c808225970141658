"""A row of a result as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


def row_text(row: Mapping[str, Any]) -> str:
    """Writes the names and values of a row."""
    return ", ".join(f"{name} = {_value(value)}" for name, value in row.items())


def _value(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case float():
            return f"{value:.12g}"
        case datetime():
            return value.isoformat(" ")
        case _:
            return str(value)
