"""Operators as text: the reference that the docs, the command line and the schema share."""

from __future__ import annotations

import inspect
import json
from typing import Any

from miningflow.catalog import Catalog
from miningflow.declare.operator import Operator
from miningflow.declare.parameters import Parameter

KINDS = {
    "concept": "a concept",
    "concepts": "a list of concepts",
    "relation": "a relation",
    "path": "a list of relations",
    "feature": "a feature",
    "features": "a list of features or patterns",
    "new_feature": "the name of a feature to make",
    "integer": "a whole number",
    "number": "a number",
    "interval": "[low, high]",
    "intervals": "a map of labels to intervals such as '[0, 18)'",
    "cuts": "a list of increasing numbers",
    "weights": "a list of numbers that add up to 1",
    "boolean": "true or false",
    "choice": "a word",
    "literal": "a value",
    "literals": "a list of values",
    "literal_map": "a map of values",
    "counts": "a map of values to whole numbers",
    "value_groups": "a map of labels to lists of values",
    "expression": "a SQL expression",
    "condition": "a SQL condition",
    "conditions": "a list of {feature, operator, value}",
    "aggregates": "a map of new features to aggregates",
    "rename": "a map of Concept.feature to a new name",
    "ends": "a list of Concept.feature",
    "collected": "a list of Concept.feature, or a map to new names",
    "feature_values": "a map of features to lists of values",
    "export_path": "a path such as scores.csv",
    "feature_labels": "a list of features or patterns, or a map of features to labels",
}
_LISTS = (
    "features",
    "concepts",
    "path",
    "literals",
    "aggregates",
    "cuts",
    "collected",
    "feature_labels",
    "weights",
)


def describe_parameter(parameter: Parameter) -> dict[str, Any]:
    """Gives a parameter as plain data."""
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "text": parameter.text,
        "obligatory": parameter.obligatory,
        "default": None if parameter.obligatory else parameter.default,
        "takes": takes(parameter),
    }


def takes(parameter: Parameter) -> str:
    """Says in words what a parameter takes."""
    words = KINDS[parameter.kind]
    if parameter.choices:
        words = " or ".join(f"`{c}`" for c in parameter.choices)
    if parameter.fits:
        words += f" that `{parameter.fits}` can have"
    if parameter.types:
        words += f" ({', '.join(parameter.types)})"
    if parameter.kind in _LISTS and parameter.minimum:
        words += f", at least {parameter.minimum:g}"
    elif parameter.kind in ("integer", "number"):
        low = f"from {parameter.minimum:g}" if parameter.minimum is not None else ""
        high = f"to {parameter.maximum:g}" if parameter.maximum is not None else ""
        words += f" {low} {high}".rstrip()
    return words


def describe_operator(cls: type[Operator]) -> dict[str, Any]:
    """Gives an operator as plain data."""
    return {
        "name": cls.__name__,
        "family": cls.family,
        "text": cls.doc(),
        "learns": cls.learns is not None,
        "builds": cls.builds,
        "version": cls.version,
        "parameters": [describe_parameter(p) for p in cls.parameters()],
        "example": example_of(cls),
    }


def example_of(cls: type[Operator]) -> str:
    """Gives the example step of an operator."""
    return inspect.cleandoc(cls.example)


def operator_markdown(cls: type[Operator]) -> str:
    """Writes the reference entry of one operator."""
    lines = [f"## {cls.__name__}", "", cls.doc(), ""]
    facts = [f"family: {cls.family}", f"built as a {cls.builds}"]
    facts.append("learns from data" if cls.learns is not None else "learns nothing")
    lines += [
        f"*{'; '.join(facts)}*",
        "",
        "| parameter | takes | default | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for parameter in cls.parameters():
        default = "**must be given**" if parameter.obligatory else _default(parameter.default)
        cells = [f"`{parameter.name}`", takes(parameter), default, parameter.text]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return "\n".join([*lines, "", "```yaml", example_of(cls), "```", ""])


def reference_markdown(catalog: Catalog) -> str:
    """Writes the whole operator reference."""
    head = (
        "# Operator reference\n\nGenerated from the declarations by `make docs`; do not edit.\n\n"
        "Every step may also say `about`, `materialize: view | table`, `for_each`, and, if its "
        "operator learns, `learn_on`: see the [case language](case_language.md).\n"
    )
    families: dict[str, list[type[Operator]]] = {}
    for cls in catalog.values():
        families.setdefault(cls.family, []).append(cls)
    index = [
        f"- **{family}**: " + ", ".join(f"[{c.__name__}](#{c.__name__.lower()})" for c in members)
        for family, members in families.items()
    ]
    entries = [operator_markdown(c) for members in families.values() for c in members]
    return "\n".join([head, *index, "", *entries])


def _default(value: Any) -> str:
    if value is None:
        return "–"
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"
