"""Runs a plan: independent stages side by side, results visible all at once at the end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from miningflow.compile import Names, Piece
from miningflow.declare.rows import LearningError
from miningflow.declare.segmentation import artifacts_of
from miningflow.declare.selection import Selection
from miningflow.errors import EngineError, MiningFlowError, Mistake, RunError
from miningflow.plan import Plan, Stage
from miningflow.repository import ParityRecord, StepRecord
from miningflow.resolve import BoundCase
from miningflow.run.building import Outcome, StageBuilder
from miningflow.run.catalog import dropping, objects_of
from miningflow.run.cleaning import KINDS
from miningflow.run.data_tests import DataTestResult, run_data_tests
from miningflow.run.events import Event, Listener, silent
from miningflow.run.exporting import Exports, exports_of
from miningflow.run.frozen import frozen_pieces, stored_selections
from miningflow.run.keeping import belongs, usable_builds
from miningflow.run.naming import refuse_long_names
from miningflow.run.publishing import publish, refuse_foreign_objects
from miningflow.run.report import Dropped, Report, StageReport
from miningflow.run.sources import SourceLocation
from miningflow.run.store import Store
from miningflow.run.training import Cancelled
from miningflow.sql.block import Naming
from miningflow.sql.dialect import NotInDialect, render
from miningflow.sql.literals import column

WORKERS = max(2, min(4, os.cpu_count() or 2))


@dataclass
class _Progress:
    """Which stages are done, and with what."""

    pieces: dict[str, Piece] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    cancelled: threading.Event = field(default_factory=threading.Event)
    data_tests: tuple[DataTestResult, ...] = ()


def run_plan(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    locations: Mapping[str, SourceLocation],
    target: Path,
    listener: Listener = silent,
    program: str = "",
    test: bool = False,
) -> tuple[Report, dict[str, Piece]]:
    """Runs what the plan says; a run that fails leaves the last good results as they are.

    With `test`, data tests decide whether the results are published.
    """
    start = time.perf_counter()
    records = usable_builds(bound.name, store)
    names = Names(bound.name)
    exports = exports_of(bound, target)
    if _is_done(plan, records, store, names):
        report, pieces = _nothing_to_do(bound, plan, store, names, records, exports, start)
        tests = _tested(bound, plan, pieces, names.public, store, listener) if test else ()
        return replace(report, data_tests=tests), pieces
    refuse_long_names(bound, locations, store.engine.longest_name)
    refuse_foreign_objects(plan, store, names)
    run = store.repository.begin_run(bound.name, program)
    progress = _Progress()
    try:
        _drop_leftovers(bound.name, store)
        builder = StageBuilder(
            bound, store, locations, names, run, records, listener, progress.cancelled
        )
        _execute(plan, builder, progress, store, listener)
        if test:
            pieces, naming = progress.pieces, builder.naming
            progress.data_tests = _tested(bound, plan, pieces, naming, store, listener)
        listener(Event("publishing", bound.name))
        exports.prepare(bound, plan, store, progress.outcomes)
        publish(bound, plan, store, names, run, progress.pieces, progress.outcomes)
        exports.finish()
    except KeyboardInterrupt:
        _ended(store, run, "interrupted", "stopped by the user")
        raise
    except MiningFlowError as error:
        _ended(store, run, "failed", str(error)[:2000])
        raise
    except BaseException as error:
        _ended(store, run, "failed", f"bug: {error!r}"[:2000])
        raise
    finally:
        exports.discard()
    seconds = time.perf_counter() - start
    report = _report(bound, plan, store, names, run, progress, exports, seconds)
    return replace(report, data_tests=progress.data_tests), progress.pieces


def _ended(store: Store, run: int, status: str, message: str) -> None:
    """Notes how a run ended, if the store is still there; else the next run notes it."""
    with suppress(EngineError):
        store.repository.end_run(run, status, message)


def _tested(
    bound: BoundCase,
    plan: Plan,
    pieces: Mapping[str, Piece],
    naming: Naming,
    store: Store,
    listener: Listener,
) -> tuple[DataTestResult, ...]:
    """Runs the data tests; one that fails, and is not only a warning, ends the run."""
    left_out = {stage.name for stage in plan.stages if stage.action == "skip"}
    tests = [t for t in bound.data_tests if t.concept not in left_out]
    listener(Event("testing", bound.name, f"{len(tests)} data tests"))
    results = run_data_tests(tests, pieces, naming, store.engine)
    broken = [result.mistake() for result in results if result.broken]
    if any(mistake.severity == "error" for mistake in broken):
        raise RunError(
            *broken,
            Mistake(
                "these results are not published, since a data test failed",
                None,
                "what was built is kept: mend the data or the case and run again, or run without "
                "--test to publish it as it is",
            ),
        )
    return results


def _is_done(plan: Plan, records: list[StepRecord], store: Store, names: Names) -> bool:
    """Says whether everything asked for is built and published, and nothing else is."""
    published = [r for r in records if r.status == "published"]
    marks = {(r.step, r.fingerprint) for r in published}
    wanted = {(s.name, s.fingerprint) for s in plan.stages if s.action != "skip"}
    shown = {r.step for r in published if r.object_name}
    newest = store.repository.runs(plan.case, most=1)
    return (
        not plan.running
        and wanted <= marks
        and {r.step for r in published} <= {s.name for s in plan.stages}
        and shown <= set(objects_of(plan.case, store, names.schema))
        and all(run["status"] == "done" for run in newest)  # others leave things to drop
    )


def _nothing_to_do(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    names: Names,
    records: list[StepRecord],
    exports: Exports,
    start: float,
) -> tuple[Report, dict[str, Piece]]:
    """Reports on what is there; a rerun with nothing changed does no data work."""
    pieces = dict(frozen_pieces(bound, store.repository).pieces)
    found = stored_selections(bound, store.repository)
    by_mark = {(r.step, r.fingerprint): r for r in records if r.status == "published"}
    progress = _Progress(pieces)
    for stage in plan.stages:
        record = by_mark.get((stage.name, stage.fingerprint))
        if record is not None and stage.name in pieces:
            notes = tuple(record.notes.splitlines())
            progress.outcomes[stage.name] = Outcome(
                pieces[stage.name],
                record.object_name,
                record.run,
                record.rows,
                0.0,
                notes,
                found.get(stage.name),
            )
    try:
        exports.prepare(bound, plan, store, progress.outcomes)
        exports.finish()
    finally:
        exports.discard()
    seconds = time.perf_counter() - start
    return _report(bound, plan, store, names, None, progress, exports, seconds), pieces


def _execute(
    plan: Plan, builder: StageBuilder, progress: _Progress, store: Store, listener: Listener
) -> None:
    """Starts every stage as soon as its inputs are done."""
    waiting = {s.name: s for s in plan.stages if s.action != "skip"}
    running: dict[Future[Outcome], Stage] = {}
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="stage") as pool:
        try:
            while waiting or running:
                ready = [s for s in waiting.values() if all(i in progress.pieces for i in s.inputs)]
                for stage in ready[: max(0, WORKERS * 2 - len(running))]:
                    del waiting[stage.name]
                    running[pool.submit(builder.build, stage, dict(progress.pieces))] = stage
                done, _ = wait(running, return_when=FIRST_COMPLETED, timeout=0.5)
                for future in done:
                    stage = running.pop(future)
                    outcome = _result(future, stage, builder, listener)
                    progress.outcomes[stage.name] = outcome
                    progress.pieces[stage.name] = outcome.piece
        except BaseException:
            progress.cancelled.set()
            store.engine.interrupt()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _result(
    future: Future[Outcome], stage: Stage, builder: StageBuilder, listener: Listener
) -> Outcome:
    step = builder.bound.steps.get(stage.name)
    place = step.place() if step else builder.locations[stage.name].scalar.place
    try:
        return future.result()
    except LearningError as error:
        listener(Event("failed", stage.name, error.message))
        message = f"step {stage.name!r} cannot learn: {error.message}"
        raise RunError(Mistake(message, place, error.hint)) from None
    except EngineError as error:
        listener(Event("failed", stage.name))
        raise RunError(
            *(
                Mistake(f"step {stage.name!r}: {m.message}", m.place or place, m.hint)
                for m in error.mistakes
            )
        ) from error
    except MiningFlowError:
        listener(Event("failed", stage.name))
        raise
    except NotInDialect as error:
        listener(Event("failed", stage.name))
        message = f"step {stage.name!r} cannot run on this store: {error}"
        raise RunError(Mistake(message, place, error.hint)) from None
    except Cancelled:
        raise KeyboardInterrupt from None


def _drop_leftovers(case: str, store: Store) -> None:
    """Drops what earlier runs began to build and never finished, with its trash index entries."""
    kept = {r.object_name for r in store.repository.builds(case)}
    built = Names(case).built_schema
    there = objects_of(case, store, built)
    left = [
        made
        for made in store.repository.objects(case)
        if made.schema == built and made.kind != "schema" and not belongs(made.name, kept)
    ]
    with store.engine.session() as session:
        for kind in KINDS:
            mine = [(o.schema, o.name) for o in left if o.kind == kind == there.get(o.name)]
            for statement in dropping(store, kind, mine):
                session.execute(statement)
    with store.repository.transaction() as connection:
        for made in left:
            store.repository.forget_object(case, made, connection)


def _report(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    names: Names,
    run: int | None,
    progress: _Progress,
    exports: Exports,
    seconds: float,
) -> Report:
    stages: list[StageReport] = []
    dropped: list[Dropped] = []
    evaluations: dict[str, list[dict[str, Any]]] = {}
    parities = store.repository.parity(bound.name)
    for stage in plan.stages:
        outcome = progress.outcomes.get(stage.name)
        if outcome is None:
            stages.append(_line(stage, None))
            continue
        parity = parities.get((stage.name, stage.fingerprint, outcome.run))
        stages.append(_line(stage, outcome, parity))
        for segment, learned in artifacts_of(outcome.artifact):
            if isinstance(learned, Selection):
                where = f"{segment}: " if segment.labels else ""
                reason = f"{where}{learned.reason}"
                dropped += [Dropped(stage.name, name, reason) for name in learned.dropped]
        step = bound.steps.get(stage.name)
        if step is not None and step.operator.reports and not step.hidden:
            evaluations[stage.name] = evaluation_rows(store, names, outcome.piece)
    return Report(
        bound.name,
        run,
        store.url,
        tuple(stages),
        tuple(dropped),
        evaluations,
        seconds,
        exports=tuple(exports.known.values()),
    )


def evaluation_rows(store: Store, names: Names, piece: Piece) -> list[dict[str, Any]]:
    """Reads the rows of an evaluation."""
    concept = piece.presence.concept
    features = [*(s.feature for s in concept.segmentations), *concept.features]
    shown = ", ".join(render(column(f), store.engine.dialect) for f in features)
    table = render(names.public(piece.name), store.engine.dialect)
    with store.engine.session() as session:
        order = ", ".join(str(i + 1) for i in range(len(concept.segmentations) + 1))
        rows = session.rows(f"SELECT {shown} FROM {table} ORDER BY {order}")
    return [dict(zip(features, row, strict=True)) for row in rows]


def _line(stage: Stage, outcome: Outcome | None, parity: ParityRecord | None = None) -> StageReport:
    return StageReport(
        stage.name,
        stage.operator,
        stage.builds,
        stage.action,
        stage.reason,
        None if outcome is None else outcome.rows,
        0.0 if outcome is None else outcome.seconds,
        () if outcome is None else outcome.notes,
        parity,
    )
