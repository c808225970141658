"""Columns brought to one scale."""

from __future__ import annotations

import numpy as np

from miningflow.learn.arrays import Mask, Matrix


def varying_columns(X: Matrix) -> Mask:
    """Returns the mask of the columns that have more than one value."""
    varies: Mask = X.min(axis=0) < X.max(axis=0)
    return varies


def standardized(X: Matrix) -> Matrix:
    """Returns the columns with mean 0 and deviation 1; those with a single value become 0."""
    deviation = X.std(axis=0)
    # The deviation of equal numbers is a rounding error above 0, that of tiny ones can be 0.
    usable = varying_columns(X) & (deviation > 0)
    scaled: Matrix = np.divide(X - X.mean(axis=0), deviation, out=np.zeros_like(X), where=usable)
    return scaled
