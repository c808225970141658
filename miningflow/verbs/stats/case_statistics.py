"""Statistics of several concepts: read by name, or as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miningflow.declare.concept_statistics import ConceptStatistics
from miningflow.html.page import FrameHtml
from miningflow.verbs.stats.computing import Found

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)  # equal as mappings are
class CaseStatistics(Mapping[str, ConceptStatistics], FrameHtml):
    """Concept or step → its statistics."""

    found: tuple[Found, ...]
    learned: bool = False
    """Whether rows that are held out are left out, where there are any."""

    @property
    def missing(self) -> dict[str, str]:
        """Returns why a concept has no statistics."""
        return {f.concept: f.missing for f in self.found if f.missing}

    def __getitem__(self, name: str) -> ConceptStatistics:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each concept and feature; times are seconds since 1970."""
        import pandas as pd

        if not self:
            return pd.DataFrame()
        frames = {name: statistics.to_frame() for name, statistics in self.items()}
        return pd.concat(frames, names=["concept"]).reset_index("concept").reset_index(drop=True)

    def as_json(self) -> dict[str, Any]:
        """Returns the statistics of all rows, and of those not held out, for programs."""
        return {
            "concepts": [s.as_json() for f in self.found for s in f.statistics.values()],
            "missing": self.missing,
        }

    @property
    def _by_name(self) -> dict[str, ConceptStatistics]:
        part = "learned" if self.learned else "all"
        return {
            f.concept: f.statistics.get(part) or f.statistics["all"]
            for f in self.found
            if f.statistics
        }
