"""Builds: each step as a run built it, with its recipe and its object in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from miningflow.declare.typed_data import UnfitDataError
from miningflow.plan.recipe import Built, fingerprint_of, recipe_from_json
from miningflow.plan.stage import Stage
from miningflow.repository.database import Database
from miningflow.repository.reading import checked, read_rows
from miningflow.repository.records import StepRecord

STATUSES = ("built", "published", "old")


class Builds(Database):
    """The builds of steps."""

    def builds(self, case: str) -> list[StepRecord]:
        """Returns all builds of a case, newest last."""
        if self.empty:
            return []
        self.write_deferred()
        builds = self._t.builds
        query = sa.select(builds).where(builds.c.case_name == case).order_by(builds.c.run)
        with self._lock, self._begin() as connection:
            return read_rows(connection.execute(query), read_build, "a build")

    def record_build(
        self,
        case: str,
        run: int,
        stage: Stage,
        object_name: str | None,
        rows: int | None,
        seconds: float,
        notes: Sequence[str],
    ) -> StepRecord:
        """Records that a stage was built, and returns the record; publishing makes it visible.

        A fused stage made nothing in the store, so its entry is written with that of the next stage
        that did: a transaction for each took most of the time of a long chain.
        """
        entry = {
            "case_name": case,
            "step": stage.name,
            "fingerprint": stage.fingerprint,
            "run": run,
            "recipe": stage.recipe.as_json(),
            "status": "built",
            "object_name": object_name,
            "row_count": rows,
            "seconds": seconds,
            "notes": "\n".join(notes),
        }
        self._defer(self._t.builds, entry)
        if object_name is not None:
            self.write_deferred()
        built = Built(stage.fingerprint, stage.recipe, published=False, run=run)
        return StepRecord(
            stage.name,
            stage.fingerprint,
            run,
            "built",
            object_name,
            rows,
            seconds,
            "\n".join(notes),
            built,
        )


def read_build(row: Any) -> StepRecord:
    """Returns the record of a row; its recipe is the one that its fingerprint was made from."""
    record = checked(
        StepRecord(
            step=row.step,
            fingerprint=row.fingerprint,
            run=row.run,
            status=row.status,
            object_name=row.object_name,
            rows=row.row_count,
            seconds=row.seconds or 0.0,
            notes=row.notes or "",
            built=Built(
                row.fingerprint,
                recipe_from_json(row.recipe),
                published=row.status == "published",
                run=row.run,
            ),
        )
    )
    recipe = record.built.recipe
    if fingerprint_of(row.recipe) != record.fingerprint or recipe.name != record.step:
        raise UnfitDataError(("recipe",), "not the one that its fingerprint was made from")
    if record.object_name not in (None, f"{record.step}__{record.run}"):
        raise UnfitDataError(("object_name",), f"unexpected {record.object_name[:40]!r}")
    if record.status not in STATUSES:
        raise UnfitDataError(("status",), f"unexpected {record.status[:40]!r}")
    return record
