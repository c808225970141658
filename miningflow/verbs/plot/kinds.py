"""Which plots a step has, as far as its declaration tells."""

from __future__ import annotations

from typing import Any

from miningflow.declare.selection import FeatureSelection
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.evaluated_models import evaluated_model

SEARCH = "search"


def kinds_of(bound: BoundCase, step: BoundStep) -> tuple[str, ...]:
    """Returns the plots of a step, in the order in which they are drawn."""
    operator: Any = step.operator
    if isinstance(operator, FeatureSelection):
        return (SEARCH,) if operator.learns is not None else ()
    if operator.family == "evaluation" and hasattr(operator, "actual"):
        if operator.actual.type == "numeric":
            return ("errors",)
        curves = operator.positive is not None and operator.decision is not None
        ranked = ("roc", "precision_recall") if curves else ()
        calibrated = ("calibration",) if probability_of(bound, step) else ()
        return (*ranked, *calibrated, "confusion")
    return ("scores",) if score_of(step) else ()


def probability_of(bound: BoundCase, step: BoundStep) -> str | None:
    """Returns the feature with the probability of the class that an evaluation calls positive."""
    operator: Any = step.operator
    model = evaluated_model(bound, step)
    if operator.positive is None or model is None:
        return None
    made: Any = bound.steps[model].operator
    name = getattr(made, "probability", None)
    if name is None:
        return None
    if getattr(made, "positive", None) == operator.positive:
        return str(name)
    own = f"{name}_{operator.positive}"
    return own if own in made.prediction_features() else None


def score_of(step: BoundStep) -> str | None:
    """Returns the number that a model gives each row."""
    for name in step.operator.prediction_features():
        feature = step.output.features.get(name)
        if feature is not None and feature.type == "numeric":
            return name
    return None
