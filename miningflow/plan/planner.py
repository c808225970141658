"""Plans a case: compares the fingerprint of every step with what is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from miningflow.errors import Mistake, PlanError
from miningflow.plan.layout import Builds, layout
from miningflow.plan.recipe import Built, Recipe, SourceVersion, difference
from miningflow.plan.selection import after, before, node, selected
from miningflow.plan.stage import Action, Plan, Stage
from miningflow.resolve import BoundCase


@dataclass(frozen=True)
class Wish:
    """What a person asked to run."""

    select: tuple[str, ...] = ()
    from_step: str | None = None
    to_step: str | None = None
    full: bool = False


def plan_case(
    bound: BoundCase,
    versions: Mapping[str, SourceVersion],
    built: Mapping[str, Sequence[Built]],
    wish: Wish | None = None,
) -> Plan:
    """Gives the stages of a case, each with what to do and why."""
    wish = wish or Wish()
    builds = layout(bound)
    recipes = _recipes(bound, versions, builds)
    inputs = {name: tuple(recipe.inputs) for name, recipe in recipes.items()}
    wanted = _wanted(bound, inputs, wish)
    forced = _forced(bound, inputs, wish)
    stages: list[Stage] = []
    for name, recipe in recipes.items():
        action, reason = _decide(
            name, recipe, _nearest(recipe, built.get(name, ())), wanted, forced
        )
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
                reason=reason,
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
        recipes[name] = Recipe(name, "source", 1, parameters, {}, version.marker, "source")
        marks[name] = recipes[name].fingerprint
    for step in bound.steps.values():
        used = [*step.inputs, *([step.learn_on] if step.learn_on else [])]
        recipe = Recipe(
            name=step.name,
            operator=type(step.operator).__name__,
            version=step.operator.version,
            parameters=step.parameters,
            inputs={name: marks[name] for name in dict.fromkeys(used)},
            builds=builds[step.name],
        )
        recipes[step.name] = recipe
        marks[step.name] = recipe.fingerprint
    return recipes


def _wanted(
    bound: BoundCase, inputs: Mapping[str, tuple[str, ...]], wish: Wish
) -> set[str] | Literal["all"]:
    wanted: set[str] | Literal["all"] = "all"
    if wish.select:
        wanted = selected(wish.select, inputs, bound.chains)
    if wish.to_step:
        upto = before(node(wish.to_step, inputs, bound.chains), inputs)
        wanted = upto if wanted == "all" else wanted & upto
    if wanted != "all":  # turns of a loop go with their step
        wanted |= {n for n in inputs if "[" in n and n.partition("[")[0] in wanted}
    return wanted


def _forced(bound: BoundCase, inputs: Mapping[str, tuple[str, ...]], wish: Wish) -> dict[str, str]:
    if wish.full:
        return dict.fromkeys(inputs, "--full")
    if wish.from_step:
        start = node(wish.from_step, inputs, bound.chains)
        return dict.fromkeys(after(start, inputs), f"--from {wish.from_step}")
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
    forced: Mapping[str, str],
) -> tuple[Action, str]:
    if wanted != "all" and name not in wanted:
        unchanged = built and built.usable and built.fingerprint == recipe.fingerprint
        return ("reuse", "unchanged") if unchanged else ("skip", "not selected")
    if name in forced:
        return "run", forced[name]
    if built is None:
        return "run", "new"
    if built.fingerprint != recipe.fingerprint:
        return "run", difference(built.recipe, recipe)
    if not built.usable:
        return "run", "its result is gone from the store"
    return "reuse", "unchanged" if built.published else "built by a run that did not finish"


def _check_unselected(stages: list[Stage]) -> None:
    skipped = {s.name for s in stages if s.action == "skip"}
    for stage in stages:
        missing = [name for name in stage.inputs if name in skipped]
        if stage.action == "run" and missing:
            raise PlanError(
                Mistake(
                    f"{stage.name!r} was selected, but {missing[0]!r} before it was not, "
                    "and is not up to date",
                    None,
                    f"select `+{stage.name}` to run what it needs as well",
                )
            )
