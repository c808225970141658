"""Finds the concept or step that a caller names, or says what exists instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from miningflow.errors import Diagnostic, PlanError, closest, listed, suggestion
from miningflow.resolve.bound import BoundCase, BoundStep


def nodes(bound: BoundCase) -> list[str]:
    """Returns the sources and steps that have a name in the file, in running order."""
    return [*bound.sources, *(name for name, step in bound.steps.items() if not step.hidden)]


def find_node(name: str, bound: BoundCase, fitting: Sequence[str] = (), kind: str = "steps") -> str:
    """Finds a concept, step, chain or turn of a loop by its exact name.

    If nothing has a similar name, the error lists what would fit.
    """
    meant = bound.chains.get(name, name)
    if meant in bound.sources or meant in bound.steps:
        return meant
    turns = {step.shown_name: step.name for step in bound.steps.values() if step.loop}
    if meant in turns:
        return turns[meant]
    known = [*nodes(bound), *bound.chains]
    if "[" in name:
        known += turns
    similar = closest(name, known) is not None
    hint = suggestion(name, known if similar else fitting or known, kind)
    raise PlanError(Diagnostic(f"there is no step or concept {name!r}", None, hint))


def written_name(name: str, bound: BoundCase) -> str:
    """Returns the name in the file: a turn of a loop stands for all of its turns."""
    return bound.steps[name].written_name if name in bound.steps else name


def find_step(
    name: str,
    bound: BoundCase,
    do: str = "",
    fits: Callable[[BoundStep], bool] = lambda step: True,
) -> BoundStep:
    """Finds a step; with `fits`, one of those that `do` what is asked for."""
    fitting = [n for n, step in bound.steps.items() if not step.hidden and fits(step)]
    meant = find_node(name, bound, fitting, f"steps that {do}" if do else "steps")
    hint = f"these do: {listed(fitting)}" if do else f"the steps are {listed(fitting)}"
    if not fitting:
        hint = "no step of the case does" if do else "the case has no steps"
    if meant in bound.sources:
        message = f"{name!r} is a source concept, not a step"
        raise PlanError(Diagnostic(message, None, hint))
    step = bound.steps[meant]
    if not fits(step):
        message = f"{name!r} is not one of the steps that {do}"
        raise PlanError(Diagnostic(message, None, hint))
    return step


def find_model(name: str, bound: BoundCase) -> BoundStep:
    """Finds a step that predicts."""
    return find_step(name, bound, "predict", lambda step: bool(step.operator.scores))
