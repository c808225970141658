"""Keywords of steps are resolved, and known to the JSON Schema."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import miningflow.resolve
from miningflow.catalog import Catalog, installed
from miningflow.describe.schema import case_schema
from miningflow.read.case import StepText
from miningflow.read.steps import STEP_WORDS

RESOLVE = Path(miningflow.resolve.__file__).parent
NOT_RESOLVED = {"chain"}  # for pictures of the case only


def test_every_field_of_a_step_is_used() -> None:
    used = {
        node.attr
        for path in RESOLVE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert {field.name for field in fields(StepText)} - used <= NOT_RESOLVED


def test_the_schema_knows_every_keyword() -> None:
    operator = next(iter(installed().values()))
    (branch,) = _branches(case_schema(Catalog([operator])), operator.__name__)
    assert set(STEP_WORDS) <= set(branch["properties"])


def _branches(node: Any, operator: str) -> Iterator[dict[str, Any]]:
    """Returns the schemas of the steps of an operator, wherever they are."""
    if isinstance(node, dict):
        named = node.get("properties", {}).get("operator", {})
        if operator in named.get("enum", [named.get("const")]) and "additionalProperties" in node:
            yield node
        for inner in node.values():
            yield from _branches(inner, operator)
    if isinstance(node, list):
        for inner in node:
            yield from _branches(inner, operator)
