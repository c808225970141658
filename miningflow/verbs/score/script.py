"""The script that scores new rows without Python."""

from __future__ import annotations

from miningflow.compile import Compiled, ScoreScript, score_script
from miningflow.errors import CompileError, Diagnostic
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_model


def scoring_script(bound: BoundCase, compiled: Compiled, step: str | None = None) -> ScoreScript:
    """Returns the scoring script of a compiled case."""
    name = scoring_step(bound, step)
    if name not in compiled.pieces:
        raise CompileError(
            Diagnostic(
                f"there is no scoring script yet: step {name!r} {compiled.missing[name]}",
                bound.steps[name].place(),
                "run the case first: `miningflow run`",
            )
        )
    return score_script(bound, compiled.pieces, name)


def scoring_step(bound: BoundCase, step: str | None) -> str:
    """Finds the step to score with: the one that is named, or the case's `scoring`."""
    if step is not None:
        return find_model(step, bound).name
    if bound.scoring is None:
        raise CompileError(
            Diagnostic(
                f"case {bound.name!r} has no step that predicts anything", bound.case.name.place
            )
        )
    return bound.scoring
