"""Types of arrays, by what they hold; numpy's types do not distinguish vectors from matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
"""Numbers: a matrix with a row for each example, or a vector."""

Mask = NDArray[np.bool_]
"""Flags: which rows, columns or genes are chosen."""

Indices = NDArray[np.intp]
"""Positions of rows or columns."""

Codes = NDArray[np.intp]
"""For each row or column, the number of its class or group, counted from 0."""

Counts = NDArray[np.int64]
"""How often something occurs."""

Labels = NDArray[Any]
"""The class of each row, as numbers or texts."""
