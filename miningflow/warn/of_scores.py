"""Warnings about the rows that a model is applied to: no score, values not learned, drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from miningflow.warn.result_warning import ResultWarning

FEATURES_SHOWN = 8
NOTABLE_SHARE = 0.01
# Standard deviations beyond which a mean of new rows is no accident, given enough rows.
FAR = 3.0
ENOUGH_ROWS = 20
MOSTLY = 0.5


@dataclass(frozen=True)
class ScoredRows:
    """What the rows have that a model is applied to."""

    rows: int
    without_score: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    """Predictor → rows with NULL, NaN or infinity, where that means no score."""
    unseen: Mapping[str, int] = field(default_factory=dict)
    """Predictor → rows with a value that was not learned."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """The part of `unseen` that means no score."""
    shifts: Mapping[str, float] = field(default_factory=dict)
    """Predictor → the distance of its mean from the one learned, in standard deviations."""

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data for programs."""
        return {
            "rows": self.rows,
            "without_score": self.without_score,
            "missing": dict(self.missing),
            "unseen": dict(self.unseen),
        }


def run_warnings(step: str, scored: ScoredRows) -> Iterator[ResultWarning]:
    """Warns of rows of the case itself; values that were not learned only if there are several."""
    yield from _without_score(step, scored)
    notable = {n: c for n, c in scored.unseen.items() if c >= NOTABLE_SHARE * scored.rows}
    yield from _unseen(step, {n: c for n, c in notable.items() if n not in scored.unscored})


def score_warnings(step: str, scored: ScoredRows) -> Iterator[ResultWarning]:
    """Warns of new rows."""
    yield from _without_score(step, scored)
    yield from _unseen(step, {n: c for n, c in scored.unseen.items() if n not in scored.unscored})
    yield from _drift(step, scored)


def _without_score(step: str, scored: ScoredRows) -> Iterator[ResultWarning]:
    if not scored.without_score:
        return
    reasons = []
    if scored.missing:
        reasons.append(f"NULL, NaN or infinity in {counted(scored.missing)}")
    if scored.unscored:
        reasons.append(f"a value that was not learned in {counted(scored.unscored)}")
    why = f": {'; '.join(reasons)}" if reasons else ""
    yield ResultWarning(
        "rows_without_score",
        step,
        f"{scored.without_score:,} of {scored.rows:,} rows have no score{why}",
        "fill or correct these features before the model, or set `nulls: impute`",
    )


def _unseen(step: str, unseen: Mapping[str, int]) -> Iterator[ResultWarning]:
    if unseen:
        yield ResultWarning(
            "unseen_values",
            step,
            f"values that were not learned, by rows: {counted(unseen)}",
            "check their spelling; learn again, or group rare values before the model",
        )


def _drift(step: str, scored: ScoredRows) -> Iterator[ResultWarning]:
    if scored.rows < ENOUGH_ROWS:
        return
    for name, shift in scored.shifts.items():
        if abs(shift) >= FAR:
            yield ResultWarning(
                "drift",
                step,
                f"the mean is {FAR:g} or more standard deviations from the one that was learned",
                "check the unit and the source of these rows; learn again from rows like them",
                (name,),
            )
    for name, count in scored.unseen.items():
        if count >= MOSTLY * scored.rows:
            yield ResultWarning(
                "drift",
                step,
                "most rows have a value that was not learned",
                "check the coding of these rows; learn again from rows like them",
                (name,),
            )


def counted(counts: Mapping[str, int]) -> str:
    """Lists features with their counts, the greatest first."""
    ordered = sorted(counts.items(), key=lambda entry: -entry[1])
    shown = [f"{name} ({count:,})" for name, count in ordered[:FEATURES_SHOWN]]
    more = f" and {len(ordered) - FEATURES_SHOWN} more" if len(ordered) > FEATURES_SHOWN else ""
    return ", ".join(shown) + more
