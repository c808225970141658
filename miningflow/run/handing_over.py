"""Hands what a case learned on one store over to another, so that it is not learned again there."""

from __future__ import annotations

from miningflow.declare.artifact import pack
from miningflow.errors import Mistake, RunError
from miningflow.plan import Plan
from miningflow.resolve import BoundCase
from miningflow.run.frozen import frozen_pieces, stored_build
from miningflow.run.store import Store


def refuse_unlearned(bound: BoundCase, store: Store) -> None:
    """Refuses a store in which the case, as it is now, has not learned everything."""
    missing = frozen_pieces(bound, store.repository).missing
    unlearned = {n: why for n, why in missing.items() if not why.startswith("waits")}
    if unlearned:
        name, why = next(iter(unlearned.items()))
        raise RunError(
            Mistake(
                f"step {name.partition('[')[0]!r} {why} on {store.url}",
                bound.steps[name].place(),
                "run the case there first",
            )
        )


def hand_over(
    bound: BoundCase, plan: Plan, source: Store, target: Store, program: str
) -> list[str]:
    """Saves what the steps learned for the stages that the plan has on the other store.

    The next run there takes it instead of learning. Gives the names of these steps.
    """
    artifacts = {
        step.name: artifact
        for step in bound.steps.values()
        if step.learns is not None
        and (artifact := stored_build(bound, step, source.repository)[1]) is not None
    }
    handed = []
    mistakes = []
    for stage in plan.stages:
        if stage.name not in artifacts:
            continue
        own = target.repository.artifact(
            bound.name, stage.name, stage.fingerprint, type(artifacts[stage.name])
        )
        if own is None:
            handed.append(stage)
        elif pack(own) != pack(artifacts[stage.name]):
            message = f"step {stage.name!r} has learned something else on {target.url}"
            mistakes.append(Mistake(message, bound.steps[stage.name].place(), _FORGET))
    if mistakes:
        raise RunError(*mistakes)
    if handed:
        run = target.repository.begin_run(bound.name, program)
        for stage in handed:
            target.repository.save_artifact(bound.name, run, stage, artifacts[stage.name])
        target.repository.end_run(run, "done")
    return [stage.name for stage in handed]


_FORGET = "if that may be lost, `miningflow clean` it there first: nothing was changed"
