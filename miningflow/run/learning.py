"""Learns what a stage needs, or finds what an earlier run learned for it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from miningflow.compile import Piece
from miningflow.compile.pieces import bind_present, is_left_out
from miningflow.compile.segments import in_segment, segments_of
from miningflow.declare.finite_values import refuse_not_finite
from miningflow.declare.operator import Operator
from miningflow.declare.rows import LearningError
from miningflow.declare.segmentation import PerSegment, Segment
from miningflow.errors import Diagnostic, RunError
from miningflow.plan import Stage
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.checkpoint import Checkpoint
from miningflow.run.events import Listener
from miningflow.run.query_cache import QueryCache
from miningflow.run.stored_statistics import StatisticsLookup
from miningflow.run.training_rows import Training
from miningflow.sql.block import Naming
from miningflow.store.opening import Store


class Learner:
    """Learns for the stages of one run; every call uses a separate session."""

    def __init__(
        self,
        bound: BoundCase,
        store: Store,
        run: int,
        naming: Naming,
        listener: Listener,
        cancelled: threading.Event,
    ) -> None:
        self.case = bound.name
        self.store = store
        self.run = run
        self.naming = naming
        self.listener = listener
        self.cancelled = cancelled
        self._cache = QueryCache()
        self._statistics = store.repository.statistics_marks(bound.name)

    def learned(
        self, stage: Stage, step: BoundStep, pieces: Mapping[str, Piece]
    ) -> tuple[Any, tuple[str, ...]]:
        """Learns, or finds what an interrupted run had learned; returns notes for people, too."""
        forced = stage.cause.forced
        artifact = None if forced else self.stored(stage, step)
        if artifact is not None:
            return artifact, (self._learned_before(stage),)
        checkpoint = Checkpoint(self.store.repository, self.case, self.run, stage, forced)
        if step.within:
            artifact, notes = self._learn_in_segments(step, pieces, checkpoint)
        else:
            statistics = self._statistics_of(stage, step.learn_on or step.inputs[0], pieces)
            artifact, notes = self._learn(step, pieces, checkpoint, statistics)
        self.store.repository.save_artifact(self.case, self.run, stage, artifact)
        return artifact, notes

    def stored(self, stage: Stage, step: BoundStep, run: int | None = None) -> Any:
        """Loads what a stage learned in a run, or else in any run."""
        mark = self.case, stage.name, stage.fingerprint, step.learns
        found = self.store.repository.artifact(*mark, run)
        if found is None and run is not None:
            found = self.store.repository.artifact(*mark)
        return found

    def _learned_before(self, stage: Stage) -> str:
        """Describes where an artifact comes from that a step takes over."""
        origin = self.store.repository.origin_of_artifact(self.case, stage.name, stage.fingerprint)
        if origin.kind == "move":
            return f"learned elsewhere: {origin.moved_from}"
        return "learned by a run that did not finish"

    def _learn_in_segments(
        self, step: BoundStep, pieces: Mapping[str, Piece], checkpoint: Checkpoint
    ) -> tuple[PerSegment[Any], tuple[str, ...]]:
        """Learns in one segment after the other; goes on where an interrupted run stopped."""
        segments = segments_of(step, pieces)
        resumed: PerSegment[Any] | None = checkpoint.load(step.learns)
        artifacts = list(resumed.artifacts) if resumed else []
        notes: list[str] = []
        for segment in segments[len(artifacts) :]:
            here, within = in_segment(step, segment, pieces)
            found: Any = None
            if not is_left_out(here, within):
                try:
                    found, new_notes = self._learn(here, within, segment=segment)
                    notes += new_notes
                except LearningError as error:
                    if not segment.is_rest:
                        message = f"in {segment}: {error.message}"
                        raise LearningError(message, error.hint, error.parameter) from None
                    notes.append(f"{segment}: nothing learned, so NULL there: {error.message}")
            artifacts.append(found)
            checkpoint.save(PerSegment(tuple(segments[: len(artifacts)]), tuple(artifacts)))
        return PerSegment(tuple(segments), tuple(artifacts)), tuple(notes)

    def _learn(
        self,
        step: BoundStep,
        pieces: Mapping[str, Piece],
        checkpoint: Checkpoint | None = None,
        statistics: StatisticsLookup | None = None,
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
                self._cache,
                checkpoint=checkpoint,
                statistics=statistics,
                segment="" if segment is None else str(segment),
            )
            if source != step.inputs[0]:
                applied = pieces[step.inputs[0]]
                concept = applied.presence.concept
                rows.applied = replace(
                    rows, concept=concept, source=applied.source(), statistics=None
                )
            artifact = learn_from(operator, rows)
        return artifact, tuple(rows.notes)

    def _statistics_of(
        self, stage: Stage, source: str, pieces: Mapping[str, Piece]
    ) -> StatisticsLookup | None:
        """Finds statistics of exactly the rows that a step learns from."""
        part = "learned" if pieces[source].presence.concept.holdouts else "all"
        mark = source, stage.recipe.inputs[source], part
        if mark not in self._statistics:
            return None
        return StatisticsLookup(self.store.repository.statistics(self.case, source)[mark])


def learn_from(operator: Operator, rows: Training) -> Any:
    """Learns from rows; NaN and infinity are refused unless the operator sees to them."""
    if not operator.learns_numbers_itself:
        known = rows.concept.features
        names = [name for name in operator.training_features() if name in known]
        refuse_not_finite(rows, [known[name] for name in names])
    return operator.learn(rows)


def _check_learnable(step: BoundStep, operator: Operator, source: Piece) -> None:
    """Refuses to learn from features that were deselected where the step learns."""
    lost = {n: source.presence.deselected.get(n) for n in operator.training_features()}
    diagnostics = [
        Diagnostic(
            f"step {step.name!r} learns on {source.name!r}, where feature {name!r} "
            f"was deselected in step {cause.step!r}",
            step.place(),
            f"learn on a concept that still has {name!r}, or name it no longer",
        )
        for name, cause in lost.items()
        if cause is not None
    ]
    if diagnostics:
        raise RunError(*diagnostics)
