"""Builds the stages of a plan, independent ones side by side."""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from miningflow.compile import Piece
from miningflow.declare.rows import LearningError
from miningflow.errors import Diagnostic, EngineError, MiningFlowError, RunError
from miningflow.plan import Plan, Stage
from miningflow.run.building import StageBuilder
from miningflow.run.events import Event, Listener
from miningflow.run.outcome import Outcome
from miningflow.run.training_rows import Cancelled
from miningflow.sql.dialect import NotInDialect
from miningflow.store.opening import Store

WORKERS = max(2, min(4, os.cpu_count() or 2))


@dataclass
class Progress:
    """Which stages are done, and with what."""

    pieces: dict[str, Piece] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    cancelled: threading.Event = field(default_factory=threading.Event)


def build_stages(
    plan: Plan, builder: StageBuilder, progress: Progress, store: Store, listener: Listener
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
            with store.engine.interrupting():
                pool.shutdown(wait=True, cancel_futures=True)
            raise


def _result(
    future: Future[Outcome], stage: Stage, builder: StageBuilder, listener: Listener
) -> Outcome:
    """Returns what a stage gave; an error names the step and its place in the case."""
    step = builder.bound.steps.get(stage.name)
    place = step.place() if step else builder.locations[stage.name].scalar.place
    shown = step.shown_name if step else stage.name
    try:
        return future.result()
    except LearningError as error:
        listener(Event("failed", stage.name, error.message))
        message = f"step {shown!r} cannot learn: {error.message}"
        if step and error.parameter:
            place = step.place(error.parameter)
        raise RunError(Diagnostic(message, place, error.hint)) from None
    except EngineError as error:
        listener(Event("failed", stage.name))
        raise RunError(
            *(
                Diagnostic(f"step {shown!r}: {m.message}", m.place or place, m.hint)
                for m in error.diagnostics
            )
        ) from error
    except MiningFlowError:
        listener(Event("failed", stage.name))
        raise
    except NotInDialect as error:
        listener(Event("failed", stage.name))
        message = f"step {shown!r} cannot run on this store: {error}"
        raise RunError(Diagnostic(message, place, error.hint)) from None
    except Cancelled:
        raise KeyboardInterrupt from None
