"""Compiles a whole case on what was learned before: nothing is learned again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from miningflow.compile.missing import Missing
from miningflow.compile.pieces import Piece, compile_source, is_left_out
from miningflow.compile.published import compare_builds
from miningflow.compile.segments import compile_step
from miningflow.compile.stored_artifacts import using_stored_artifact
from miningflow.compile.stored_builds import StoredBuilds
from miningflow.errors import CompileError, Diagnostic
from miningflow.plan import Builds, layout
from miningflow.resolve import BoundCase, BoundStep


@dataclass(frozen=True)
class Compiled:
    """The case as SQL: a piece per step, and why the others have none yet."""

    pieces: Mapping[str, Piece]
    missing: Mapping[str, Missing]
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    """What the steps learned that are pieces here."""


def compile_bound(
    bound: BoundCase,
    stored: StoredBuilds,
    builds: Mapping[str, Builds] | None = None,
    upto: str | None = None,
) -> Compiled:
    """Compiles every step whose artifact is stored, and returns why the others are missing.

    What a step learned counts only together with what its inputs were then. With `upto`, only this
    step and those before it are compiled, as they were when it was built; one that was not learned,
    or that was changed since, is an error. `builds` may fuse other steps than a run does.
    """
    builds = builds or layout(bound)
    known = (upto and stored.lineage(upto)) or stored.published
    changed = compare_builds(bound, known, "learned").changed
    pieces = {name: compile_source(concept) for name, concept in bound.sources.items()}
    missing: dict[str, Missing] = {}
    artifacts: dict[str, Any] = {}
    wanted = bound.steps.keys() if upto is None else {upto, *bound.ancestors(upto)}
    for step in (step for name, step in bound.steps.items() if name in wanted):
        before = tuple(name for name in step.inputs if name not in pieces)
        if before:
            hidden = {n for n in before if n in bound.steps and bound.steps[n].hidden}
            shown = tuple(bound.steps[n].shown_name if n in hidden else n for n in before)
            missing[step.name] = Missing("waits", shown)
            continue
        artifact = None
        if learns_here(step, pieces):
            if step.name not in changed:
                artifact = stored.load(step, known[step.name])
            if artifact is None:
                missing[step.name] = changed.get(step.name, Missing("never built"))
                continue
            artifacts[step.name] = artifact
        columns = pieces[step.inputs[0]].presence.concept.columns
        with using_stored_artifact(step.name, artifact, columns):
            pieces[step.name] = compile_step(step, pieces, artifact, builds[step.name] == "inline")
    if upto is not None and upto not in pieces:
        raise _not_compiled(bound, missing)
    return Compiled(pieces, missing, artifacts)


def learns_here(step: BoundStep, pieces: Mapping[str, Piece]) -> bool:
    """Returns whether a step has something to learn from the features that are present."""
    return step.learns is not None and (bool(step.within) or not is_left_out(step, pieces))


def _not_compiled(bound: BoundCase, missing: Mapping[str, Missing]) -> CompileError:
    cause = next(name for name, why in missing.items() if why.kind != "waits")
    return CompileError(
        Diagnostic(
            f"step {bound.steps[cause].written_name!r} {missing[cause]}",
            bound.steps[cause].place(),
            "run the case first: `miningflow run`",
        )
    )
