"""Reduction of one parameter: what earlier selections dropped of the concepts that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.declare.concept import Concept
from miningflow.declare.presence import Deselection, Presence
from miningflow.errors import Diagnostic, Place

FeatureOf = tuple[str, str]
"""The name of a concept and of one of its features."""


@dataclass(frozen=True)
class Reduction:
    """One parameter of a step, while deselected features are taken out of its value."""

    step: str
    parameter: str
    obligatory: bool
    default: Any
    values: Mapping[str, Any]
    """All parameters of the step."""
    presences: Mapping[str, Presence]
    place: Place
    diagnostics: list[Diagnostic]

    def present(self, concept: Concept) -> Concept:
        """Returns a concept without the features that it lost."""
        return self.presences[concept.name].concept

    def cause(self, feature: FeatureOf) -> Deselection | None:
        """Returns what dropped a feature, if it is gone."""
        return self.presences[feature[0]].deselected.get(feature[1])

    def refuse(self, feature: str, cause: Deselection) -> None:
        """Notes that the parameter needs a feature that is gone."""
        self._error(
            f"obligatory parameter '{self.parameter}' (feature '{feature}') "
            f"was deselected in step '{cause.step}'",
            f"because: {cause.reason}; remove '{feature}' from the attributes of '{cause.step}', "
            f"or do not use it in '{self.step}'",
        )

    def too_few(self, gone: Mapping[str, Deselection], left: int, minimum: int) -> None:
        """Notes that less is left than the parameter needs."""
        dropped = ", ".join(f"'{name}' (in step '{cause.step}')" for name, cause in gone.items())
        self._error(
            f"obligatory parameter '{self.parameter}' needs at least {minimum}, "
            f"and {left} are left: deselected were {dropped}",
            f"give '{self.parameter}' more features, or let the selection keep some of these",
        )

    def _error(self, message: str, hint: str) -> None:
        self.diagnostics.append(Diagnostic(message, self.place, hint))
