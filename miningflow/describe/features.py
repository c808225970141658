"""For each feature and step: present, deselected (by which step, why), or never there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from miningflow.compile import Compiled
from miningflow.declare.presence import Deselection
from miningflow.html.page import FrameHtml
from miningflow.resolve import BoundCase

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["present", "partly deselected", "deselected", "never there", "not known yet"]


@dataclass(frozen=True)
class FeatureStatus:
    """What became of one feature at one step."""

    concept: str
    feature: str
    type: str
    status: Status
    by_step: str = ""
    reason: str = ""


@dataclass(frozen=True)
class FeatureTable(FrameHtml):
    """The status of every feature at every concept, in running order."""

    case: str
    concepts: tuple[str, ...]
    features: tuple[str, ...]
    cells: dict[tuple[str, str], FeatureStatus]

    def of(self, concept: str) -> list[FeatureStatus]:
        """Returns the features that a concept conceptually has."""
        found = [self.cells[concept, name] for name in self.features]
        return [cell for cell in found if cell.status != "never there"]

    def part(self, concepts: Sequence[str], features: Sequence[str]) -> FeatureTable:
        """Returns the table of some concepts and features only."""
        cells = {(c, f): self.cells[c, f] for c in concepts for f in features}
        return FeatureTable(self.case, tuple(concepts), tuple(features), cells)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each concept and feature: its status, by which step, and why."""
        import pandas as pd

        columns = ["concept", "feature", "type", "status", "by_step", "reason"]
        return pd.DataFrame(self.as_json(), columns=columns)

    def as_json(self) -> list[dict[str, Any]]:
        """Returns the table as plain data for programs."""
        return [
            {
                "concept": c.concept,
                "feature": c.feature,
                "type": c.type,
                "status": c.status,
                "by_step": c.by_step,
                "reason": c.reason,
            }
            for c in self.cells.values()
        ]


def feature_table(bound: BoundCase, compiled: Compiled) -> FeatureTable:
    """Builds the table from the bound case and what is compiled of it."""
    concepts = [*bound.sources, *(s.name for s in bound.steps.values() if not s.hidden)]
    features = list(dict.fromkeys(f for name in concepts for f in bound.concept(name).features))
    cells: dict[tuple[str, str], FeatureStatus] = {}
    for name in concepts:
        known = bound.concept(name).features
        piece = compiled.pieces.get(name)
        for feature in features:
            cell = FeatureStatus(name, feature, "", "never there")
            if feature in known:
                kind = known[feature].type
                cause = piece.presence.deselected.get(feature) if piece else None
                if piece is None:
                    cell = FeatureStatus(name, feature, kind, "not known yet")
                elif cause is not None:
                    cell = FeatureStatus(
                        name, feature, kind, "deselected", cause.step, cause.reason
                    )
                elif feature in piece.presence.partly:
                    cell = _partly(name, feature, kind, piece.presence.partly[feature])
                else:
                    cell = FeatureStatus(name, feature, kind, "present")
            cells[name, feature] = cell
    return FeatureTable(bound.name, tuple(concepts), tuple(features), cells)


def _partly(
    concept: str, feature: str, kind: str, causes: Mapping[str, Deselection]
) -> FeatureStatus:
    """Returns why a feature is NULL in the rows of some segments: they lost it."""
    steps = ", ".join(dict.fromkeys(cause.step for cause in causes.values()))
    reason = "; ".join(f"NULL in {segment}: {cause.reason}" for segment, cause in causes.items())
    return FeatureStatus(concept, feature, kind, "partly deselected", steps, reason)
