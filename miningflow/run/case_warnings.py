"""Warnings about a case as a whole, which no single stage shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from miningflow.plan import Plan
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.leaks import find_leaks
from miningflow.run.evaluated_models import group_feature
from miningflow.warn import ResultWarning
from miningflow.warn.of_evaluations import Evaluated, not_comparable
from miningflow.warn.of_learning import leak, no_holdout


def case_warnings(
    bound: BoundCase, plan: Plan, evaluations: Mapping[str, list[dict[str, Any]]]
) -> Iterator[ResultWarning]:
    """Looks for leaks, a missing holdout, and evaluations that cannot be compared."""
    there = {stage.name for stage in plan.stages if stage.action != "skip"}
    for found in find_leaks(bound.sources, bound.steps.values()):
        if found.step.name in there:
            name, target = found.step.written_name, found.target
            yield leak(name, found.feature, target, found.made_from_target, found.is_selected)
    models = [
        name for name, step in bound.steps.items() if name in there and _could_be_tested(step)
    ]
    if models and not any(concept.holdouts for concept in bound.sources.values()):
        yield no_holdout(models)
    by_truth: dict[str, list[Evaluated]] = {}
    for name, rows in evaluations.items():
        step = bound.steps[name]
        actual = getattr(step.operator, "actual", None)
        if actual is None or step.output.segmentations or group_feature(step.operator):
            continue
        about = f"{actual.name} of {_origin(bound, step.inputs[0])}"
        by_truth.setdefault(about, []).extend(Evaluated(name, row["part"], row) for row in rows)
    yield from not_comparable(by_truth)


def _could_be_tested(step: BoundStep) -> bool:
    """Returns whether a step predicts a target, and learns from all rows it is applied to."""
    return step.operator.scores and hasattr(step.operator, "target") and step.learn_on is None


def _origin(bound: BoundCase, concept: str) -> str:
    """Names the source concept whose rows a concept has, or the concept itself."""
    own = [r.concept for r in bound.concept(concept).reaches if not r.relation]
    return own[0] if own else concept
