"""Recipes: all that the result of a step depends on, and the fingerprint made from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

# Raised when the compiler would turn the same recipe into other SQL.
COMPILER = 1


@dataclass(frozen=True)
class SourceVersion:
    """Which state of a file or table a source concept stands for."""

    location: str
    marker: str
    loaded: bool = True
    """Whether its rows are copied into the store, as those of files are."""


@dataclass(frozen=True)
class Recipe:
    """What a step is made of: operator, parameters, inputs by fingerprint, source data."""

    name: str
    operator: str
    version: int
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    source: str = ""
    builds: str = "view"
    compiler: int = COMPILER

    @cached_property
    def fingerprint(self) -> str:
        """Gives the same text for the same recipe, and another for any other."""
        return hashlib.blake2b(self.as_json().encode(), digest_size=12).hexdigest()

    def as_json(self) -> str:
        """Writes the recipe for the repository."""
        parts = {f.name: getattr(self, f.name) for f in fields(self)}
        return json.dumps(parts, sort_keys=True, ensure_ascii=False, default=dict)


@dataclass(frozen=True)
class Built:
    """What the repository knows of a step that was built."""

    fingerprint: str
    recipe: Recipe
    published: bool
    usable: bool = True
    """Whether its result, and all that this reads, is in the store."""


def recipe_from_json(text: str) -> Recipe:
    """Reads a recipe back."""
    return Recipe(**json.loads(text))


def difference(old: Recipe, new: Recipe) -> str:
    """Says in words why a new recipe is not the old one."""
    if old.operator != new.operator:
        return f"operator changed: {old.operator} → {new.operator}"
    if old.source != new.source:
        return "its data changed"
    if old.parameters != new.parameters:
        return _parameters(old.parameters, new.parameters)
    if set(old.inputs) != set(new.inputs):
        return "its inputs are others"
    changed = [name for name, mark in new.inputs.items() if old.inputs[name] != mark]
    if changed:
        return f"{', '.join(repr(n) for n in changed)} changed"
    if old.version != new.version:
        return f"operator {new.operator} has a new version"
    if old.builds != new.builds:
        return f"built as {new.builds} instead of {old.builds}"
    return "compiled by another version of MiningFlow"


def _parameters(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    names = [n for n in {**old, **new} if old.get(n) != new.get(n)]
    shown = [f"{n}: {_short(old.get(n))} → {_short(new.get(n))}" for n in names[:3]]
    return "changed " + "; ".join(shown) + (" …" if len(names) > 3 else "")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "…"
