"""What scoring needs: the case, its script, and how the connection names columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from miningflow.compile import ScoreScript
from miningflow.engines.key_types import KeyType
from miningflow.read import SourceText
from miningflow.resolve import BoundCase
from miningflow.store.sources import key_types_of
from miningflow.verbs.score.judged_rows import JudgedRows


@dataclass(frozen=True)
class Scoring:
    """What scoring needs: the case, its script, and how the connection names columns."""

    bound: BoundCase
    script: ScoreScript
    sources: Mapping[str, SourceText]
    """What the connection says about the source of each concept."""
    judged: JudgedRows | None = None
    """How to look at the rows that the model is applied to."""

    def column(self, concept: str, feature: str) -> str:
        """Names the column of a feature in the source of its concept."""
        source = self.sources.get(concept)
        named = source.columns.get(feature) if source else None
        return named.text if named else feature

    def read_as(self, concept: str) -> dict[str, KeyType]:
        """Returns what the keys of a concept are to be read as."""
        source = self.sources.get(concept)
        return key_types_of(source) if source else {}

    def numbered(self, concept: str) -> str | None:
        """Returns the key that is the number of the row, if the source has none."""
        source = self.sources.get(concept)
        return source.number_rows.text if source and source.number_rows else None
