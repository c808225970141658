"""Groups of columns whose linear kernels are best aligned with the target."""

from __future__ import annotations

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.alignment.linear import LinearAlignment, LinearProblem
from miningflow.learn.selection.alignment.products import DenseProducts
from miningflow.learn.selection.gram import ColumnGroups


def alignments(columns: ColumnGroups, signs: Matrix) -> dict[int, float]:
    """Returns the kernel-target alignment of each group alone, on centred columns."""
    parts = columns.parts.values()
    X = np.concatenate(list(parts), axis=1)
    member = np.repeat(list(columns.parts), [part.shape[1] for part in parts])
    targets = signs[:, np.newaxis]
    problem = LinearProblem.of(DenseProducts(X), X.T @ targets, float(signs @ signs))
    return {group: LinearAlignment(problem, member == group).alignment for group in columns.parts}


def screened(columns: ColumnGroups, signs: Matrix, count: int) -> ColumnGroups:
    """Keeps the groups with the highest alignments; of equal ones, the first."""
    aligned = alignments(columns, signs)
    # Copies of a group differ by rounding errors.
    best_first = sorted(aligned, key=lambda group: -round(aligned[group], 12))
    return columns.only(best_first[:count])
