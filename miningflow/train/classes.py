"""The classes of a target: which is positive, and that there are two."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from miningflow.declare import Feature, LearningError
from miningflow.learn.arrays import Mask


def positive_rows(labels: npt.NDArray[Any], target: Feature, positive: str) -> Mask:
    """Returns which rows are positive; refuses a target that does not have two classes."""
    two_classes(labels, target, positive)
    return np.asarray(labels == positive, dtype=np.bool_)


def two_classes(labels: npt.NDArray[Any], target: Feature, positive: str) -> str:
    """Returns the negative class."""
    values, counts = np.unique(labels.astype(str), return_counts=True)
    shown = ", ".join(f"{str(v)!r} ({n})" for v, n in list(zip(values, counts, strict=True))[:8])
    if positive not in values:
        raise LearningError(
            f"the positive value {positive!r} of {target.name!r} never occurs",
            f"its values are {shown or 'none: there are no training rows'}",
        )
    if len(values) == 1:
        raise LearningError(
            f"all training rows have {target.name!r} = {positive!r}; two classes are needed",
            "are all rows of the other class held out, filtered out or incomplete?",
        )
    if len(values) > 2:
        raise LearningError(
            f"{target.name!r} has {len(values)} classes; two are needed",
            f"its values are {shown}; merge classes, for example with Mapping",
        )
    return str(values[0] if values[1] == positive else values[1])
