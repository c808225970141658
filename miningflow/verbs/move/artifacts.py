"""Copies what a case learned to another store, so that it is not learned again there."""

from __future__ import annotations

from miningflow.compile import compile_bound
from miningflow.declare.artifact import pack
from miningflow.errors import Diagnostic, RunError
from miningflow.plan import Plan
from miningflow.repository import RunOrigin
from miningflow.resolve import BoundCase
from miningflow.store.opening import Store
from miningflow.store.stored_builds import stored_builds


def refuse_unlearned(bound: BoundCase, store: Store) -> None:
    """Refuses a store in which the case in its current form has not learned everything."""
    missing = compile_bound(bound, stored_builds(bound.name, store.repository)).missing
    unlearned = {n: why for n, why in missing.items() if why.kind != "waits"}
    if unlearned:
        name, why = next(iter(unlearned.items()))
        raise RunError(
            Diagnostic(
                f"step {bound.steps[name].written_name!r} {why} on {store.url}",
                bound.steps[name].place(),
                "run the case there first",
            )
        )


def hand_over(
    bound: BoundCase, plan: Plan, source: Store, target: Store, origin: RunOrigin
) -> list[str]:
    """Saves what the steps learned for the stages that the plan has on the other store.

    The next run there uses it instead of learning. Returns the names of these steps.
    """
    stored = stored_builds(bound.name, source.repository)
    artifacts = {
        step.name: artifact
        for step in bound.steps.values()
        if step.learns is not None and (artifact := stored.artifact(step)) is not None
    }
    handed = []
    diagnostics = []
    for stage in plan.stages:
        if stage.name not in artifacts:
            continue
        own = target.repository.artifact(
            bound.name, stage.name, stage.fingerprint, type(artifacts[stage.name])
        )
        if own is None:
            handed.append(stage)
        elif pack(own) != pack(artifacts[stage.name]):
            message = f"step {stage.name!r} has learned something different on {target.url}"
            diagnostics.append(Diagnostic(message, bound.steps[stage.name].place(), _FORGET))
    if diagnostics:
        raise RunError(*diagnostics)
    if handed:
        run = target.repository.begin_run(bound.name, origin)
        for stage in handed:
            target.repository.save_artifact(bound.name, run, stage, artifacts[stage.name])
        target.repository.end_run(run, "done")
    return [stage.name for stage in handed]


_FORGET = "if you do not need that, run `miningflow clean` there first; nothing was changed"
