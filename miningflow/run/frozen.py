"""Compiles a case on what was learned before: nothing refits."""

from __future__ import annotations

from typing import Any

from miningflow.compile import Compiled, compile_source, compile_step
from miningflow.compile.pieces import is_left_out
from miningflow.declare.selection import Selection
from miningflow.errors import CompileError, Mistake
from miningflow.plan import layout
from miningflow.repository import Repository, StepRecord
from miningflow.resolve import BoundCase, BoundStep


def frozen_pieces(
    bound: BoundCase, repository: Repository | None, upto: str | None = None
) -> Compiled:
    """Compiles every step whose artifact is stored; also tells why the others are missing.

    With `upto`, a step that this one needs and that was not learned is an error.
    """
    builds = layout(bound)
    records = _published(repository, bound.name)
    pieces = {name: compile_source(concept) for name, concept in bound.sources.items()}
    missing: dict[str, str] = {}
    for step in bound.steps.values():
        before = [name for name in step.inputs if name not in pieces]
        if before:
            missing[step.name] = f"waits for {', '.join(repr(n) for n in before)}"
            continue
        artifact = None
        if step.operator.learns is not None and not is_left_out(step, pieces):
            artifact, why = _artifact(bound, step, repository, records.get(step.name))
            if artifact is None:
                missing[step.name] = why
                continue
        pieces[step.name] = compile_step(step, pieces, artifact, builds[step.name] == "inline")
    if upto is not None and upto not in pieces:
        cause = next(n for n, why in missing.items() if not why.startswith("waits"))
        raise CompileError(
            Mistake(
                f"step {cause!r} {missing[cause]}",
                bound.steps[cause].place(),
                "run the case first: `miningflow run`",
            )
        )
    return Compiled(pieces, missing)


def stored_selections(bound: BoundCase, repository: Repository) -> dict[str, Selection]:
    """Gives what the selecting steps of a case found when they last ran."""
    records = _published(repository, bound.name)
    found: dict[str, Selection] = {}
    for step in bound.steps.values():
        if step.operator.learns is Selection:
            artifact, _ = _artifact(bound, step, repository, records.get(step.name))
            if artifact is not None:
                found[step.name] = artifact
    return found


def _published(repository: Repository | None, case: str) -> dict[str, StepRecord]:
    if repository is None:
        return {}
    return {r.step: r for r in repository.builds(case) if r.status == "published"}


def _artifact(
    bound: BoundCase, step: BoundStep, repository: Repository | None, record: StepRecord | None
) -> tuple[Any, str]:
    assert step.operator.learns is not None
    if repository is None or record is None:
        return None, "has not learned yet"
    recipe = record.built.recipe
    if recipe.operator != type(step.operator).__name__ or recipe.parameters != step.parameters:
        return None, "was changed since it learned"
    if recipe.version != step.operator.version:
        return None, "learned with another version of its operator"
    artifact = repository.artifact(
        bound.name, step.name, record.fingerprint, step.operator.learns, record.run
    )
    if artifact is None:  # the build was reused; its artifact came from an earlier run
        artifact = repository.artifact(
            bound.name, step.name, record.fingerprint, step.operator.learns
        )
    return artifact, "has not learned yet"
