"""The ξα-estimate from sums over rows, against the one from a kernel matrix."""

from __future__ import annotations

import numpy as np
import pytest

from miningflow.learn.linear_error import xi_alpha_error
from miningflow.learn.linear_training import train_hinge
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.selection.estimates import XiAlphaEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import LinearKernel


@pytest.mark.parametrize("rho", [1.0, 2.0])
@pytest.mark.parametrize("C", [0.02, 0.3, 3.0])
@pytest.mark.parametrize("most_near", [150, 20_000])
def test_it_is_the_estimate_of_the_same_machine(C: float, rho: float, most_near: int) -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(900, 4))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signs = np.where(X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=900) > 0.2, 1.0, -1.0)
    gram = ColumnGroups.of(X, range(4), LinearKernel()).subset(range(4))
    right = XiAlphaEstimate(signs, C, rho, 1e-6)(gram)
    rows = RowsInMemory(X / 2, signs)
    weights = train_hinge(rows, C, most_near=most_near).weights
    radius = float(gram.matrix.max() - gram.matrix.min())
    found = xi_alpha_error(rows, weights, C, rho, radius, most_near)
    assert found == pytest.approx(right, abs=2 / 900)
    assert 0.05 < found < 1
