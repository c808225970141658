"""Scores of numeric features, from the mean and variance in each class that SQL supplies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Matrix


@dataclass(frozen=True, eq=False, slots=True)
class ClassMoments:
    """Means and population variances (VAR_POP) by class (rows) and feature, and the class sizes."""

    means: Matrix
    variances: Matrix
    sizes: Matrix

    def against_rest(self, code: int) -> ClassMoments:
        """Returns the moments of all other classes together (first) and of this one (second)."""
        others = np.arange(len(self.sizes)) != code
        if others.sum() == 1:
            order = [int(np.flatnonzero(others)[0]), code]
            return ClassMoments(self.means[order], self.variances[order], self.sizes[order])
        shares = self.sizes[others] / self.sizes[others].sum()
        mean = shares @ self.means[others]
        variance = shares @ (self.variances[others] + (self.means[others] - mean) ** 2)
        return ClassMoments(
            np.stack([mean, self.means[code]]),
            np.stack([variance, self.variances[code]]),
            np.array([self.sizes[others].sum(), self.sizes[code]]),
        )


def fisher(two: ClassMoments) -> Matrix:
    """Returns (μ₊ - μ₋)² / (σ₊² + σ₋²), infinite where two classes are apart and do not vary.

    The score in Weston et al. (2000) divides |μ₊ - μ₋| by variances (or by "standard deviations",
    in the text): it changes when a column is measured in another unit. This one does not.
    """
    apart = (two.means[1] - two.means[0]) ** 2
    within = two.variances.sum(axis=0)
    score = np.where(apart > 0, np.inf, 0.0)
    ratio: Matrix = np.divide(apart, within, out=score, where=within > 0)
    return ratio


def pearson(two: ClassMoments) -> Matrix:
    """Returns the absolute correlation of the column with the class; a constant one has none."""
    shares = two.sizes / two.sizes.sum()
    between = shares[0] * shares[1] * (two.means[1] - two.means[0]) ** 2
    total = shares @ two.variances + between
    squared = np.divide(between, total, out=np.zeros_like(total), where=total > 0)
    correlation: Matrix = np.sqrt(squared)
    return correlation


MOMENT_SCORES: dict[str, Callable[[ClassMoments], Matrix]] = {"fisher": fisher, "pearson": pearson}
