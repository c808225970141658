"""Builds one stage: learns what it must, compiles it, makes its view or table aside."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlglot import exp

from miningflow.compile import (
    Names,
    Piece,
    compile_source,
    compile_step,
    create_statement,
)
from miningflow.compile.pieces import bind_present, is_left_out
from miningflow.compile.segments import in_segment, segments_of
from miningflow.declare.operator import Operator
from miningflow.declare.rows import LearningError
from miningflow.declare.segmentation import PerSegment, Segment
from miningflow.engines import Session
from miningflow.errors import EngineError, Mistake, RunError
from miningflow.plan import Stage
from miningflow.repository import MadeObject, ParityRecord, StepRecord
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.catalog import objects_of
from miningflow.run.changing import make_schema
from miningflow.run.checking import check_source
from miningflow.run.events import Event, Listener
from miningflow.run.keeping import values_object
from miningflow.run.known import KnownRows
from miningflow.run.parity import TOLERATED, compared
from miningflow.run.sharing import Shared
from miningflow.run.sources import SourceLocation
from miningflow.run.store import Store
from miningflow.run.training import Cancelled, Training
from miningflow.run.unfinished import Unfinished
from miningflow.sql.dialect import one_line, render
from miningflow.sql.literal_table import values_select
from miningflow.sql.stored import stored_name

MOVED = "miningflow move from "
"""How the run is called that takes over what was learned on another store."""


@dataclass(frozen=True)
class Outcome:
    """What building a stage gave."""

    piece: Piece
    object_name: str | None
    run: int
    rows: int | None
    seconds: float
    notes: tuple[str, ...] = ()
    artifact: Any = None
    parity: ParityRecord | None = None


class StageBuilder:
    """Builds the stages of one run; every call uses a session of its own."""

    def __init__(
        self,
        bound: BoundCase,
        store: Store,
        locations: Mapping[str, SourceLocation],
        names: Names,
        run: int,
        records: list[StepRecord],
        listener: Listener,
        cancelled: threading.Event,
    ) -> None:
        self.bound = bound
        self.store = store
        self.locations = locations
        self.names = names
        self.run = run
        self.listener = listener
        self.cancelled = cancelled
        self._records = {(r.step, r.fingerprint): r for r in records}
        self._objects: dict[str, str] = {}
        self._lock = threading.Lock()
        self._schema_made = False
        self._shared = Shared()
        self._statistics = store.repository.statistics_marks(bound.name)
        own = {o.name for o in store.repository.objects(bound.name)}
        self._foreign = set(objects_of(bound.name, store, names.built_schema)) - own

    def build(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        """Builds a stage, or takes over what an earlier run built."""
        if self.cancelled.is_set():
            raise Cancelled
        outcome = (
            self._reuse(stage, pieces) if stage.action == "reuse" else self._make(stage, pieces)
        )
        if outcome.object_name is not None:
            with self._lock:
                self._objects[stage.name] = outcome.object_name
        return outcome

    def _reuse(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        record = self._records[stage.name, stage.fingerprint]
        artifact = None
        if stage.kind == "source":
            piece = compile_source(self.bound.sources[stage.name])
        else:
            step = self.bound.steps[stage.name]
            if step.learns is not None:
                artifact = self._stored(step, stage, record.run)
            piece = compile_step(step, pieces, artifact, stage.builds == "inline")
        self.listener(Event("reused", stage.name, stage.reason, rows=record.rows))
        notes = tuple(record.notes.splitlines())
        return Outcome(piece, record.object_name, record.run, record.rows, 0.0, notes, artifact)

    def _make(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        self.listener(Event("started", stage.name, stage.reason))
        start = time.perf_counter()
        if stage.kind == "source":
            outcome = self._source(stage)
        else:
            outcome = self._step(stage, self.bound.steps[stage.name], pieces)
        seconds = time.perf_counter() - start
        self.store.repository.record_build(
            self.bound.name,
            self.run,
            stage,
            outcome.object_name,
            outcome.rows,
            seconds,
            outcome.notes,
        )
        if outcome.parity is not None:
            self.store.repository.save_parity(self.bound.name, self.run, stage, outcome.parity)
        self.listener(Event("finished", stage.name, rows=outcome.rows, seconds=seconds))
        return replace(outcome, seconds=seconds)

    def _source(self, stage: Stage) -> Outcome:
        """Loads files into a table; a table of the store is read in place, through a view."""
        concept = self.bound.sources[stage.name]
        location = self.locations[stage.name]
        with self.store.engine.session() as session:
            raw = check_source(session, concept, location, location.may_be_empty)
            kind = "table" if location.paths else "view"
            name = self._announce(stage.name, kind)
            target = render(self.names.built(name), self.store.engine.dialect)
            if location.paths:
                session.load("table", target, raw.query)
                session.settle(target)
            else:
                comment = f"-- source '{one_line(stage.name)}'"
                session.execute(f"{comment}\nCREATE VIEW {target} AS {raw.query}")
            rows = self._count(session, name)
        return Outcome(compile_source(concept), name, self.run, rows, 0.0)

    def _step(self, stage: Stage, step: BoundStep, pieces: Mapping[str, Piece]) -> Outcome:
        artifact: Any = None
        notes: tuple[str, ...] = ()
        if step.learns is not None and (step.within or not is_left_out(step, pieces)):
            artifact, notes = self._learned(stage, step, pieces)
        if self.cancelled.is_set():
            raise Cancelled
        piece = compile_step(step, pieces, artifact, stage.builds == "inline")
        if stage.builds == "inline":
            return Outcome(piece, None, self.run, None, 0.0, notes, artifact)
        with self.store.engine.session() as session:
            builds = self._kind(stage, step)
            name = self._announce(stage.name, builds)
            for values in piece.block.values():
                values_name = self._announce(values.name, "table", owner=name)
                with self._lock:
                    self._objects[values.name] = values_name
                table = self.names.built(values_name)
                made = create_statement(
                    stage.name,
                    table,
                    "table",
                    values_select(values, self.store.engine.dialect),
                    f"step '{stage.name}': values",
                )
                session.execute(made.sql(self.store.engine.dialect))
            statement = create_statement(
                stage.name,
                self.names.built(name),
                builds,
                piece.block.select(self.naming, self.store.engine.dialect),
                f"step '{stage.name}': {stage.operator}",
            )
            session.execute(statement.sql(self.store.engine.dialect))
            if builds == "table":
                session.settle(render(self.names.built(name), self.store.engine.dialect))
            rows = self._count(session, name)
            parity = self._compared(piece, artifact, session, name, step)
        return Outcome(piece, name, self.run, rows, 0.0, notes, artifact, parity)

    def _kind(self, stage: Stage, step: BoundStep) -> Literal["view", "table"]:
        """Says how a stage that is not inline is built on this engine."""
        predicts = step.operator.family == "learning" and not step.asked_for
        kept = predicts and self.store.engine.keeps_predictions
        return "table" if kept or stage.builds == "table" else "view"

    def _compared(
        self, piece: Piece, artifact: Any, session: Session, name: str, step: BoundStep
    ) -> ParityRecord | None:
        """Compares the SQL of a model with the model; tells if they differ more than rounding."""
        built, dialect = self.names.built(name), self.store.engine.dialect
        parity = compared(piece, artifact, session, built, dialect, step.place())
        if parity is not None and not parity.largest_difference <= TOLERATED:
            self.listener(Event("note", step.name, f"warning: {parity}"))
        return parity

    def _learned(
        self, stage: Stage, step: BoundStep, pieces: Mapping[str, Piece]
    ) -> tuple[Any, tuple[str, ...]]:
        """Learns, or finds what an interrupted run had learned."""
        forced = stage.reason.startswith("--")
        artifact = None if forced else self._stored(step, stage, None)
        if artifact is not None:
            return artifact, (self._learned_before(stage),)
        unfinished = Unfinished(self.store.repository, self.bound.name, self.run, stage, forced)
        if step.within:
            artifact, notes = self._learned_in_segments(step, pieces, unfinished)
        else:
            known = self._known(stage, step.learn_on or step.inputs[0], pieces)
            artifact, notes = self._learn(step, pieces, unfinished, known)
        self.store.repository.save_artifact(self.bound.name, self.run, stage, artifact)
        return artifact, notes

    def _learned_before(self, stage: Stage) -> str:
        """Says whose learning a step takes over."""
        program = self.store.repository.program_of(self.bound.name, stage.name, stage.fingerprint)
        if program.startswith(MOVED):
            return f"learned elsewhere: {program.removeprefix(MOVED)}"
        return "learned by a run that did not finish"

    def _learned_in_segments(
        self, step: BoundStep, pieces: Mapping[str, Piece], unfinished: Unfinished
    ) -> tuple[PerSegment[Any], tuple[str, ...]]:
        """Learns in one segment after the other; goes on where an interrupted run stopped."""
        segments = segments_of(step, pieces)
        known: PerSegment[Any] | None = unfinished.load(step.learns)
        artifacts = list(known.artifacts) if known else []
        notes: list[str] = []
        for segment in segments[len(artifacts) :]:
            here, within = in_segment(step, segment, pieces)
            found: Any = None
            if not is_left_out(here, within):
                try:
                    found, told = self._learn(here, within, segment=segment)
                    notes += told
                except LearningError as error:
                    if not segment.is_rest:
                        raise LearningError(f"in {segment}: {error.message}", error.hint) from None
                    notes.append(f"{segment}: nothing learned, so NULL there: {error.message}")
            artifacts.append(found)
            unfinished.save(PerSegment(tuple(segments[: len(artifacts)]), tuple(artifacts)))
        return PerSegment(tuple(segments), tuple(artifacts)), tuple(notes)

    def _learn(
        self,
        step: BoundStep,
        pieces: Mapping[str, Piece],
        unfinished: Unfinished | None = None,
        known: KnownRows | None = None,
        segment: Segment | None = None,
    ) -> tuple[Any, tuple[str, ...]]:
        """Learns from the rows of an input, or of the part of it in a segment."""
        operator = bind_present(step, pieces)
        source = step.learn_on or step.inputs[0]
        _check_learnable(step, operator, pieces[source])
        with self.store.engine.session() as session:
            rows = Training(
                step.name,
                pieces[source].presence.concept,
                pieces[source].source(),
                self.naming,
                session,
                self.store.engine.dialect,
                self.listener,
                self.cancelled,
                self._shared,
                unfinished=unfinished,
                known=known,
                segment="" if segment is None else str(segment),
            )
            artifact = operator.learn(rows)
        return artifact, tuple(rows.notes)

    def _known(self, stage: Stage, source: str, pieces: Mapping[str, Piece]) -> KnownRows | None:
        """Finds statistics of exactly the rows that a step learns from."""
        part = "learned" if pieces[source].presence.concept.holdouts else "all"
        mark = source, stage.recipe.inputs[source], part
        if mark not in self._statistics:
            return None
        return KnownRows(self.store.repository.statistics(self.bound.name, source)[mark])

    def _stored(self, step: BoundStep, stage: Stage, run: int | None) -> Any:
        repository, cls = self.store.repository, step.learns
        found = repository.artifact(self.bound.name, stage.name, stage.fingerprint, cls, run)
        if found is None and run is not None:
            found = repository.artifact(self.bound.name, stage.name, stage.fingerprint, cls)
        return found

    def _announce(self, name: str, kind: str, owner: str | None = None) -> str:
        """Names an object and enters it into the trash index before it is made."""
        made = f"{name}__{self.run}" if owner is None else values_object(owner, name)
        self._refuse_long(made)
        self._ensure_schema()
        if {made, stored_name(made, self.store.engine.dialect)} & self._foreign:
            raise RunError(
                Mistake(
                    f"the store already has {self.names.built_schema}.{made}, "
                    "which this case did not make",
                    None,
                    f"move it away: {self.names.built_schema} is where runs build",
                )
            )
        entry = MadeObject(self.names.built_schema, made, kind, self.run)
        self.store.repository.record_object(self.bound.name, entry)
        return made

    def _refuse_long(self, made: str) -> None:
        """Refuses a table of values whose name the database would cut off."""
        longest = self.store.engine.longest_name
        if longest is not None and len(made.encode()) > longest:
            message = f"it needs a table {made!r}, and names have at most {longest} bytes"
            raise EngineError(Mistake(message, None, "give the step a shorter name"))

    def _ensure_schema(self) -> None:
        with self._lock:
            if not self._schema_made:
                with self.store.engine.session() as session:
                    schema = self.names.built_schema
                    make_schema(self.store, self.bound.name, schema, self.run, session.execute)
                self._schema_made = True

    def naming(self, name: str) -> exp.Table:
        """Finds what a run built, or took over, for a source or a step."""
        with self._lock:
            return self.names.built(self._objects[name])

    def _count(self, session: Any, name: str) -> int:
        table = render(self.names.built(name), self.store.engine.dialect)
        return int(session.rows(f"SELECT count(*) FROM {table}")[0][0])


def _check_learnable(step: BoundStep, operator: Operator, source: Piece) -> None:
    """Refuses to learn from features that were deselected where the step learns."""
    lost = {n: source.presence.deselected.get(n) for n in operator.training_features()}
    mistakes = [
        Mistake(
            f"step {step.name!r} learns on {source.name!r}, where feature {name!r} "
            f"was deselected in step {cause.step!r}",
            step.place(),
            f"learn on a concept that still has {name!r}, or name it no longer",
        )
        for name, cause in lost.items()
        if cause is not None
    ]
    if mistakes:
        raise RunError(*mistakes)
