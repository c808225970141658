"""Objects: the trash index, which lists all that a case made in its store."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from miningflow.declare.typed_data import UnfitDataError
from miningflow.repository.database import Database
from miningflow.repository.reading import checked, read_rows
from miningflow.repository.records import MadeObject


class Objects(Database):
    """The objects that cases made."""

    def record_object(self, case: str, made: MadeObject, connection: Any = None) -> None:
        """Records an object before it is made, so that nothing is left behind unknown."""
        objects = self._t.objects
        entry = {
            "case_name": case,
            "schema_name": made.schema,
            "object_name": made.name,
            "kind": made.kind,
            "run": made.run,
        }
        same = sa.and_(
            objects.c.case_name == case,
            objects.c.schema_name == made.schema,
            objects.c.object_name == made.name,
        )

        values = [sa.literal(value, objects.c[name].type) for name, value in entry.items()]
        unknown = sa.select(*values).where(~sa.select(objects.c.run).where(same).exists())
        insert = objects.insert().from_select(list(entry), unknown)

        if connection is not None:
            connection.execute(insert)
            return
        with self._lock, self._begin() as own:
            own.execute(insert)

    def forget_object(self, case: str, made: MadeObject, connection: Any) -> None:
        """Takes an object out of the index, in the transaction that drops it."""
        objects = self._t.objects
        connection.execute(
            objects.delete().where(
                objects.c.case_name == case,
                objects.c.schema_name == made.schema,
                objects.c.object_name == made.name,
            )
        )

    def objects(self, case: str) -> list[MadeObject]:
        """Returns all that a case made and that was not dropped."""
        if self.empty:
            return []
        objects = self._t.objects
        query = sa.select(objects).where(objects.c.case_name == case)
        with self._lock, self._begin() as connection:
            return read_rows(connection.execute(query), read_object, "an object")

    def readable_objects(self, case: str) -> list[MadeObject]:
        """Returns what the case made, without entries that MiningFlow did not write."""
        if self.empty:
            return []
        objects = self._t.objects
        found: list[MadeObject] = []
        with self._lock, self._begin() as connection:
            for row in connection.execute(sa.select(objects).where(objects.c.case_name == case)):
                with suppress(UnfitDataError):
                    found.append(read_object(row))
        return found

    def cases_with_objects(self) -> set[str]:
        """Names the cases that made something."""
        if self.empty:
            return set()
        query = sa.select(self._t.objects.c.case_name).distinct()
        with self._lock, self._begin() as connection:
            return {name for name in connection.execute(query).scalars() if isinstance(name, str)}


def read_object(row: Any) -> MadeObject:
    """Returns the record of a row."""
    return checked(MadeObject(row.schema_name, row.object_name, row.kind, row.run))
