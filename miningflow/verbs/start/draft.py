"""A case as it is drafted from data: plain data, before it is written as YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from miningflow.inspect.finding import Finding
from miningflow.inspect.looking import Inspected
from miningflow.inspect.relations import Relation


@dataclass(frozen=True)
class DraftConcept:
    """A concept: the table that it comes from, and its features."""

    name: str
    inspected: Inspected
    features: dict[str, Finding]
    """Name of the feature → what was inferred about its column."""
    left_out: tuple[Finding, ...]
    """Columns that cannot be features."""
    key: str | None
    numbered: bool
    """Whether the key is the number of the row."""

    @property
    def columns(self) -> dict[str, str]:
        """Returns the columns of features that are named differently."""
        return {f: each.column for f, each in self.features.items() if f != each.column}

    def feature_of(self, column: str) -> str:
        """Returns the feature of a column."""
        return next(name for name, each in self.features.items() if each.column == column)


@dataclass(frozen=True)
class DraftStep:
    """A step, with the reason for it."""

    name: str
    why: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A whole case."""

    name: str
    concepts: dict[str, DraftConcept]
    relations: tuple[Relation, ...]
    main: str | None
    """The concept that has a holdout."""
    steps: tuple[DraftStep, ...] = ()
    about: str = ""
    target: str | None = None
    notes: tuple[str, ...] = ()
    read_as: dict[tuple[str, str], str] = field(default_factory=dict)
    """Concept and feature of a key → the type that it is read as, to meet another."""
