"""The examples of all operators as steps of one case, which one run builds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.catalog import installed
from support.example_case import OPERATORS, ExampleCase, example_of

Changed = tuple[str, dict[str, Any]]


def catalogue(further: Mapping[str, Changed]) -> ExampleCase:
    """Returns a case with a step named after each operator, and further ones by their names."""
    steps: dict[str, dict[str, Any]] = {}
    for example in map(example_of, OPERATORS):
        steps |= {name: body for name, body in example.steps.items() if name != example.step}
        steps[example.operator.__name__] = example.body
    for name, (operator, changes) in further.items():
        steps[name] = example_of(installed()[operator], changes).body
    whole = example_of(OPERATORS[0])
    whole.steps = steps
    return whole
