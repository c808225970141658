"""Recipes: all that the result of a step depends on, and the fingerprint made from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from miningflow.declare.typed_data import plain_data, typed

# Raised when the compiler would turn the same recipe into other SQL.
COMPILER = 1


@dataclass(frozen=True)
class SourceVersion:
    """Which state of a file or table a source concept stands for."""

    location: str
    marker: str
    loaded: bool = True
    """Whether its rows are copied into the store, as those of files are."""
    given: str | None = None
    """What was given in place of what the connection names: a frame, a file or a table."""
    kept_from: int | None = None
    """The run that was given its rows, which only the store has now."""


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
        """Returns the same text for the same recipe, and another for any other."""
        return fingerprint_of(self.as_json())

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
    run: int = 0
    """The run that built it."""

    @property
    def step(self) -> str:
        """Returns the name of the source or step."""
        return self.recipe.name


def recipe_from_json(text: str) -> Recipe:
    """Reads a recipe back; raises UnfitDataError if the text is none."""
    recipe: Recipe = typed(Recipe, plain_data(text))
    return recipe


def fingerprint_of(recipe: str) -> str:
    """Returns the fingerprint of the text of a recipe."""
    return hashlib.blake2b(recipe.encode(), digest_size=12).hexdigest()
