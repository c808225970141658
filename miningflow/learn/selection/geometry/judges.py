"""Verdicts about sets of groups, and the judge that looks at geometry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.special import expit

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.geometry.hulls import Clouds, Projected
from miningflow.learn.selection.geometry.properties import Properties, properties
from miningflow.learn.selection.standard_columns import standardized

# Table 2. The text of the paper has lost the minus signs of the linear column; its figure 1 shows
# that accuracy falls as any of the properties rises.
_LOGISTIC = np.array([0.15706603, 0.1327297, -0.03350878, -0.15182902, 0.19548473, -0.68787718])
_LOGISTIC_INTERCEPT = -0.64063267
_LINEAR = np.array([0.0, 0.0, -0.09114375, -0.01223389, -0.0200644, 0.0])
_LINEAR_INTERCEPT = -1.039011e-12


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A set of groups for one division of the classes, and what came out.

    Geometry has properties at once but a score only when all sets have been measured. The groups
    are those of `groups`, and the positive side has these classes.
    """

    positive: tuple[Any, ...]
    groups: tuple[int, ...]
    properties: Properties | None
    score: float | None
    suggested: bool | None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a judge sees of a set alone."""

    properties: Properties | None
    score: float | None


class Judge(Protocol):
    """Looks at one set after another, and then decides on all sets of a division."""

    def on(self, groups: Sequence[int]) -> Callable[[Mask], Measured]:
        """Returns a function that looks at these groups for a division of the classes."""

    def decide(self, sets: Sequence[Measured]) -> tuple[Matrix, Mask]:
        """Returns the scores of all sets of a division, and which are suggested."""


@dataclass(frozen=True, eq=False, slots=True)
class GeometryJudge:
    """The linear and the logistic model of table 2, on standardised properties.

    `present` says for each class which columns are other than 0 in it, `counts` its rows.
    """

    clouds: Clouds
    present: Mask
    members: Sequence[Indices]
    counts: Indices
    printed: bool

    def on(self, groups: Sequence[int]) -> Callable[[Mask], Measured]:
        """Projects the rows; the hull of all of them is the same for each division."""
        rows = self.clouds.on(groups)
        full = rows.hull(np.ones(len(self.counts), dtype=bool)).dimension
        columns = np.concatenate([self.members[group] for group in groups])
        return partial(self._measured, rows, full, self.present[:, columns])

    def decide(self, sets: Sequence[Measured]) -> tuple[Matrix, Mask]:
        """Returns the probabilities of the logistic model, and where both models agree.

        The paper suggests a set from a probability of .5 on. The intercept alone is at .35, and
        that rule found 0 to 3 % of the good sets: unless `printed`, the cut is at the intercept.
        """
        values = [astuple(each.properties) for each in sets if each.properties is not None]
        scores = standardized(np.array(values))
        logistic = scores @ _LOGISTIC
        cut = -_LOGISTIC_INTERCEPT if self.printed else 0.0
        suggested = (scores @ _LINEAR + _LINEAR_INTERCEPT > 0) & (logistic >= cut)
        return expit(logistic + _LOGISTIC_INTERCEPT), suggested

    def _measured(self, rows: Projected, full: int, present: Mask, positive: Mask) -> Measured:
        return Measured(properties(rows, self.counts, full, present, positive), None)
