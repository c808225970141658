"""Estimates of the error of a support vector machine on a subset of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from miningflow.learn.selection.gram import SubsetGram

Matrix = NDArray[np.float64]
Estimate = Callable[[SubsetGram], float]


@dataclass(frozen=True, eq=False, slots=True)
class XiAlphaEstimate:
    """The ξα-estimate d / N with d = #{i : ρ·αᵢ·R² + ξᵢ ≥ 1} (Joachims 2001), from one training.

    An example that leave-one-out gets wrong is counted if ρ is 2. Euler (2002) simplifies to ρ = 1,
    which missed 2 of 995 such examples.
    """

    signs: Matrix
    C: float
    rho: float
    tolerance: float

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the estimated error; without columns it is the share of the smaller class."""
        if not gram.subset:
            # Counted, as below: 1 - 0.825 is not 7 / 40, and equal errors must compare as equal.
            positive = int(np.count_nonzero(self.signs > 0))
            return min(positive, len(self.signs) - positive) / len(self.signs)
        matrix = gram.matrix
        machine = SVC(kernel="precomputed", C=self.C, tol=self.tolerance, cache_size=200)
        machine.fit(matrix, self.signs)
        coefficients = machine.dual_coef_[0]
        decision = matrix[:, machine.support_] @ coefficients + machine.intercept_[0]
        slack = np.maximum(0.0, 1.0 - self.signs * decision)
        alpha = np.zeros(len(self.signs))
        alpha[machine.support_] = np.abs(coefficients)
        radius = gram.columns.kernel.radius(matrix)
        return float(np.mean(self.rho * alpha * radius + slack >= 1.0))
