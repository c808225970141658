"""Plans a case: compares the fingerprint of every step with what is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from miningflow.errors import Diagnostic, PlanError
from miningflow.plan.cause import Cause, Change, difference
from miningflow.plan.layout import Builds, keeps_predictions, layout
from miningflow.plan.recipe import Built, Recipe, SourceVersion
from miningflow.plan.selection import named, selected
from miningflow.plan.stage import Action, Plan, Stage
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_node


@dataclass(frozen=True)
class PlanRequest:
    """What the user asked to run."""

    select: tuple[str, ...] = ()
    from_step: str | None = None
    to_step: str | None = None
    full: bool = False


def plan_case(
    bound: BoundCase,
    versions: Mapping[str, SourceVersion],
    built: Mapping[str, Sequence[Built]],
    request: PlanRequest | None = None,
) -> Plan:
    """Returns the stages of a case, each with what to do and why."""
    request = request or PlanRequest()
    builds = layout(bound)
    recipes = _recipes(bound, versions, builds)
    inputs = {name: tuple(recipe.inputs) for name, recipe in recipes.items()}
    wanted = _wanted(bound, request)
    forced = _forced(bound, request)
    stages: list[Stage] = []
    for name, recipe in recipes.items():
        nearest = _nearest(recipe, built.get(name, ()))
        version = versions.get(name)
        if version is not None and version.kept_from is not None:
            action, cause = _keep(name, recipe, version, nearest)
        else:
            action, cause = _decide(name, recipe, nearest, wanted, forced)
        step = bound.steps.get(name)
        stages.append(
            Stage(
                name=name,
                kind="step" if step else "source",
                operator=recipe.operator,
                builds=builds[name] if step else "table" if versions[name].loaded else "view",
                learns=step is not None and step.operator.learns is not None,
                inputs=inputs[name],
                recipe=recipe,
                fingerprint=recipe.fingerprint,
                action=action,
                cause=cause,
            )
        )
    _check_unselected(stages)
    return Plan(bound.name, tuple(stages))


def _recipes(
    bound: BoundCase, versions: Mapping[str, SourceVersion], builds: Mapping[str, Builds]
) -> dict[str, Recipe]:
    recipes: dict[str, Recipe] = {}
    marks: dict[str, str] = {}
    for name, concept in bound.sources.items():
        if name not in versions:
            continue
        version = versions[name]
        parameters = {
            "features": {f.name: f.type for f in concept.features.values()},
            "holdouts": [[r.concept, r.feature, repr(r.holdout)] for r in concept.holdouts],
            "location": version.location,
        }
        if version.given is not None:
            parameters["given"] = version.given
        recipes[name] = Recipe(name, "source", 1, parameters, {}, version.marker, "source")
        marks[name] = recipes[name].fingerprint
    for step in bound.steps.values():
        recipe = Recipe(
            name=step.name,
            operator=type(step.operator).__name__,
            version=step.operator.revision(step.learn_on is not None),
            parameters=step.parameters,
            inputs={name: marks[name] for name in step.reads},
            # A view of predictions that an earlier version made is not learned again.
            builds=step.builds if keeps_predictions(step) else builds[step.name],
        )
        recipes[step.name] = recipe
        marks[step.name] = recipe.fingerprint
    return recipes


def _wanted(bound: BoundCase, request: PlanRequest) -> set[str] | Literal["all"]:
    wanted: set[str] | Literal["all"] = "all"
    if request.select:
        wanted = selected(request.select, bound)
    if request.to_step:
        [last] = named([request.to_step], bound)
        upto = {last, *bound.ancestors(last)}
        wanted = upto if wanted == "all" else wanted & upto
    if wanted != "all":  # turns of a loop go with their step
        wanted |= {name for name, step in bound.steps.items() if step.written_name in wanted}
    return wanted


def _forced(bound: BoundCase, request: PlanRequest) -> dict[str, Cause]:
    if request.full:
        return dict.fromkeys([*bound.sources, *bound.steps], Cause("full"))
    if request.from_step:
        first = find_node(request.from_step, bound)
        cause = Cause("from", names=(request.from_step,))
        return dict.fromkeys([first, *bound.descendants(first)], cause)
    return {}


def _nearest(recipe: Recipe, built: Sequence[Built]) -> Built | None:
    """Finds the build to compare with: an equal one if there is one, else the published one."""
    equal = [b for b in built if b.fingerprint == recipe.fingerprint]
    usable = [b for b in equal if b.usable]
    published = [b for b in built if b.published]
    candidates = [*(b for b in usable if b.published), *usable, *equal, *published, *built]
    return candidates[0] if candidates else None


def _decide(
    name: str,
    recipe: Recipe,
    built: Built | None,
    wanted: set[str] | Literal["all"],
    forced: Mapping[str, Cause],
) -> tuple[Action, Cause]:
    if wanted != "all" and name not in wanted:
        unchanged = built and built.usable and built.fingerprint == recipe.fingerprint
        return ("reuse", Cause("unchanged")) if unchanged else ("skip", Cause("not selected"))
    if name in forced:
        return "run", forced[name]
    if built is None:
        return "run", Cause("new")
    if built.fingerprint != recipe.fingerprint:
        return "run", difference(built.recipe, recipe)
    if not built.usable:
        return "run", Cause("gone")
    return "reuse", Cause("unchanged" if built.published else "unpublished")


def _keep(
    name: str, recipe: Recipe, version: SourceVersion, built: Built | None
) -> tuple[Action, Cause]:
    """Uses rows again that were given to an earlier run, since they cannot be read again."""
    run = f"{version.kept_from}"
    if built is not None and built.usable and built.fingerprint == recipe.fingerprint:
        return "reuse", Cause("kept", (Change("location", version.location, None),), (run,))
    why = "they are gone from the store"
    if built is not None and built.fingerprint != recipe.fingerprint:
        why = f"the case reads them in another way now ({difference(built.recipe, recipe)})"
    raise PlanError(
        Diagnostic(
            f"the rows of {name!r} were given to run {run} ({version.location}), and {why}",
            None,
            f"give them again: `--source {name}=FILE`, in Python `sources={{{name!r}: frame}}`",
        )
    )


def _check_unselected(stages: list[Stage]) -> None:
    skipped = {s.name for s in stages if s.action == "skip"}
    for stage in stages:
        missing = [name for name in stage.inputs if name in skipped]
        if stage.action == "run" and missing:
            raise PlanError(
                Diagnostic(
                    f"{stage.name!r} was selected, but {missing[0]!r} before it was not, "
                    "and is not up to date",
                    None,
                    f"select `+{stage.name}` to run what it needs as well",
                )
            )
