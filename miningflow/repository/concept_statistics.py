"""Statistics of concepts, stored with the fingerprint of the rows they describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from miningflow.declare.artifact import pack, unpack
from miningflow.declare.concept_statistics import ConceptStatistics
from miningflow.repository.database import Database, now
from miningflow.repository.reading import read_rows


class StoredStatistics(Database):
    """The statistics of concepts."""

    def save_statistics(
        self, case: str, fingerprint: str, found: Sequence[ConceptStatistics]
    ) -> None:
        """Stores the statistics of a result, in place of what was stored for that concept."""
        table = self._t.statistics
        with self._lock, self._begin() as connection:
            for statistics in found:
                connection.execute(
                    table.delete().where(
                        table.c.case_name == case,
                        table.c.step == statistics.concept,
                        table.c.part == statistics.part,
                    )
                )
                entry = {
                    "case_name": case,
                    "step": statistics.concept,
                    "fingerprint": fingerprint,
                    "part": statistics.part,
                    "row_count": statistics.rows,
                    "content": pack(statistics)[0],
                    "computed": now(),
                }
                connection.execute(table.insert(), entry)

    def statistics(
        self, case: str, step: str | None = None
    ) -> dict[tuple[str, str, str], ConceptStatistics]:
        """Returns the stored statistics, of all steps or of one: by step, fingerprint and part."""
        table = self._t.statistics
        if self.empty or table.name in self._missing:
            return {}
        query = sa.select(table).where(table.c.case_name == case)
        if step is not None:
            query = query.where(table.c.step == step)
        with self._lock, self._begin() as connection:
            rows = connection.execute(query).all()
        records = read_rows(rows, read_statistics, "statistics")
        pairs = zip(rows, records, strict=True)
        return {(row.step, row.fingerprint, row.part): record for row, record in pairs}

    def statistics_marks(self, case: str) -> set[tuple[str, str, str]]:
        """Returns which results have statistics, without reading these."""
        table = self._t.statistics
        if self.empty or table.name in self._missing:
            return set()
        query = sa.select(table.c.step, table.c.fingerprint, table.c.part)
        with self._lock, self._begin() as connection:
            found = connection.execute(query.where(table.c.case_name == case))
            return {(row.step, row.fingerprint, row.part) for row in found}


def read_statistics(row: Any) -> ConceptStatistics:
    """Returns the statistics of a row."""
    found: ConceptStatistics = unpack(ConceptStatistics, row.content, b"")
    return found
