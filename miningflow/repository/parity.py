"""Parity: how well the SQL of each model agrees with the model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from miningflow.plan.stage import Stage
from miningflow.repository.database import Database
from miningflow.repository.reading import checked, read_rows
from miningflow.repository.records import ParityRecord


class Parities(Database):
    """The comparisons of SQL and model."""

    def save_parity(self, case: str, run: int, stage: Stage, parity: ParityRecord) -> None:
        """Records how well the SQL of a model agrees with the model."""
        mark = {"case_name": case, "step": stage.name, "fingerprint": stage.fingerprint, "run": run}
        with self._lock, self._begin() as connection:
            connection.execute(self._t.parity.insert(), {**mark, **asdict(parity)})

    def parity(self, case: str) -> dict[tuple[str, str, int], ParityRecord]:
        """Returns for each build of a model how well its SQL agrees: by step, fingerprint, run."""
        table = self._t.parity
        if self.empty or table.name in self._missing:
            return {}
        query = sa.select(table).where(table.c.case_name == case)
        with self._lock, self._begin() as connection:
            rows = connection.execute(query).all()
        records = read_rows(rows, read_parity, "a comparison")
        pairs = zip(rows, records, strict=True)
        return {(row.step, row.fingerprint, row.run): record for row, record in pairs}


def read_parity(row: Any) -> ParityRecord:
    """Returns the record of a row."""
    return checked(
        ParityRecord(row.compared_rows, row.largest_difference, row.labels, row.labels_too_close)
    )
