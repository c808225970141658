"""Scores of features that are present or absent, from counts that one GROUP BY supplies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, rel_entr

from miningflow.learn.arrays import Matrix

# Forman (2003): the normal quantile is infinite at 0 and 1.
_SMALLEST_RATE = 0.0005


@dataclass(frozen=True, eq=False, slots=True)
class PresenceTable:
    """In how many rows of each of two classes each feature is present, and how many there are."""

    positive: Matrix
    negative: Matrix
    positives: float
    negatives: float

    @property
    def cells(self) -> Matrix:
        """Counts by class (positive, negative), presence (with, without) and feature."""
        return np.array(
            [
                [self.positive, self.positives - self.positive],
                [self.negative, self.negatives - self.negative],
            ],
            dtype=np.float64,
        )


@dataclass(frozen=True, eq=False, slots=True)
class PresenceCounts:
    """In how many rows of a class a feature is present, classes by features, and the sizes."""

    present: Matrix
    sizes: Matrix

    def against_rest(self, code: int) -> PresenceTable:
        """Returns the table of one class against the rest."""
        present, size = self.present[code], float(self.sizes[code])
        rest = self.present.sum(axis=0) - present
        return PresenceTable(present, rest, size, float(self.sizes.sum()) - size)


def information_gain(table: PresenceTable) -> Matrix:
    """Returns the mutual information of presence and class, in nats as scikit-learn has it."""
    cells = table.cells
    gain: Matrix = rel_entr(cells, _expected(cells)).sum(axis=(0, 1))
    # Independence can end a rounding error below 0.
    bounded: Matrix = np.maximum(gain / cells[..., 0].sum(), 0.0)
    return bounded


def chi2(table: PresenceTable) -> Matrix:
    """Returns χ² of the four cells.

    scikit-learn sums the two cells with the feature only: that is the share of rows without it.
    """
    cells = table.cells
    expected = _expected(cells)
    shares: Matrix = np.divide(
        (cells - expected) ** 2, expected, out=np.zeros_like(cells), where=expected > 0
    )
    total: Matrix = shares.sum(axis=(0, 1))
    return total


def odds_ratio(table: PresenceTable) -> Matrix:
    """Returns log(odds in the positive class / odds in the negative), each cell plus one half.

    It has a sign: features of the negative class come last.
    """
    cells = table.cells + 0.5
    ratio: Matrix = np.log(cells[0, 0] * cells[1, 1]) - np.log(cells[0, 1] * cells[1, 0])
    return ratio


def bns(table: PresenceTable) -> Matrix:
    """Returns the bi-normal separation, the distance of the normal quantiles of the two rates."""
    rates = np.stack([table.positive / table.positives, table.negative / table.negatives])
    quantiles = ndtri(np.clip(rates, _SMALLEST_RATE, 1 - _SMALLEST_RATE))
    separation: Matrix = np.abs(quantiles[0] - quantiles[1])
    return separation


PRESENCE_SCORES: dict[str, Callable[[PresenceTable], Matrix]] = {
    "information_gain": information_gain,
    "odds_ratio": odds_ratio,
    "chi2": chi2,
    "bns": bns,
}


def _expected(cells: Matrix) -> Matrix:
    """Returns the counts that classes and presence would have if they were independent."""
    classes = cells.sum(axis=1, keepdims=True)
    presence = cells.sum(axis=0, keepdims=True)
    expected: Matrix = classes * presence / cells[..., 0].sum()
    return expected
