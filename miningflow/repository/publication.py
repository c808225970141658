"""Publication: what the repository records when the results of a run become visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from miningflow.repository.database import Database
from miningflow.repository.records import StepRecord

_NAMES_AT_ONCE = 400


class Publication(Database):
    """What is published of each case."""

    def mark_published(
        self,
        case: str,
        published: Iterable[StepRecord],
        dead: Iterable[StepRecord],
        connection: Any,
    ) -> None:
        """Makes builds the current ones and removes those that nothing refers to."""
        builds, artifacts = self._t.builds, self._t.artifacts
        records = list(published)
        for part in _parts([record.step for record in records]):
            connection.execute(
                builds.update()
                .where(builds.c.case_name == case, builds.c.step.in_(part))
                .where(builds.c.status == "published")
                .values(status="old")
            )
        for record in records:
            connection.execute(
                builds.update().where(*_is(builds, case, record)).values(status="published")
            )
        for record in dead:
            connection.execute(builds.delete().where(*_is(builds, case, record)))
            connection.execute(self._t.parity.delete().where(*_is(self._t.parity, case, record)))
        newer = artifacts.alias("newer")
        needed = _same_mark(builds, artifacts).exists()
        surpassed = _same_mark(newer, artifacts).where(newer.c.run > artifacts.c.run).exists()
        connection.execute(
            artifacts.delete().where(artifacts.c.case_name == case, ~needed | surpassed)
        )

    def describe_concepts(
        self,
        case: str,
        names: Sequence[str],
        entries: Mapping[str, list[dict[str, Any]]],
        connection: Any,
    ) -> None:
        """Replaces what is known of some concepts: features, columns, deselections."""
        for table_name, rows in entries.items():
            table: sa.Table = getattr(self._t, table_name)
            for part in _parts(names):
                connection.execute(
                    table.delete().where(table.c.case_name == case, table.c.concept.in_(part))
                )
            if rows:
                connection.execute(table.insert(), rows)

    def describe_case(self, case: str, path: str, about: str, run: int, connection: Any) -> None:
        """Records where a case came from."""
        cases = self._t.cases
        connection.execute(cases.delete().where(cases.c.case_name == case))
        entry = {"case_name": case, "path": path, "about": about, "run": run}
        connection.execute(cases.insert(), entry)

    def forget_case(self, case: str, connection: Any) -> None:
        """Removes everything the repository knows of a case."""
        for table in self._t.metadata.sorted_tables:
            if "case_name" in table.c:
                connection.execute(table.delete().where(table.c.case_name == case))


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Divides names into parts that a statement can list."""
    for start in range(0, len(names), _NAMES_AT_ONCE):
        yield names[start : start + _NAMES_AT_ONCE]


def _is(table: sa.Table, case: str, record: StepRecord) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        table.c.case_name == case,
        table.c.step == record.step,
        table.c.fingerprint == record.fingerprint,
        table.c.run == record.run,
    )


def _same_mark(table: Any, other: sa.Table) -> sa.Select[Any]:
    """Selects the rows of one table about the same step with the same fingerprint as another's."""
    return sa.select(table.c.run).where(
        table.c.case_name == other.c.case_name,
        table.c.step == other.c.step,
        table.c.fingerprint == other.c.fingerprint,
    )
