"""Mending: rows that MiningFlow did not write are removed, so that a full run can replace them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from miningflow.declare.typed_data import UnfitDataError
from miningflow.repository.builds import read_build
from miningflow.repository.concept_statistics import read_statistics
from miningflow.repository.database import Database
from miningflow.repository.objects import read_object
from miningflow.repository.parity import read_parity
from miningflow.repository.runs import read_run

_READERS: Mapping[str, Callable[[Any], Any]] = {
    "runs": read_run,
    "builds": read_build,
    "parity": read_parity,
    "statistics": read_statistics,
    "objects": read_object,
}


class Mending(Database):
    """What can be removed without losing what MiningFlow wrote."""

    def forget_unreadable(self, case: str) -> None:
        """Removes the rows of a case that cannot be read.

        A run with a number that none can have is in the way of every case, so runs of all cases
        are read.
        """
        with self._lock, self._begin() as connection:
            for name, read in _READERS.items():
                table: sa.Table = getattr(self._t, name)
                query = sa.select(table)
                if name != "runs":
                    query = query.where(table.c.case_name == case)
                for row in connection.execute(query).all():
                    try:
                        read(row)
                    except UnfitDataError:
                        connection.execute(table.delete().where(*_same(table, row)))


def _same(table: sa.Table, row: Any) -> list[sa.ColumnElement[bool]]:
    """Compares the key; a table that others made may have nothing in it."""
    return [column.is_not_distinct_from(row._mapping[column.name]) for column in table.primary_key]
