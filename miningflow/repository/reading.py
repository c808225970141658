"""Reading: every row of the repository is checked here against the record that it becomes."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

from miningflow.declare.typed_data import UnfitDataError
from miningflow.errors import RepositoryError

Record = TypeVar("Record")
GREATEST = 2**62
"""No number of a run or of rows gets there."""


def read_rows(rows: Iterable[Any], read: Callable[[Any], Record], what: str) -> list[Record]:
    """Reads rows; one that MiningFlow did not write is an error that names its step."""
    return [read_row(row, read, what) for row in rows]


def read_row(row: Any, read: Callable[[Any], Record], what: str) -> Record:
    """Reads a row; one that MiningFlow did not write is an error that names its step."""
    try:
        return read(row)
    except UnfitDataError as error:
        step = getattr(row, "step", None)
        named = f"{what} of step {step!r}" if isinstance(step, str) else what
        raise RepositoryError(named, str(error)) from None


def checked(record: Record) -> Record:
    """Returns a record whose fields have their declared types."""
    hints = typing.get_type_hints(type(record))
    for field in fields(typing.cast(Any, record)):
        value, hint = getattr(record, field.name), hints[field.name]
        allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        if not any(_is(value, kind) for kind in allowed):
            raise UnfitDataError((field.name,), f"unexpected {str(value)[:40]!r}")
    return record


def _is(value: Any, kind: Any) -> bool:
    if kind is int:
        return type(value) is int and abs(value) < GREATEST
    if kind is float:
        return type(value) in (int, float)
    return isinstance(value, kind)
