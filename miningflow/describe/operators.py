"""Operators as text: the reference that the docs, the command line and the schema share."""

from __future__ import annotations

import inspect
import json
from typing import Any

from miningflow.catalog import Catalog
from miningflow.declare.operator import Operator
from miningflow.declare.parameters import Parameter


def describe_parameter(parameter: Parameter) -> dict[str, Any]:
    """Returns a parameter as plain data."""
    return {
        "name": parameter.name,
        "kind": parameter.kind.word,
        "text": parameter.text,
        "obligatory": parameter.obligatory,
        "default": None if parameter.obligatory else parameter.default,
        "takes": parameter.kind.takes(),
    }


def describe_operator(cls: type[Operator]) -> dict[str, Any]:
    """Returns an operator as plain data."""
    return {
        "name": cls.__name__,
        "alias": cls.alias or None,
        "family": cls.family,
        "text": cls.doc(),
        "learns": cls.learns is not None,
        "builds": cls.builds,
        "version": cls.version,
        "parameters": [describe_parameter(p) for p in cls.parameters()],
        "example": example_of(cls),
    }


def example_of(cls: type[Operator]) -> str:
    """Returns the example step of an operator."""
    return inspect.cleandoc(cls.example)


def operator_markdown(cls: type[Operator]) -> str:
    """Writes the reference entry of one operator."""
    lines = [f"## {cls.__name__}", "", cls.doc(), ""]
    facts = [f"short name: `{cls.alias}`"] if cls.alias else []
    facts += [f"family: {cls.family}", f"built as a {cls.builds}"]
    facts.append("learns from data" if cls.learns is not None else "learns nothing")
    lines += [
        f"*{'; '.join(facts)}*",
        "",
        "| parameter | takes | default | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for parameter in cls.parameters():
        default = "**must be given**" if parameter.obligatory else _default(parameter.default)
        cells = [f"`{parameter.name}`", parameter.kind.takes(), default, parameter.text]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return "\n".join([*lines, "", "```yaml", example_of(cls), "```", ""])


def reference_markdown(catalog: Catalog) -> str:
    """Writes the whole operator reference."""
    head = (
        "# Operator reference\n\nGenerated from the declarations by `make docs`; do not edit.\n\n"
        "Every step may also say `about`, `materialize: view | table`, `for_each`, and, if its "
        "operator learns, `learn_on`: see the [case language](case_language.md).\n\n"
        "A step may write the short name of an operator instead. Everything that MiningFlow shows "
        "and stores has the\nfull name, so nothing runs again when you change the spelling. "
        "`miningflow operators rare` finds operators by what\nthey do.\n"
    )
    families: dict[str, list[type[Operator]]] = {}
    for cls in catalog.values():
        families.setdefault(cls.family, []).append(cls)
    index = ["| family | operator | short name | what it does |", "| --- | --- | --- | --- |"]
    index += [_index_row(cls) for members in families.values() for cls in members]
    entries = [operator_markdown(c) for members in families.values() for c in members]
    return "\n".join([head, *index, "", *entries])


def _index_row(cls: type[Operator]) -> str:
    short = f"`{cls.alias}`" if cls.alias else ""
    name = f"[{cls.__name__}](#{cls.__name__.lower()})"
    cells = [cls.family, name, short, cls.purpose()]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(value: Any) -> str:
    if value is None:
        return "–"
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"
