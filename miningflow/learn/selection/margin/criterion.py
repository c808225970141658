"""A bound as a function of which columns there are, and of weights on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.selection.margin.bounds import Bound
from miningflow.learn.selection.margin.kernels import WeightedKernel


@dataclass(frozen=True, eq=False, slots=True)
class WeightedBound:
    """The bound of some columns, and its slope in the weight of each of them."""

    value: float
    slopes: Matrix


@dataclass(frozen=True, eq=False, slots=True)
class MarginCriterion:
    """A bound on the kernel over its mean diagonal, with a ridge on the diagonal.

    Without the ridge data that no hyperplane separates have no margin. Over its mean diagonal the
    kernel of two columns is as large as that of two hundred, so one ridge is right for both.
    """

    X: Matrix
    kernel: WeightedKernel
    bound: Bound
    ridge: float

    def of(self, columns: Indices) -> WeightedBound:
        """Returns the bound of columns as they are."""
        return self.at(self.X[:, columns], np.ones(len(columns)))

    def at(self, X: Matrix, weights: Matrix) -> WeightedBound:
        """Returns the bound of columns multiplied by the roots of the weights."""
        kernel = self.kernel.matrix(X, weights)
        scale = float(np.trace(kernel)) / len(kernel)
        scale = scale if scale > 0 else 1.0
        kernel /= scale
        diagonal = np.diag_indices_from(kernel)
        ridged = kernel.copy()
        ridged[diagonal] += self.ridge
        bounded = self.bound(ridged)
        slope = bounded.slope / scale
        # The scale moves with the weights as well.
        slope[diagonal] -= float(np.vdot(slope, kernel)) / len(kernel)
        return WeightedBound(bounded.value, self.kernel.slopes(X, weights, slope))
