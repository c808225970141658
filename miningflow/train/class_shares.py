"""The shares of classes where a model is applied, if it learned from a different distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from miningflow.declare import Feature, TrainingRows

MOST_CLASSES = 10_000


@dataclass(frozen=True)
class ClassShares:
    """How many rows of each class were learned from, and how many the model is applied to."""

    learned: Mapping[str, float]
    applied: Mapping[str, float]

    def ratio(self, name: str) -> float:
        """Returns how much more frequent a class is where the model is applied."""
        return self._share(self.applied, name) / self._share(self.learned, name)

    def log_odds_ratio(self, name: str) -> float:
        """Returns by how much the logarithm of the odds of a class differs there."""
        new, old = self._share(self.applied, name), self._share(self.learned, name)
        return math.log(new / (1 - new)) - math.log(old / (1 - old))

    def _share(self, counts: Mapping[str, float], name: str) -> float:
        return counts[name] / sum(counts.values())


def applied_shares(
    rows: TrainingRows, target: Feature, learned: Mapping[str, float]
) -> ClassShares | None:
    """Returns the shares to correct probabilities by, or None if there is nothing to correct.

    Notes what was corrected, or why nothing could be.
    """
    elsewhere = rows.applied_to()
    if elsewhere is None or len(learned) < 2:
        return None
    counted = elsewhere.groups([target.name], {"n": exp.Count(this=exp.Star())}, MOST_CLASSES)
    found = {str(row[target.name]): float(row["n"]) for row in counted}
    applied = {name: found.get(name, 0.0) for name in learned}
    if not all(applied.values()):
        missing = next(name for name, n in applied.items() if not n)
        rows.note(
            "probabilities are those of the rows in `learn_on`, and not corrected: the input has "
            f"no {missing!r} in {target.name!r}"
        )
        return None
    shares = ClassShares(learned, applied)
    moved = max(learned, key=lambda name: abs(math.log(shares.ratio(name))))
    if math.isclose(shares.ratio(moved), 1.0, rel_tol=1e-12):
        return None
    before, after = (counts[moved] / sum(counts.values()) for counts in (learned, applied))
    rows.note(
        f"probabilities are corrected to the input: the share of {moved!r} is {after:.3g} there "
        f"and {before:.3g} in the rows that were learned from"
    )
    return shares
