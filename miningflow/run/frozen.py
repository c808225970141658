"""Compiles a case on what was learned before: nothing refits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.compile import Compiled, Piece, compile_source, compile_step
from miningflow.compile.pieces import is_left_out
from miningflow.declare.concept import Concept
from miningflow.declare.selection import Selection
from miningflow.errors import CompileError, Mistake
from miningflow.plan import Builds, layout
from miningflow.repository import Repository, StepRecord
from miningflow.resolve import BoundCase, BoundStep

NOT_YET = "has not learned yet"


@dataclass(frozen=True)
class PublishedBuilds:
    """The published builds of a case that are still what the case says."""

    marks: Mapping[str, str]
    """Source or step → the fingerprint of its build."""
    changed: Mapping[str, str]
    """Source or step → why it has no such build."""


def published_builds(bound: BoundCase, repository: Repository) -> PublishedBuilds:
    """Tells which published results belong to the case as it is now; data may have changed."""
    found = _compared(bound, _published(repository, bound.name))
    said = {NOT_YET: "has not run yet"}
    changed = {n: said.get(w, w.replace("learned", "ran")) for n, w in found.changed.items()}
    return PublishedBuilds(found.marks, changed)


def frozen_pieces(
    bound: BoundCase,
    repository: Repository | None,
    builds: Mapping[str, Builds] | None = None,
    upto: str | None = None,
) -> Compiled:
    """Compiles every step whose artifact is stored; also tells why the others are missing.

    What a step learned counts only together with what its inputs were then. With `upto`, only this
    step and those before it count, as they were when it was built; one that was not learned, or
    that was changed since, is an error. `builds` may fuse other steps than a run does.
    """
    builds = builds or layout(bound)
    records = _published(repository, bound.name)
    if upto in records and repository is not None:
        records = _lineage(upto, records, repository.builds(bound.name))
    pieces = {name: compile_source(concept) for name, concept in bound.sources.items()}
    changed = _compared(bound, records).changed
    missing: dict[str, str] = {}
    for step in bound.steps.values() if upto is None else _steps_before(bound, upto):
        before = [name for name in step.inputs if name not in pieces]
        if before:
            missing[step.name] = f"waits for {', '.join(repr(n) for n in before)}"
            continue
        artifact = None
        if _learns(step, pieces):
            if step.name not in changed:
                artifact = _artifact(bound, step, repository, records.get(step.name))
            if artifact is None:
                missing[step.name] = changed.get(step.name, NOT_YET)
                continue
        pieces[step.name] = compile_step(step, pieces, artifact, builds[step.name] == "inline")
    if upto is not None and upto not in pieces:
        cause = next(n for n, why in missing.items() if not why.startswith("waits"))
        raise CompileError(
            Mistake(
                f"step {cause.partition('[')[0]!r} {missing[cause]}",  # a turn goes by its loop
                bound.steps[cause].place(),
                "run the case first: `miningflow run`",
            )
        )
    return Compiled(pieces, missing)


def stored_selections(bound: BoundCase, repository: Repository) -> dict[str, Any]:
    """Gives what the selecting steps of a case found when they last ran, maybe per segment."""
    records = _published(repository, bound.name)
    found: dict[str, Any] = {}
    for step in bound.steps.values():
        record = records.get(step.name)
        if step.operator.learns is Selection and not _changed(step, record):
            artifact = _artifact(bound, step, repository, record)
            if artifact is not None:
                found[step.name] = artifact
    return found


def stored_build(
    bound: BoundCase, step: BoundStep, repository: Repository
) -> tuple[StepRecord | None, Any]:
    """Gives the published build of a step, and what it learned then."""
    record = _published(repository, bound.name).get(step.name)
    return record, _artifact(bound, step, repository, record)


def _compared(bound: BoundCase, records: Mapping[str, StepRecord]) -> PublishedBuilds:
    marks: dict[str, str] = {}
    changed: dict[str, str] = {}
    for name, concept in bound.sources.items():
        if name not in records:
            changed[name] = NOT_YET
        elif _same_features(concept, records[name]):
            marks[name] = records[name].fingerprint
        else:
            changed[name] = "was changed since it ran"
    for step in bound.steps.values():
        record = records.get(step.name)
        why = _changed(step, record) or _changed_before(record, marks)
        if why or record is None:
            changed[step.name] = why
        else:
            marks[step.name] = record.fingerprint
    return PublishedBuilds(marks, changed)


def _published(repository: Repository | None, case: str) -> dict[str, StepRecord]:
    if repository is None:
        return {}
    return {r.step: r for r in repository.builds(case) if r.status == "published"}


def _lineage(
    step: str, published: Mapping[str, StepRecord], builds: list[StepRecord]
) -> dict[str, StepRecord]:
    """Gives the build of a step, and the builds that it was made from."""
    index = {(r.step, r.fingerprint): r for r in builds}
    found: dict[str, StepRecord] = {}
    waiting = [published[step]] if step in published else []
    while waiting:
        record = waiting.pop()
        found[record.step] = record
        inputs = record.built.recipe.inputs.items()
        waiting += [index[m] for m in inputs if m in index and m[0] not in found]
    return found


def _steps_before(bound: BoundCase, name: str) -> list[BoundStep]:
    """Gives a step and all steps that it reads, in order."""
    needed = {name}
    for step in reversed([*bound.steps.values()]):
        if step.name in needed:
            needed.update(step.inputs)
            needed.update([step.learn_on] if step.learn_on else [])
    return [step for step in bound.steps.values() if step.name in needed]


def _same_features(concept: Concept, record: StepRecord) -> bool:
    types = {f.name: f.type for f in concept.features.values()}
    return bool(record.built.recipe.parameters["features"] == types)


def _changed(step: BoundStep, record: StepRecord | None) -> str:
    """Says in what way a step is not the one that was built; nothing if it is."""
    if record is None:
        return NOT_YET
    recipe = record.built.recipe
    if recipe.operator != type(step.operator).__name__ or recipe.parameters != step.parameters:
        return "was changed since it learned"
    if recipe.version != step.operator.version:
        return "learned with another version of its operator"
    return ""


def _changed_before(record: StepRecord | None, marks: Mapping[str, str]) -> str:
    """Says which input of a step is not the one that it was built from."""
    for name, fingerprint in record.built.recipe.inputs.items() if record else ():
        if marks.get(name) != fingerprint:
            return f"learned before {name!r} was changed"
    return ""


def _learns(step: BoundStep, pieces: Mapping[str, Piece]) -> bool:
    return step.learns is not None and (bool(step.within) or not is_left_out(step, pieces))


def _artifact(
    bound: BoundCase, step: BoundStep, repository: Repository | None, record: StepRecord | None
) -> Any:
    if repository is None or record is None:
        return None
    mark = bound.name, step.name, record.fingerprint, step.learns
    # a build that took over what an unfinished run had learned has no artifact of its own run
    return repository.artifact(*mark, record.run) or repository.artifact(*mark)
