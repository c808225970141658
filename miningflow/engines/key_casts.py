"""Keys as an engine reads them: NULL where a value does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from miningflow.engines.engine import TypeFamily
from miningflow.engines.key_types import DATE, TIMESTAMP, KeyType, key_type_of


@dataclass(frozen=True)
class KeyCasts:
    """How the SQL of an engine reads keys; every part takes an expression and returns one."""

    integer: Callable[[str, str, TypeFamily], str | None]
    """A whole number, by the type and family of the column; None if it never holds one."""
    text: Callable[[str], str]
    time: Callable[[str], str]
    """A timestamp without time zone, for columns that hold dates or times."""
    matching: Callable[[str, str, str], str]
    """A text that matches a pattern, cast to a type."""
    timestamp_type: str
    """The name of the type of timestamps without time zone."""

    def cast(self, tree: str, sql_type: str, family: TypeFamily, wanted: KeyType) -> str | None:
        """Returns an expression for a key, or None if such a column cannot be read like that."""
        found = key_type_of(family, sql_type)
        match wanted:
            case "integer":
                return self.integer(tree, sql_type, family)
            case "text" if found == "timestamp":
                return self.text(self.time(tree))
            case "text":
                return self.text(tree) if found else None
            case "date" if found == "timestamp":
                return self._midnight(self.time(tree))
            case "date" if found == "text":
                return self.matching(tree, DATE, "DATE")
            case "date":
                return tree if found == "date" else None
            case "timestamp" if found == "text":
                return self.matching(tree, TIMESTAMP, self.timestamp_type)
            case "timestamp":
                return self.time(tree) if family == "time" else None
            case _:
                assert_never(wanted)

    def _midnight(self, time: str) -> str:
        """Reads a timestamp as a date, if nothing of it is lost."""
        day = f"CAST({time} AS DATE)"
        return f"CASE WHEN CAST({day} AS {self.timestamp_type}) = {time} THEN {day} END"
