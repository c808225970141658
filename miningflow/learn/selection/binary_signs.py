"""The two classes of a target as signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix
from miningflow.learn.scikit_learn import type_of_target


def binary_signs(y: NDArray[Any]) -> Matrix:
    """Returns +1 for the second class in sorted order and -1 for the first."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"The target has one class, {classes[0]!r}; two are needed.")
    return np.where(y == classes[1], 1.0, -1.0)
