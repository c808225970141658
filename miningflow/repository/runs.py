"""Runs: when each began, how it ended, and what it was for."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from miningflow.errors import RepositoryError
from miningflow.repository.database import Database, now
from miningflow.repository.reading import GREATEST, checked, read_rows
from miningflow.repository.records import RunRecord
from miningflow.repository.run_origin import RunOrigin, origin_from_text

_PLAIN = RunOrigin()


class Runs(Database):
    """The runs of cases."""

    def begin_run(self, case: str, origin: RunOrigin = _PLAIN) -> int:
        """Starts a run; a run of this case that never ended is marked as interrupted."""
        runs = self._t.runs

        def write(connection: sa.Connection) -> int:
            run = self._newest_number(connection) + 1
            connection.execute(
                runs.update()
                .where(runs.c.case_name == case, runs.c.status == "running")
                .values(status="interrupted", message="the process ended before the run did")
            )
            connection.execute(
                runs.insert(),
                {
                    "run": run,
                    "case_name": case,
                    "started": now(),
                    "ended": None,
                    "status": "running",
                    "message": "",
                    "program": origin.as_text(),
                },
            )
            return run

        return self._again(write)

    def _newest_number(self, connection: sa.Connection) -> int:
        """Returns the greatest number of a run that anything has: its objects may outlive it."""
        known = [0]
        for table in (self._t.runs, self._t.builds, self._t.objects):
            found = connection.execute(sa.select(sa.func.max(table.c.run))).scalar()
            if found is not None and (type(found) is not int or abs(found) >= GREATEST):
                raise RepositoryError("a run", f"its number is {str(found)[:40]}")
            known.append(found or 0)
        return max(known)

    def end_run(self, run: int, status: str, message: str = "", connection: Any = None) -> None:
        """Records how a run ended."""
        change = (
            self._t.runs.update()
            .where(self._t.runs.c.run == run)
            .values(ended=now(), status=status, message=message)
        )
        if connection is not None:
            connection.execute(change)
            return
        self.write_deferred()
        with self._lock, self._begin() as own:
            own.execute(change)

    def runs(self, case: str, most: int | None = 10) -> list[RunRecord]:
        """Returns the newest runs of a case, or all of them."""
        if self.empty:
            return []
        runs = self._t.runs
        query = (
            sa.select(runs).where(runs.c.case_name == case).order_by(runs.c.run.desc()).limit(most)
        )
        with self._lock, self._begin() as connection:
            return read_rows(connection.execute(query), read_run, "a run")


def read_run(row: Any) -> RunRecord:
    """Returns the record of a row."""
    return checked(
        RunRecord(
            row.run,
            row.started,
            row.ended,
            row.status,
            row.message or "",
            origin_from_text(row.program),
        )
    )
