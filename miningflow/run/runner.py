"""Runs a plan: stages are built aside, and their results become visible all at once at the end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from miningflow.compile import Names, Piece, compile_bound
from miningflow.errors import Diagnostic, EngineError, MiningFlowError, RunError
from miningflow.plan import Plan
from miningflow.repository import RunOrigin, StepRecord
from miningflow.resolve import BoundCase
from miningflow.run.building import StageBuilder
from miningflow.run.data_tests import DataTestResult, run_data_tests
from miningflow.run.events import Event, Listener, silent
from miningflow.run.exporting import Exports
from miningflow.run.foreign_objects import refuse_foreign_objects, refuse_shared_schemas
from miningflow.run.leftovers import drop_leftovers
from miningflow.run.name_lengths import refuse_long_names
from miningflow.run.outcome import Outcome
from miningflow.run.publishing import publish
from miningflow.run.report import Report
from miningflow.run.reporting import report_run
from miningflow.run.stage_pool import Progress, build_stages
from miningflow.run.undisturbed import undisturbed
from miningflow.sql.block import Naming
from miningflow.store.opening import Store
from miningflow.store.reusable_builds import usable_builds
from miningflow.store.snapshot import Snapshot
from miningflow.store.sources import SourceLocation
from miningflow.store.stored_builds import stored_builds

_PLAIN_RUN = RunOrigin()


def run_plan(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    snapshot: Snapshot,
    locations: Mapping[str, SourceLocation],
    exports: Exports,
    listener: Listener = silent,
    origin: RunOrigin = _PLAIN_RUN,
    test: bool = False,
) -> tuple[Report, dict[str, Piece]]:
    """Builds what the plan says; a run that fails leaves the published results unchanged.

    `snapshot` is the store as the plan saw it. With `test`, data tests decide whether the results
    are published.
    """
    start = time.perf_counter()
    exports.remove_left_over()
    names = Names(bound.name)
    published = [r for r in usable_builds(snapshot) if r.status == "published"]
    if _is_done(plan, snapshot, published):
        report, pieces = _nothing_to_do(bound, plan, store, snapshot, exports, start)
        tests = _tested(bound, plan, pieces, names.public, store, listener) if test else ()
        return replace(report, data_tests=tests), pieces
    refuse_long_names(bound, locations, store.engine.longest_name)
    refuse_shared_schemas(bound.name, store)
    refuse_foreign_objects(plan, snapshot, store.engine.dialect)
    run = store.repository.begin_run(bound.name, origin)
    progress = Progress()
    tests = ()
    published_now = False
    try:
        snapshot = drop_leftovers(store, snapshot)
        builder = StageBuilder(bound, store, snapshot, locations, run, listener, progress.cancelled)
        build_stages(plan, builder, progress, store, listener)
        if test:
            naming = builder.objects.naming
            tests = _tested(bound, plan, progress.pieces, naming, store, listener)
        listener(Event("publishing", bound.name))
        exports.prepare(bound, plan, store, progress.outcomes)
        snapshot = snapshot.with_built(builder.records, builder.objects.made)
        with undisturbed():  # exports belong to the results
            publish(bound, plan, store, snapshot, run, progress.outcomes)
            exports.finish()
            published_now = True
    except KeyboardInterrupt:
        if published_now:
            raise KeyboardInterrupt("the results of this run were published") from None
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
    report = report_run(bound, plan, store, run, progress.outcomes, exports, seconds)
    return replace(report, data_tests=tests), progress.pieces


def _ended(store: Store, run: int, status: str, message: str) -> None:
    """Records how a run ended, if the store can still be reached; else the next run does."""
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
    broken = [result.diagnostic() for result in results if result.broken]
    if any(diagnostic.severity == "error" for diagnostic in broken):
        raise RunError(
            *broken,
            Diagnostic(
                "these results are not published, since a data test failed",
                None,
                "what was built is kept: mend the data or the case and run again, or run without "
                "--test to publish it as it is",
            ),
        )
    return results


def _is_done(plan: Plan, snapshot: Snapshot, published: list[StepRecord]) -> bool:
    """Returns whether everything asked for is built and published, and nothing else is."""
    wanted = {(s.name, s.fingerprint) for s in plan.stages if s.action != "skip"}
    newest = snapshot.newest_run
    return (
        not plan.running
        and wanted <= {(r.step, r.fingerprint) for r in published}
        and {r.step for r in published} <= {s.name for s in plan.stages}
        and {r.step for r in published if r.object_name} <= set(snapshot.public)
        # a run that did not finish left things to drop
        and (newest is None or newest.status == "done")
    )


def _nothing_to_do(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    snapshot: Snapshot,
    exports: Exports,
    start: float,
) -> tuple[Report, dict[str, Piece]]:
    """Reports on what is published; a rerun with nothing changed does no data work."""
    compiled = compile_bound(bound, stored_builds(bound.name, store.repository, snapshot.builds))
    records = {(r.step, r.fingerprint): r for r in snapshot.builds if r.status == "published"}
    outcomes: dict[str, Outcome] = {}
    for stage in plan.stages:
        record = records.get((stage.name, stage.fingerprint))
        if record is not None and stage.name in compiled.pieces:
            outcomes[stage.name] = Outcome(
                compiled.pieces[stage.name],
                record.object_name,
                record.run,
                record.rows,
                0.0,
                tuple(record.notes.splitlines()),
                compiled.artifacts.get(stage.name),
            )
    try:
        exports.prepare(bound, plan, store, outcomes)
        exports.finish()
    finally:
        exports.discard()
    seconds = time.perf_counter() - start
    report = report_run(bound, plan, store, None, outcomes, exports, seconds)
    return report, dict(compiled.pieces)
