"""The support vector machine of one subset of columns, from its kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.scikit_learn import SVC, config_context, libsvm


@dataclass(frozen=True, eq=False, slots=True)
class SubsetMachine:
    """The support vectors, α of each times its sign, and the intercept."""

    support: Indices
    signed: Matrix
    intercept: float

    def decisions(self, kernels: Matrix) -> Matrix:
        """Returns f of each row; the columns of the kernels are the training rows."""
        values: Matrix = kernels[:, self.support] @ self.signed + self.intercept
        return values

    def alpha(self, rows: int) -> Matrix:
        """Returns α of each training row."""
        alpha = np.zeros(rows)
        alpha[self.support] = np.abs(self.signed)
        return alpha


def train(
    matrix: Matrix, signs: Matrix, C: float, tolerance: float, costs: Matrix | None = None
) -> SubsetMachine:
    """Trains on a kernel matrix whose rows have signs of both kinds; costs are in units of C."""
    if libsvm is None:
        return _trained_by_estimator(matrix, signs, C, tolerance, costs)
    # A search trains thousands of small machines on input that was checked once. Of the 0.85 ms
    # that SVC.fit takes on 200 rows, libsvm itself needs 0.2.
    libsvm.set_verbosity_wrap(0)
    support, _, _, signed, intercept, *_ = libsvm.fit(
        np.ascontiguousarray(matrix),
        signs,
        svm_type=0,
        kernel="precomputed",
        C=C,
        tol=tolerance,
        cache_size=200,
        sample_weight=np.empty(0) if costs is None else costs,
    )
    return SubsetMachine(support, -signed[0], -float(intercept[0]))


def _trained_by_estimator(
    matrix: Matrix, signs: Matrix, C: float, tolerance: float, costs: Matrix | None
) -> SubsetMachine:
    machine = SVC(kernel="precomputed", C=C, tol=tolerance, cache_size=200)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        machine.fit(matrix, signs, sample_weight=costs)
    return SubsetMachine(machine.support_, machine.dual_coef_[0], float(machine.intercept_[0]))
