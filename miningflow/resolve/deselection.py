"""Deselection in a bound step: what is left of its parameters, and of its output.

The four rules themselves are those of the kinds of parameters (`declare/kinds/kind.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from miningflow.declare.kinds.reduction import Reduction
from miningflow.declare.operator import Notes, Operator
from miningflow.declare.parameters import Parameter
from miningflow.declare.presence import Deselection, Presence
from miningflow.errors import Diagnostic
from miningflow.resolve.bound import BoundStep


def reduce(
    step: BoundStep, presences: Mapping[str, Presence], diagnostics: list[Diagnostic]
) -> Operator:
    """Applies the four rules to the parameters of a step, and notes what they forbid."""
    if not any(presences[name].deselected for name in step.inputs):
        return step.operator
    values = {
        p.name: reduce_parameter(step, p, presences, diagnostics)
        for p in step.operator.parameters()
    }
    return replace(step.operator, **values)


def reduce_parameter(
    step: BoundStep,
    parameter: Parameter,
    presences: Mapping[str, Presence],
    diagnostics: list[Diagnostic],
) -> Any:
    """Applies the rules to one parameter of a step, and returns what is left of its value."""
    values = vars(step.operator)
    value = values[parameter.name]
    if value is None:
        return None
    reduction = Reduction(
        step=step.shown_name,
        parameter=parameter.name,
        obligatory=parameter.obligatory,
        default=parameter.default,
        values=values,
        presences=presences,
        place=step.place(parameter.name),
        diagnostics=diagnostics,
    )
    return parameter.kind.reduce(value, reduction)


def derive(
    step: BoundStep,
    operator: Operator,
    dropped: Mapping[str, str],
    presences: Mapping[str, Presence],
) -> Presence:
    """Derives which features of the output are present; `dropped` has the reasons for each."""
    concepts = [presences[name] for name in step.inputs]
    if not dropped and not any(p.deselected for p in concepts):
        return Presence.whole(step.output)
    present = operator.outline(Notes()).features
    kept = [name for name in step.output.features if name in present and name not in dropped]
    deselected: dict[str, Deselection] = {}
    for name in step.output.features:
        if name in dropped:
            deselected[name] = Deselection(step.name, dropped[name])
        elif name not in present:
            deselected[name] = _inherited(name, concepts)
    return Presence(step.output.only(kept), deselected)


def pass_through(step: BoundStep, presences: Mapping[str, Presence]) -> Presence:
    """Derives the output of a turn of a loop that is left out: its input, and nothing made."""
    source = presences[step.inputs[0]]
    deselected = dict(source.deselected)
    for name in step.output.features:
        if name not in source.concept.features and name not in deselected:
            cause = source.deselected[step.loop_over or ""]
            deselected[name] = replace(
                cause, reason=f"made from {step.loop_over!r}, which was deselected"
            )
    kept = [name for name in step.output.features if name in source.concept.features]
    return Presence(replace(source.concept, name=step.name).only(kept), deselected)


def _inherited(name: str, concepts: list[Presence]) -> Deselection:
    for presence in concepts:
        if name in presence.deselected:
            return presence.deselected[name]
    for presence in concepts:
        for feature, cause in presence.deselected.items():
            return replace(cause, reason=f"made from {feature!r}, which was deselected")
    raise AssertionError(f"feature {name!r} vanished without a deselection")
