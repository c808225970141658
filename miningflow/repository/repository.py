"""Reads and writes the repository; every public method is one short transaction."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from miningflow.declare.artifact import pack, unpack
from miningflow.declare.statistics import ConceptStatistics
from miningflow.errors import EngineError, Mistake
from miningflow.plan.recipe import Built, recipe_from_json
from miningflow.plan.stage import Stage
from miningflow.repository.tables import FORMAT, SCHEMA, tables

Result = TypeVar("Result")

_NAMES_AT_ONCE = 400
_TRIES = 5


@dataclass(frozen=True)
class MadeObject:
    """A view, table or schema that a case made: its entry in the trash index."""

    schema: str
    name: str
    kind: str
    run: int = 0


@dataclass(frozen=True)
class StepRecord:
    """What is known of one build of a step."""

    step: str
    fingerprint: str
    run: int
    status: str
    object_name: str | None
    rows: int | None
    seconds: float
    notes: str
    built: Built


@dataclass(frozen=True)
class ParityRecord:
    """How well the SQL of a model agrees with the model, on rows of its result."""

    compared_rows: int
    largest_difference: float
    """Of a number, relative to the largest number of its feature."""
    labels: int
    """Labels compared; all are equal, but for those too close to call."""
    labels_too_close: int

    def __str__(self) -> str:
        off = self.largest_difference
        said = [f"largest difference {off:.0e}" if off else "equal numbers"]
        if self.labels:
            said.append(f"{self.labels - self.labels_too_close:,} of {self.labels:,} labels equal")
        if self.labels_too_close:
            said.append(f"{self.labels_too_close} too close to call")
        return f"SQL against the model on {self.compared_rows:,} rows: {', '.join(said)}"


class Repository:
    """The repository of one store."""

    def __init__(self, engine: sa.Engine, in_store: bool, read_only: bool = False) -> None:
        self.engine = engine
        self.in_store = in_store
        schema = None if engine.dialect.name == "sqlite" else SCHEMA
        self._t = tables(schema)
        self._lock = threading.RLock()
        self._waiting: list[dict[str, Any]] = []
        self.empty = False
        self.read_only = read_only
        self._again(lambda connection: self._prepare(schema, connection))

    def _prepare(self, schema: str | None, connection: sa.Connection) -> None:
        there = set(sa.inspect(connection).get_table_names(schema=schema))
        known = self._t.about.name in there
        self._missing = {t.name for t in self._t.metadata.sorted_tables} - there
        if not known and self.read_only:
            self.empty = True
            return
        if not known:
            if schema is not None:
                connection.execute(sa.schema.CreateSchema(schema, if_not_exists=True))
            self._t.metadata.create_all(connection)
            self._missing = set()
            connection.execute(self._t.about.insert(), {"name": "format", "value": str(FORMAT)})
        elif self._missing and not self.read_only:  # an earlier MiningFlow made it
            self._t.metadata.create_all(connection)
            self._missing = set()
        row = connection.execute(sa.select(self._t.about.c.value)).scalar_one()
        if row != str(FORMAT):
            raise EngineError(
                Mistake(
                    f"the repository has format {row}; this MiningFlow reads {FORMAT}",
                    None,
                    "use the MiningFlow that made it, or another store",
                )
            )

    def transaction(self) -> Any:
        """Opens one transaction for several changes."""
        return self.engine.begin()

    @contextmanager
    def _begin(self) -> Iterator[sa.Connection]:
        """Opens a transaction; what the database refuses is a mistake, never a traceback."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except sa.exc.DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise EngineError(
                Mistake(
                    f"cannot use the repository: {reason}",
                    None,
                    "is the database still there, and may you write to it? "
                    "the last good results are as they were",
                )
            ) from error

    def _again(self, write: Callable[[sa.Connection], Result]) -> Result:
        """Runs a transaction, and once more if another process wrote the same at the same time."""
        for _ in range(_TRIES - 1):
            try:
                with self._lock, self.engine.begin() as connection:
                    return write(connection)
            except (sa.exc.IntegrityError, sa.exc.ProgrammingError):
                time.sleep(random.uniform(0, 0.1))
            except sa.exc.DBAPIError:
                break
        with self._lock, self._begin() as connection:
            return write(connection)

    # --- runs

    def begin_run(self, case: str, program: str) -> int:
        """Starts a run; a run of this case that never ended is marked as interrupted."""
        runs = self._t.runs

        def write(connection: sa.Connection) -> int:
            newest = connection.execute(sa.select(sa.func.max(runs.c.run))).scalar()
            run = int(newest or 0) + 1
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
                    "started": _now(),
                    "ended": None,
                    "status": "running",
                    "message": "",
                    "program": program,
                },
            )
            return run

        return self._again(write)

    def end_run(self, run: int, status: str, message: str = "", connection: Any = None) -> None:
        """Notes how a run ended."""
        change = (
            self._t.runs.update()
            .where(self._t.runs.c.run == run)
            .values(ended=_now(), status=status, message=message)
        )
        if connection is not None:
            connection.execute(change)
            return
        self.record_waiting()
        with self._lock, self._begin() as own:
            own.execute(change)

    def runs(self, case: str, most: int = 10) -> list[dict[str, Any]]:
        """Gives the newest runs of a case."""
        if self.empty:
            return []
        runs = self._t.runs
        query = (
            sa.select(runs).where(runs.c.case_name == case).order_by(runs.c.run.desc()).limit(most)
        )
        with self._lock, self._begin() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    # --- builds and artifacts

    def builds(self, case: str) -> list[StepRecord]:
        """Gives all builds of a case, newest last."""
        if self.empty:
            return []
        self.record_waiting()
        builds = self._t.builds
        query = sa.select(builds).where(builds.c.case_name == case).order_by(builds.c.run)
        with self._lock, self._begin() as connection:
            return [
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
                        row.fingerprint, recipe_from_json(row.recipe), row.status == "published"
                    ),
                )
                for row in connection.execute(query)
            ]

    def record_build(
        self,
        case: str,
        run: int,
        stage: Stage,
        object_name: str | None,
        rows: int | None,
        seconds: float,
        notes: Sequence[str],
    ) -> None:
        """Notes that a stage was built; it becomes visible when the run publishes.

        A fused stage made nothing in the store, so its note can wait for the next one that did: a
        transaction for each took most of the time of a long chain.
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
        with self._lock:
            self._waiting.append(entry)
        if object_name is not None:
            self.record_waiting()

    def record_waiting(self) -> None:
        """Writes the notes that wait."""
        with self._lock:
            entries, self._waiting = self._waiting, []
            if entries:
                with self._begin() as connection:
                    connection.execute(self._t.builds.insert(), entries)

    def save_artifact(self, case: str, run: int, stage: Stage, artifact: Any) -> None:
        """Stores what a step learned; how far it had come is needed no more."""
        entry = _artifact_entry(case, stage.name, stage.fingerprint, run, artifact)
        with self._lock, self._begin() as connection:
            self._forget_unfinished(case, stage, connection)
            connection.execute(self._t.artifacts.insert(), entry)

    def save_unfinished(self, case: str, run: int, stage: Stage, state: Any) -> None:
        """Stores how far a step has come that still learns, in place of what it stored before."""
        mark = _unfinished(stage.fingerprint)
        entry = _artifact_entry(case, stage.name, mark, run, state)
        with self._lock, self._begin() as connection:
            self._forget_unfinished(case, stage, connection)
            connection.execute(self._t.artifacts.insert(), entry)

    def unfinished(self, case: str, step: str, fingerprint: str, cls: type[Any]) -> Any | None:
        """Loads how far a step had come when it was interrupted, if that was of this class."""
        if self.empty:
            return None
        artifacts = self._t.artifacts
        query = sa.select(artifacts.c.content, artifacts.c.arrays).where(
            artifacts.c.case_name == case,
            artifacts.c.step == step,
            artifacts.c.fingerprint == _unfinished(fingerprint),
            artifacts.c.kind == cls.__name__,
        )
        with self._lock, self._begin() as connection:
            row = connection.execute(query).first()
        return None if row is None else unpack(cls, row.content, bytes(row.arrays))

    def _forget_unfinished(self, case: str, stage: Stage, connection: Any) -> None:
        artifacts = self._t.artifacts
        connection.execute(
            artifacts.delete().where(
                artifacts.c.case_name == case,
                artifacts.c.step == stage.name,
                artifacts.c.fingerprint == _unfinished(stage.fingerprint),
            )
        )

    def artifact(
        self, case: str, step: str, fingerprint: str, cls: type[Any], run: int | None = None
    ) -> Any | None:
        """Loads what a step learned: by a given run, or the newest with this fingerprint."""
        if self.empty:
            return None
        artifacts = self._t.artifacts
        query = (
            sa.select(artifacts.c.content, artifacts.c.arrays)
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
        return None if row is None else unpack(cls, row.content, bytes(row.arrays))

    def program_of(self, case: str, step: str, fingerprint: str) -> str:
        """Names the program of the run that stored what a step learned last."""
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
            return connection.execute(query).scalar() or ""

    def save_parity(self, case: str, run: int, stage: Stage, parity: ParityRecord) -> None:
        """Notes how well the SQL of a model agrees with the model."""
        mark = {"case_name": case, "step": stage.name, "fingerprint": stage.fingerprint, "run": run}
        with self._lock, self._begin() as connection:
            connection.execute(self._t.parity.insert(), {**mark, **asdict(parity)})

    def parity(self, case: str) -> dict[tuple[str, str, int], ParityRecord]:
        """Gives for each build of a model how well its SQL agrees: by step, fingerprint, run."""
        table = self._t.parity
        if self.empty or table.name in self._missing:
            return {}
        query = sa.select(table).where(table.c.case_name == case)
        with self._lock, self._begin() as connection:
            return {
                (row.step, row.fingerprint, row.run): ParityRecord(
                    row.compared_rows, row.largest_difference, row.labels, row.labels_too_close
                )
                for row in connection.execute(query)
            }

    # --- statistics

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
                    "computed": _now(),
                }
                connection.execute(table.insert(), entry)

    def statistics(
        self, case: str, step: str | None = None
    ) -> dict[tuple[str, str, str], ConceptStatistics]:
        """Gives the stored statistics, of all steps or of one: by step, fingerprint and part."""
        table = self._t.statistics
        if self.empty or table.name in self._missing:
            return {}
        query = sa.select(table).where(table.c.case_name == case)
        if step is not None:
            query = query.where(table.c.step == step)
        with self._lock, self._begin() as connection:
            return {
                (row.step, row.fingerprint, row.part): unpack(ConceptStatistics, row.content, b"")
                for row in connection.execute(query)
            }

    def statistics_marks(self, case: str) -> set[tuple[str, str, str]]:
        """Tells of which results there are statistics, without reading them."""
        table = self._t.statistics
        if self.empty or table.name in self._missing:
            return set()
        query = sa.select(table.c.step, table.c.fingerprint, table.c.part)
        with self._lock, self._begin() as connection:
            found = connection.execute(query.where(table.c.case_name == case))
            return {(row.step, row.fingerprint, row.part) for row in found}

    # --- objects: the trash index

    def record_object(self, case: str, made: MadeObject, connection: Any = None) -> None:
        """Notes an object before it is made, so that nothing made is ever forgotten."""
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

        def write(connection: sa.Connection) -> None:
            if connection.execute(sa.select(objects.c.run).where(same)).first() is None:
                connection.execute(objects.insert(), entry)

        if connection is not None:
            write(connection)
            return
        with self._lock, self._begin() as own:
            write(own)

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
        """Gives all that a case made and that was not dropped."""
        if self.empty:
            return []
        objects = self._t.objects
        query = sa.select(objects).where(objects.c.case_name == case)
        with self._lock, self._begin() as connection:
            return [
                MadeObject(row.schema_name, row.object_name, row.kind, row.run)
                for row in connection.execute(query)
            ]

    # --- publishing

    def mark_published(
        self,
        case: str,
        published: Iterable[StepRecord],
        dead: Iterable[StepRecord],
        connection: Any,
    ) -> None:
        """Makes builds the current ones and removes those that nothing refers to."""
        builds, artifacts = self._t.builds, self._t.artifacts
        for record in published:
            connection.execute(
                builds.update()
                .where(builds.c.case_name == case, builds.c.step == record.step)
                .where(builds.c.status == "published")
                .values(status="old")
            )
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
            for start in range(0, len(names), _NAMES_AT_ONCE):
                part = names[start : start + _NAMES_AT_ONCE]
                connection.execute(
                    table.delete().where(table.c.case_name == case, table.c.concept.in_(part))
                )
            if rows:
                connection.execute(table.insert(), rows)

    def describe_case(self, case: str, path: str, about: str, run: int, connection: Any) -> None:
        """Notes where a case came from."""
        cases = self._t.cases
        connection.execute(cases.delete().where(cases.c.case_name == case))
        entry = {"case_name": case, "path": path, "about": about, "run": run}
        connection.execute(cases.insert(), entry)

    def forget_case(self, case: str, connection: Any) -> None:
        """Removes everything the repository knows of a case."""
        for table in self._t.metadata.sorted_tables:
            if "case_name" in table.c:
                connection.execute(table.delete().where(table.c.case_name == case))

    # --- file versions

    def file_version(self, location: str) -> tuple[str, str] | None:
        """Gives the stamp and content hash last seen for a location."""
        if self.empty:
            return None
        versions = self._t.file_versions
        query = sa.select(versions.c.stamp, versions.c.content_hash)
        with self._lock, self._begin() as connection:
            row = connection.execute(query.where(versions.c.location == location)).first()
        return (row.stamp, row.content_hash) if row else None

    def save_file_version(self, location: str, stamp: str, content_hash: str) -> None:
        """Notes the stamp and content hash of a location."""
        versions = self._t.file_versions
        entry = {"location": location, "stamp": stamp, "content_hash": content_hash}

        def write(connection: sa.Connection) -> None:
            connection.execute(versions.delete().where(versions.c.location == location))
            connection.execute(versions.insert(), entry)

        self._again(write)


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


def _unfinished(fingerprint: str) -> str:
    """Marks what belongs to no build; the next run that publishes removes it with all such."""
    return f"{fingerprint} unfinished"


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


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
