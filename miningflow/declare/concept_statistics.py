"""Statistics of a concept: what is known of its rows and features, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from miningflow.html.page import FrameHtml

if TYPE_CHECKING:
    import pandas as pd

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""Which quantiles are kept; the fourth is the median."""
BINS = 20
"""How many parts of equal width a histogram has."""
TOP = 100
"""How many of the most frequent values are kept."""

Part = Literal["all", "learned"]
"""All rows of a concept, or those that are not held out."""


@dataclass(frozen=True)
class FeatureStatistics:
    """One feature; numbers are those of the finite values, times are seconds since 1970."""

    feature: str
    type: str
    known: int
    missing: int
    distinct: int
    not_finite: int = 0
    """Numbers that are NaN or infinite."""
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    deviation: float | None = None
    quantiles: tuple[float, ...] = ()
    top: tuple[tuple[str, int], ...] = ()
    """The most frequent values and how often each occurs; of equals the first in order."""
    histogram: tuple[int, ...] = ()
    """Rows in parts of equal width from the least to the greatest value."""

    def check_parts(self) -> None:
        """Refuses stored statistics with quantiles or counts that are not those kept."""
        if len(self.quantiles) not in (0, len(QUANTILES)) or len(self.histogram) not in (0, BINS):
            raise ValueError("other quantiles or parts than are kept")
        if min(self.known, self.missing, self.distinct, self.not_finite, *self.histogram, 0) < 0:
            raise ValueError("a negative count")

    @property
    def median(self) -> float | None:
        """Returns the value in the middle."""
        return self.quantiles[QUANTILES.index(0.5)] if self.quantiles else None

    def as_json(self) -> dict[str, Any]:
        """Returns the statistics as plain data for programs."""
        return {
            "feature": self.feature,
            "type": self.type,
            "known": self.known,
            "missing": self.missing,
            "distinct": self.distinct,
            "not_finite": self.not_finite,
            "min": self.minimum,
            "max": self.maximum,
            "mean": self.mean,
            "deviation": self.deviation,
            "quantiles": dict(zip(map(str, QUANTILES), self.quantiles, strict=False)),
            "top": [{"value": value, "count": count} for value, count in self.top],
            "histogram": list(self.histogram),
        }


@dataclass(frozen=True)
class ConceptStatistics(FrameHtml):
    """All features of a concept, in order."""

    concept: str
    part: str
    rows: int
    exact: bool
    """Whether distinct values and quantiles are exact; everything else always is."""
    features: tuple[FeatureStatistics, ...]

    def of(self, feature: str) -> FeatureStatistics | None:
        """Returns the statistics of one feature."""
        return next((f for f in self.features if f.feature == feature), None)

    def as_json(self) -> dict[str, Any]:
        """Returns the statistics as plain data for programs."""
        return {
            "concept": self.concept,
            "part": self.part,
            "rows": self.rows,
            "exact": self.exact,
            "features": [f.as_json() for f in self.features],
        }

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each feature; times are seconds since 1970."""
        import pandas as pd

        columns = [
            *("feature", "type", "known", "missing", "distinct", "not_finite"),
            *("minimum", "median", "maximum", "mean", "deviation"),
        ]
        rows = [[getattr(f, name) for name in columns] for f in self.features]
        numbers = dict.fromkeys(columns[6:], float)
        return pd.DataFrame(rows, columns=columns).astype(numbers)
