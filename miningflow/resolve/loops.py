"""Loops: `for_each` repeats a step over features, each turn on the output of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from miningflow.declare.concept import Concept
from miningflow.declare.operator import Operator
from miningflow.read.case import StepText
from miningflow.read.nodes import Fields, Items, Node, Scalar
from miningflow.resolve.patterns import expand, is_pattern
from miningflow.resolve.step_nodes import Scope


@dataclass(frozen=True)
class Turn:
    """One turn of a loop: the parameters it sets, and the feature it is about."""

    parameters: dict[str, tuple[Scalar, Node]]
    feature: str
    label: str
    """Tells the turn from the others of its loop."""


def turns(step: StepText, operator: type[Operator], concept: Concept, scope: Scope) -> list[Turn]:
    """Gives the turns of a step's loop; parameters of the turn fill {name} in the others."""
    assert step.for_each is not None
    found = list(_settings(step.for_each, step, operator, concept, scope))
    if not found:
        scope.wrong("'for_each' has nothing to repeat over", step.for_each.place)
    labels: set[str] = set()
    made = []
    for i, setting in enumerate(found):
        turn = _turn(step, setting, operator, i + 1)
        if turn.label in labels:  # two turns may be about one feature and make two of it
            turn = replace(turn, label=f"{turn.label} {i + 1}")
        labels.add(turn.label)
        made.append(turn)
    return made


def _settings(
    node: Node, step: StepText, operator: type[Operator], concept: Concept, scope: Scope
) -> Iterator[dict[str, tuple[Scalar, Scalar]]]:
    if isinstance(node, Items):
        for item in node.items:
            if not isinstance(item, Fields):
                scope.wrong("each item of 'for_each' is a small map of parameters", item.place)
            yield {key.text: (key, _single(value, scope)) for key, value in item}
        return
    if not isinstance(node, Fields) or len(node.entries) != 1:
        scope.wrong(
            "'for_each' takes one parameter with a list, or a list of small maps",
            node.place,
            "for example {target: [age, income]} or [{target: age, output: age_2}, …]",
        )
    key, values = next(iter(node))
    types = next((p.types for p in operator.parameters() if p.name == key.text), ())
    seen: set[str] = set()
    for value in values.items if isinstance(values, Items) else (values,):
        scalar = _single(value, scope)
        if is_pattern(scalar.text, concept):
            features, problem = expand(scalar.text, concept, types, ())
            if problem:
                scope.wrong(problem, scalar.place)
            names = [f.name for f in features]
        else:
            names = [scalar.text]
        for name in names:
            if name in seen and not is_pattern(scalar.text, concept):
                scope.wrong(f"'for_each' names {name!r} twice", scalar.place)
            if name in seen:
                continue
            seen.add(name)
            yield {key.text: (key, Scalar(name, "text", scalar.place))}


def _single(node: Node, scope: Scope) -> Scalar:
    if not isinstance(node, Scalar):
        scope.wrong("'for_each' takes single values", node.place)
    return node


def _turn(
    step: StepText,
    setting: dict[str, tuple[Scalar, Scalar]],
    operator: type[Operator],
    number: int,
) -> Turn:
    words = {name: value.text for name, (_, value) in setting.items()}
    parameters: dict[str, tuple[Scalar, Node]] = {
        name: (key, _filled(node, words)) for name, (key, node) in step.parameters.items()
    }
    parameters.update(setting)
    kinds = {p.name: p.kind for p in operator.parameters()}
    feature = next((text for name, text in words.items() if kinds.get(name) == "feature"), "")
    return Turn(parameters, feature, feature or str(number))


def _filled(node: Node, words: dict[str, str]) -> Node:
    """Fills {parameter} in texts of the step with the value of this turn."""
    if isinstance(node, Scalar) and "{" in node.text:
        text = node.text
        for name, value in words.items():
            text = text.replace("{" + name + "}", value)
        return Scalar(text, node.kind, node.place)
    return node
