"""Loops: `for_each` repeats a step over features, each turn on the output of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from miningflow.declare.concept import Concept
from miningflow.declare.kinds.binding import Scope
from miningflow.declare.kinds.features import FeatureName, NamesFeatures, NewFeature
from miningflow.declare.operator import Operator
from miningflow.declare.patterns import PatternError, expand, is_pattern
from miningflow.nodes import Fields, Items, Node, Scalar
from miningflow.read.case import StepText

MOST_TURNS = 2000


@dataclass(frozen=True)
class Turn:
    """One turn of a loop: the parameters it sets, and the feature it is about."""

    parameters: dict[str, tuple[Scalar, Node]]
    feature: str
    label: str
    """Distinguishes the turn from the others of its loop in the store, which keeps old names."""
    shown: str
    """What people call the turn: the feature it is about, or else the one it makes."""


def turns(step: StepText, operator: type[Operator], concept: Concept, scope: Scope) -> list[Turn]:
    """Returns the turns of a step's loop; parameters of the turn fill {name} in the others."""
    assert step.for_each is not None
    found = list(_settings(step.for_each, step, operator, concept, scope))
    if not found:
        scope.wrong("'for_each' has nothing to repeat over", step.for_each.place)
    if len(found) > MOST_TURNS:
        scope.wrong(
            f"'for_each' has at most {MOST_TURNS} turns, got {len(found)}",
            step.for_each.place,
            "each turn is a step on all features of the one before: repeat over fewer",
        )
    labels: set[str] = set()
    made = []
    for i, setting in enumerate(found):
        turn = _turn(step, setting, operator, i + 1)
        if turn.label in labels:  # two turns may be about one feature and make two of it
            turn = replace(turn, label=f"{turn.label} {i + 1}")
        labels.add(turn.label)
        made.append(turn)
    return _with_shown_names(made, operator)


def _with_shown_names(made: list[Turn], operator: type[Operator]) -> list[Turn]:
    """Names the turns for people: by feature or by output, whichever tells all of them apart."""
    new = [p.name for p in operator.parameters() if isinstance(p.kind, NewFeature)]
    outputs = [_output(turn, new) for turn in made]
    for names in ([turn.feature for turn in made], outputs):
        if all(names) and len(set(names)) == len(names):
            return [replace(turn, shown=name) for turn, name in zip(made, names, strict=True)]
    return [replace(turn, shown=turn.label) for turn in made]


def _output(turn: Turn, new: list[str]) -> str:
    nodes = [turn.parameters[name][1] for name in new if name in turn.parameters]
    return next((node.text for node in nodes if isinstance(node, Scalar)), "")


def _settings(
    node: Node, step: StepText, operator: type[Operator], concept: Concept, scope: Scope
) -> Iterator[dict[str, tuple[Scalar, Scalar]]]:
    if isinstance(node, Items):
        for item in node.items:
            if not isinstance(item, Fields):
                scope.wrong("each item of 'for_each' must be a map of parameters", item.place)
            yield {key.text: (key, _single(value, scope)) for key, value in item}
        return
    if not isinstance(node, Fields) or len(node.entries) != 1:
        scope.wrong(
            "'for_each' takes one parameter with a list, or a list of maps",
            node.place,
            "for example {target: [age, income]} or [{target: age, output: age_2}, …]",
        )
    key, values = next(iter(node))
    kind = next((p.kind for p in operator.parameters() if p.name == key.text), None)
    types = kind.types if isinstance(kind, NamesFeatures) else ()
    seen: set[str] = set()
    for value in values.items if isinstance(values, Items) else (values,):
        scalar = _single(value, scope)
        if is_pattern(scalar.text, concept):
            try:
                names = [f.name for f in expand(scalar.text, concept, types, ())]
            except PatternError as error:
                scope.wrong(error.message, scalar.place, error.hint)
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
    single = {p.name for p in operator.parameters() if isinstance(p.kind, FeatureName)}
    feature = next((text for name, text in words.items() if name in single), "")
    label = feature or str(number)
    return Turn(parameters, feature, label, label)


def _filled(node: Node, words: dict[str, str]) -> Node:
    """Fills {parameter} in texts of the step with the value of this turn."""
    if isinstance(node, Scalar) and "{" in node.text:
        text = node.text
        for name, value in words.items():
            text = text.replace("{" + name + "}", value)
        return Scalar(text, node.kind, node.place)
    return node
