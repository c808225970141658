"""Estimates for a whole case: from statistics of its sources, step by step, without running."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from miningflow.declare.concept_statistics import ConceptStatistics
from miningflow.declare.construction import FeatureConstruction
from miningflow.declare.estimates import Amount, ConceptEstimate, carried, of_statistics
from miningflow.declare.selection import FeatureSelection
from miningflow.resolve import BoundCase, BoundStep


def estimate_case(
    bound: BoundCase, sources: Mapping[str, ConceptStatistics]
) -> dict[str, ConceptEstimate]:
    """Estimates every step whose sources are known."""
    found = {name: of_statistics(statistics) for name, statistics in sources.items()}
    for step in bound.steps.values():
        inputs = {name: found[name] for name in step.inputs if name in found}
        if len(inputs) < len(step.inputs):
            continue
        made = step.operator.estimated(inputs, step.output)
        if step.within:
            made = _in_segments(step, inputs[step.inputs[0]], made)
        # every feature of the outline, in its order, never more NULLs or values than rows
        known = carried(made.rows, [made], step.output)
        first = inputs[step.inputs[0]]
        if step.loop_over is not None and first.feature(step.loop_over).may_go:
            new = set(step.output.features) - set(first.features)
            features = {
                name: replace(f, may_go=f.may_go or name in new)
                for name, f in known.features.items()
            }
            known = replace(known, features=features)
        found[step.name] = known
    return found


_ROW_BY_ROW = ("construction", "selection", "learning", "segmentation")


def _in_segments(step: BoundStep, first: ConceptEstimate, made: ConceptEstimate) -> ConceptEstimate:
    """Returns what is certain of a step that runs once for each segment.

    How many segments there are shows only when it runs, so that is not much: not how many rows are
    chosen in all, not what a feature becomes that each segment makes otherwise, and not whether one
    that a selection may drop is NULL in some of them.
    """
    operator = step.operator
    if operator.family in _ROW_BY_ROW:
        if isinstance(operator, FeatureSelection):
            return made.without_knowledge(f.name for f in operator.candidates())
        if isinstance(operator, FeatureConstruction) and operator.learns is not None:
            return made.without_knowledge([operator.constructed()])
        return made
    high = first.rows.high if step.operator.family == "rows" else None
    rows = Amount(None, 0.0, high)
    return carried(rows, [made], step.output).without_knowledge(step.output.features)
