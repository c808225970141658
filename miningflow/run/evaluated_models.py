"""From an evaluation to the model that it is about, and how many rows that learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miningflow.declare.concept import Feature, Segmentation
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import artifacts_of
from miningflow.resolve import BoundCase, BoundStep

HELD_OUT = "held out"
LEARNED_FROM = "learned_from"


def evaluated_model(bound: BoundCase, step: BoundStep) -> str | None:
    """Returns the step that made the prediction which a step evaluates, if a step did."""
    predicted: Feature | None = getattr(step.operator, "predicted", None)
    if predicted is None:
        return None
    before = list(step.inputs)
    while before:
        made = bound.steps.get(before.pop(0))
        if made is None:
            continue
        if predicted.name in made.operator.prediction_features():
            return made.name
        before += made.inputs
    return None


def group_feature(operator: Operator) -> str | None:
    """Names the feature by whose values an evaluation is divided, if it is."""
    by: Feature | None = getattr(operator, "by", None) if operator.reports else None
    return None if by is None else by.name


def with_learned_rows(
    rows: list[dict[str, Any]], segmentations: Sequence[Segmentation], learned: Any
) -> list[dict[str, Any]]:
    """Adds to the rows that are not held out how many rows the model learned from."""
    by_segment = {
        segment.labels: found.rows
        for segment, found in artifacts_of(learned)
        if hasattr(found, "rows")
    }
    if not segmentations and by_segment:
        by_segment[()] = sum(by_segment.values())
    found: list[dict[str, Any]] = []
    for row in rows:
        labels = tuple((s.feature, row[s.feature]) for s in segmentations)
        counted = row.get("part") != HELD_OUT and labels in by_segment
        found.append({**row, LEARNED_FROM: by_segment[labels]} if counted else row)
    return found
