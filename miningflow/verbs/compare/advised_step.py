"""The advice of a comparison as a complete step, ready to be put into the case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from miningflow.declare.concept import Feature
from miningflow.declare.operator import Operator
from miningflow.export.yaml_text import yaml_scalar
from miningflow.learn.selection.contestant import Contestant
from miningflow.nodes import Items, Scalar
from miningflow.read.case import Case
from miningflow.resolve import BoundStep


def advised_step(
    case: Case,
    step: BoundStep,
    operator: type[Operator],
    contestant: Contestant,
    attributes: Sequence[str],
    keep: int,
    classes: Sequence[str],
) -> str:
    """Returns the step that was compared, with the operator that was advised instead."""
    known = {parameter.name: parameter for parameter in operator.parameters()}
    given: dict[str, Any] = {"operator": operator.__name__}
    written = case.steps[step.written_name]
    if written.implied_input is None:
        given["input"] = step.inputs[0]
    given["target"] = _name(step.operator, "target")
    positive = getattr(step.operator, "positive", None)
    if positive is None and "positive" in known and known["positive"].obligatory:
        positive = classes[-1]
    if positive is not None:
        given["positive"] = positive
    given["attributes"] = _attributes(case, step, attributes)
    nulls = getattr(step.operator, "nulls", None)
    if "nulls" in known and nulls not in (None, known["nulls"].default):
        given["nulls"] = nulls
    given |= dict(contestant.settings)
    if "keep" in known:
        given["keep"] = keep
    if step.learn_on is not None:
        given["learn_on"] = step.learn_on
    return _written(step.written_name, given)


def _name(operator: Operator, parameter: str) -> str:
    feature: Feature = getattr(operator, parameter)
    return feature.name


def _attributes(case: Case, step: BoundStep, attributes: Sequence[str]) -> list[str]:
    """Returns the attributes as the case writes them, perhaps as patterns, if all are meant."""
    meant: tuple[Feature, ...] = step.operator.attributes  # type: ignore[attr-defined]
    _, node = case.steps[step.written_name].parameters["attributes"]
    names = node.items if isinstance(node, Items) else (node,)
    if step.loop is None and {f.name for f in meant} == set(attributes):
        return [name.text for name in names if isinstance(name, Scalar)]
    return list(attributes)


def _written(name: str, given: Mapping[str, Any]) -> str:
    lines = [f"{yaml_scalar(name)}:"]
    for key, value in given.items():
        shown = _listed(value) if isinstance(value, list) else yaml_scalar(value)
        lines.append(f"  {key}: {shown}")
    return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(yaml_scalar(name) for name in names)}]"
