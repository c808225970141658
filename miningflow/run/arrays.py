"""Columns of the engine as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_array(values: Any, numeric: bool) -> np.ndarray[Any, Any]:
    """Returns numbers as float64 with NaN for NULL, everything else as objects with None for it."""
    if numeric:
        array: np.ndarray[Any, Any] = values.to_numpy().astype(np.float64)
        return array
    return np.array(values.to_pylist(), dtype=object)
