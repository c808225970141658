"""Six ratios that describe how the rows of two sides lie on a set of columns."""

from __future__ import annotations

from dataclasses import dataclass

from miningflow.learn.arrays import Indices, Mask
from miningflow.learn.selection.geometry.hulls import Projected


@dataclass(frozen=True, slots=True)
class Properties:
    """f1 to f6 of Stambaugh et al., table 1; f6 by its text, with the hulls of both sides."""

    f1: float
    f2: float
    f3: float
    f4: float
    f5: float
    f6: float


def properties(
    rows: Projected, counts: Indices, full: int, present: Mask, positive: Mask
) -> Properties:
    """Returns the ratios for one division of the classes.

    `full` is the affine dimension of all rows, and `present` says for each class which of the
    columns are other than 0 in it. Ambient dimensions count such columns.
    """
    over, under = rows.hull(positive), rows.hull(~positive)
    ambient_over = int(present[positive].any(axis=0).sum())
    ambient_under = int(present[~positive].any(axis=0).sum())
    ambient = int(present.any(axis=0).sum())
    return Properties(
        _ratio(over.dimension, ambient_over),
        _ratio(under.dimension, ambient_under),
        _ratio(over.dimension, ambient),
        _ratio(under.dimension, ambient),
        _ratio(full, ambient),
        (over.others_inside + under.others_inside) / int(counts.sum()),
    )


def _ratio(dimension: int, ambient: int) -> float:
    # Rows that are all 0 span a point, and that in no dimension.
    return dimension / ambient if ambient else 0.0
