"""The genetic selector: scikit-learn's own checks, and which of equals it prefers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from miningflow.learn.selection import GeneticSelector


@parametrize_with_checks([GeneticSelector(population=4, generations=2, random_state=0)])  # type: ignore[untyped-decorator]  # scikit-learn has no types
def test_it_is_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


def test_of_equal_errors_the_smaller_subset_is_better() -> None:
    random = np.random.default_rng(1)
    y = random.random(60) < 0.5
    copies = np.column_stack([np.where(y, 3.0, -3.0) + random.normal(0, 0.1, 60)] * 5)
    found = GeneticSelector(population=20, generations=15, random_state=0).fit(copies, y)
    assert found.get_support().sum() == 1
