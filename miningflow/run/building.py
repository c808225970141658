"""Builds one stage: learns what it must, compiles it, makes its view or table aside."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlglot import exp

from miningflow.compile import Piece, compile_source, compile_step, create_statement
from miningflow.compile.case import learns_here
from miningflow.compile.stored_artifacts import using_stored_artifact
from miningflow.engines import Session
from miningflow.plan import Stage
from miningflow.repository import ParityRecord, StepRecord
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.built_objects import BuiltObjects
from miningflow.run.events import Event, Listener, telling_statements
from miningflow.run.learning import Learner
from miningflow.run.meeting_keys import MeetingKeys
from miningflow.run.outcome import Outcome
from miningflow.run.parity import TOLERATED, compared
from miningflow.run.refused_reports import refuse_report
from miningflow.run.repeated_keys import count_rows
from miningflow.run.stage_warnings import StageWarnings
from miningflow.run.training_rows import Cancelled
from miningflow.sql.dialect import one_line, render
from miningflow.sql.literal_table import values_select
from miningflow.store.opening import Store
from miningflow.store.reusable_builds import usable_builds
from miningflow.store.snapshot import Snapshot
from miningflow.store.source_checks import check_source
from miningflow.store.sources import SourceLocation
from miningflow.warn import collapsed
from miningflow.warn.result_warning import as_notes


class StageBuilder:
    """Builds the stages of one run; every call uses a separate session."""

    def __init__(
        self,
        bound: BoundCase,
        store: Store,
        snapshot: Snapshot,
        locations: Mapping[str, SourceLocation],
        run: int,
        listener: Listener,
        cancelled: threading.Event,
    ) -> None:
        self.bound = bound
        self.store = store
        self.locations = locations
        self.run = run
        self.listener = listener
        self.cancelled = cancelled
        self.objects = BuiltObjects(store, run, snapshot)
        self.records: list[StepRecord] = []
        """What this run has built so far."""
        self._rows: dict[str, int | None] = {}
        self._keys = MeetingKeys(bound, locations, self.objects, store.engine.dialect)
        self._learner = Learner(bound, store, run, self.objects.naming, listener, cancelled)
        self._before = {(r.step, r.fingerprint): r for r in usable_builds(snapshot)}

    def build(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        """Builds a stage, or takes over what an earlier run built."""
        if self.cancelled.is_set():
            raise Cancelled
        with telling_statements(self.listener, stage.name):
            return self._build(stage, pieces)

    def _build(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        outcome = (
            self._reuse(stage, pieces) if stage.action == "reuse" else self._make(stage, pieces)
        )
        if outcome.object_name is not None:
            self._rows[stage.name] = outcome.rows
            self.objects.add(stage.name, outcome.object_name)
        if stage.kind == "source" and self.bound.relations:
            with self.store.engine.session() as session:
                self._keys.check_relations(stage.name, session)
        return outcome

    def _reuse(self, stage: Stage, pieces: Mapping[str, Piece]) -> Outcome:
        record = self._before[stage.name, stage.fingerprint]
        artifact = None
        if stage.kind == "source":
            piece = compile_source(self.bound.sources[stage.name])
        else:
            step = self.bound.steps[stage.name]
            if step.learns is not None:
                artifact = self._learner.stored(stage, step, record.run)
            columns = pieces[step.inputs[0]].presence.concept.columns
            with using_stored_artifact(step.name, artifact, columns):
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
            outcome = self._with_warnings(outcome, self.bound.steps[stage.name], pieces)
        seconds = time.perf_counter() - start
        record = self.store.repository.record_build(
            self.bound.name,
            self.run,
            stage,
            outcome.object_name,
            outcome.rows,
            seconds,
            outcome.notes,
        )
        self.records.append(record)
        if outcome.parity is not None:
            self.store.repository.save_parity(self.bound.name, self.run, stage, outcome.parity)
        self.listener(Event("finished", stage.name, rows=outcome.rows, seconds=seconds))
        return replace(outcome, seconds=seconds)

    def _source(self, stage: Stage) -> Outcome:
        """Loads files and frames into a table; a table of the store is read through a view."""
        concept = self.bound.sources[stage.name]
        location = self.locations[stage.name]
        with self.store.engine.session() as session:
            raw = check_source(session, concept, location, location.may_be_empty)
            name = self.objects.announce(stage.name, "table" if location.is_loaded else "view")
            target = self._printed(name)
            if location.is_loaded:
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
        if learns_here(step, pieces):
            artifact, notes = self._learner.learned(stage, step, pieces)
        if self.cancelled.is_set():
            raise Cancelled
        piece = compile_step(step, pieces, artifact, stage.builds == "inline")
        if stage.builds == "inline":
            return Outcome(piece, None, self.run, None, 0.0, notes, artifact)
        with self.store.engine.session() as session:
            self._keys.check_step(step, piece, pieces, session)
            name = self._create(stage, piece, session)
            table, dialect = self.objects.names.built(name), self.store.engine.dialect
            rows = count_rows(session, step, piece, table, dialect, self._rows)
            if step.operator.reports:
                printed, naming = self._printed(name), self.objects.naming
                refuse_report(step, piece, pieces, session, printed, naming, dialect)
            parity = self._compared(piece, artifact, session, name, step)
        return Outcome(piece, name, self.run, rows, 0.0, notes, artifact, parity)

    def _with_warnings(
        self, outcome: Outcome, step: BoundStep, pieces: Mapping[str, Piece]
    ) -> Outcome:
        """Adds what is suspicious about a stage to its notes, so that later runs know it."""
        names = {step.name: outcome.object_name} if outcome.object_name else {}

        def naming(name: str) -> exp.Table:
            if name in names:
                return self.objects.names.built(names[name])
            return self.objects.naming(name)

        with self.store.engine.session() as session:
            looking = StageWarnings(self.bound, session, naming, self.store.engine.dialect)
            found = looking.of(step, pieces, outcome.piece, outcome.artifact)
            return replace(outcome, notes=(*outcome.notes, *as_notes(collapsed(found))))

    def _create(self, stage: Stage, piece: Piece, session: Session) -> str:
        """Makes the view or table of a step, after the tables of values that it reads."""
        dialect, names = self.store.engine.dialect, self.objects.names
        kind = stage.builds
        assert kind != "inline"
        name = self.objects.announce(stage.name, kind)
        for values in piece.block.values():
            values_name = self.objects.announce(values.name, "table", owner=name)
            self.objects.add(values.name, values_name)
            table, query = names.built(values_name), values_select(values, dialect)
            comment = f"step '{stage.name}': values"
            session.execute(
                create_statement(stage.name, table, "table", query, comment).sql(dialect)
            )
        query = piece.block.select(self.objects.naming, dialect)
        comment = f"step '{stage.name}': {stage.operator}"
        made = create_statement(stage.name, names.built(name), kind, query, comment)
        session.execute(made.sql(dialect))
        if kind == "table":
            session.settle(self._printed(name))
        return name

    def _compared(
        self, piece: Piece, artifact: Any, session: Session, name: str, step: BoundStep
    ) -> ParityRecord | None:
        """Compares the SQL of a model with the model; warns if they differ more than rounding."""
        built, dialect = self.objects.names.built(name), self.store.engine.dialect
        parity = compared(piece, artifact, session, built, dialect, step.place())
        if parity is not None and not parity.largest_difference <= TOLERATED:
            self.listener(Event("note", step.name, f"warning: {parity}"))
        return parity

    def _count(self, session: Session, name: str) -> int:
        return int(session.rows(f"SELECT count(*) FROM {self._printed(name)}")[0][0])

    def _printed(self, name: str) -> str:
        return render(self.objects.names.built(name), self.store.engine.dialect)
