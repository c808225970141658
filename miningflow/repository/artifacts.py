"""Artifacts: what steps learned, and checkpoints of those that are still learning."""

from __future__ import annotations

from functools import partial
from typing import Any

import sqlalchemy as sa

from miningflow.declare.artifact import pack, unpack
from miningflow.declare.typed_data import UnfitDataError
from miningflow.plan.stage import Stage
from miningflow.repository.database import Database
from miningflow.repository.reading import read_row
from miningflow.repository.run_origin import RunOrigin, origin_from_text


class Artifacts(Database):
    """The artifacts of steps."""

    def save_artifact(self, case: str, run: int, stage: Stage, artifact: Any) -> None:
        """Stores what a step learned, in place of its checkpoint."""
        entry = _artifact_entry(case, stage.name, stage.fingerprint, run, artifact)
        with self._lock, self._begin() as connection:
            self._forget_checkpoint(case, stage, connection)
            connection.execute(self._t.artifacts.insert(), entry)

    def artifact(
        self, case: str, step: str, fingerprint: str, cls: type[Any], run: int | None = None
    ) -> Any | None:
        """Loads what a step learned: by a given run, or the newest with this fingerprint."""
        if self.empty:
            return None
        artifacts = self._t.artifacts
        query = (
            sa.select(artifacts.c.step, artifacts.c.content, artifacts.c.arrays)
            .where(
                artifacts.c.case_name == case,
                artifacts.c.step == step,
                artifacts.c.fingerprint == fingerprint,
            )
            .order_by(artifacts.c.run.desc())
        )
        if run is not None:
            query = query.where(artifacts.c.run == run)
        with self._lock, self._begin() as connection:
            row = connection.execute(query).first()
        return None if row is None else read_row(row, partial(_unpacked, cls), "the artifact")

    def origin_of_artifact(self, case: str, step: str, fingerprint: str) -> RunOrigin:
        """Returns the origin of the run that stored what a step learned last."""
        artifacts, runs = self._t.artifacts, self._t.runs
        query = (
            sa.select(runs.c.program)
            .join(artifacts, artifacts.c.run == runs.c.run)
            .where(
                artifacts.c.case_name == case,
                artifacts.c.step == step,
                artifacts.c.fingerprint == fingerprint,
            )
            .order_by(runs.c.run.desc())
        )
        with self._lock, self._begin() as connection:
            return origin_from_text(connection.execute(query).scalar())

    def save_checkpoint(self, case: str, run: int, stage: Stage, state: Any) -> None:
        """Stores how far a step has come that still learns, in place of its last checkpoint."""
        mark = _of_checkpoint(stage.fingerprint)
        entry = _artifact_entry(case, stage.name, mark, run, state)
        with self._lock, self._begin() as connection:
            self._forget_checkpoint(case, stage, connection)
            connection.execute(self._t.artifacts.insert(), entry)

    def checkpoint(self, case: str, step: str, fingerprint: str, cls: type[Any]) -> Any | None:
        """Loads how far a step had come when it was interrupted, if that is of this class."""
        if self.empty:
            return None
        artifacts = self._t.artifacts
        query = sa.select(artifacts.c.step, artifacts.c.content, artifacts.c.arrays).where(
            artifacts.c.case_name == case,
            artifacts.c.step == step,
            artifacts.c.fingerprint == _of_checkpoint(fingerprint),
            artifacts.c.kind == cls.__name__,
        )
        with self._lock, self._begin() as connection:
            row = connection.execute(query).first()
        return None if row is None else read_row(row, partial(_unpacked, cls), "the checkpoint")

    def _forget_checkpoint(self, case: str, stage: Stage, connection: Any) -> None:
        artifacts = self._t.artifacts
        connection.execute(
            artifacts.delete().where(
                artifacts.c.case_name == case,
                artifacts.c.step == stage.name,
                artifacts.c.fingerprint == _of_checkpoint(stage.fingerprint),
            )
        )


def _unpacked(cls: type[Any], row: Any) -> Any:
    if not isinstance(row.arrays, bytes | bytearray | memoryview):
        raise UnfitDataError(("arrays",), "expected bytes")
    return unpack(cls, row.content, bytes(row.arrays))


def _artifact_entry(
    case: str, step: str, fingerprint: str, run: int, artifact: Any
) -> dict[str, Any]:
    content, arrays = pack(artifact)
    return {
        "case_name": case,
        "step": step,
        "fingerprint": fingerprint,
        "run": run,
        "kind": type(artifact).__name__,
        "content": content,
        "arrays": arrays,
    }


def _of_checkpoint(fingerprint: str) -> str:
    """Returns a fingerprint of no build, so that the next run that publishes removes the entry."""
    return f"{fingerprint} unfinished"
