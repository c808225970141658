"""Presence: which features of a concept still have a column, and who dropped the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from miningflow.declare.concept import Concept


@dataclass(frozen=True)
class Deselection:
    """A feature is gone: since which step, and why."""

    step: str
    reason: str


@dataclass(frozen=True)
class Presence:
    """A concept on the relational level: features that have a column, and those that lost it."""

    concept: Concept
    deselected: Mapping[str, Deselection]
    partly: Mapping[str, Mapping[str, Deselection]] = field(default_factory=dict)
    """Features that only some segments lost, which are NULL there: feature → segment → why."""

    @staticmethod
    def whole(concept: Concept) -> Presence:
        """Returns the presence of a concept of which nothing is deselected."""
        return Presence(concept, {})
