"""Questions about encoded columns as SQL: is a number at most a bound, is a category this one?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.learn.encoding import Encoding, NominalPredictor, Predictor
from miningflow.learn.trees import LARGEST
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, double, text


@dataclass(frozen=True)
class Questions:
    """The columns of an encoding that is not standardised, as questions about features."""

    encoding: Encoding
    filling: Mapping[str, str | float]
    """What stands in for NULL."""

    def at_most(self, position: int, bound: float) -> exp.Expression:
        """Asks whether an encoded column is at most a bound."""
        feature, category = self._asked(position)
        if category is None:
            return exp.LTE(this=feature, expression=double(bound))
        return exp.NEQ(this=feature, expression=text(category))

    def above(self, position: int, bound: float) -> exp.Expression:
        """Asks whether an encoded column is above a bound."""
        feature, category = self._asked(position)
        if category is None:
            return exp.GT(this=feature, expression=double(bound))
        return exp.EQ(this=feature, expression=text(category))

    def is_category(self, position: int) -> bool:
        """Returns whether a column stands for a category."""
        return self._asked(position)[1] is not None

    def surely_at_most(self, position: int, bound: float) -> exp.Expression:
        """Asks the same, and has no for an answer where the column is missing."""
        feature, category = self._asked(position)
        if category is None:
            return exp.Between(this=feature, low=double(-LARGEST), high=double(bound))
        predictor = self._predictor(position)
        if len(predictor.categories) == 2:
            other = next(c for c in predictor.categories if c != category)
            return exp.EQ(this=feature, expression=text(other))
        return exp.NEQ(this=feature, expression=text(category))

    def surely_above(self, position: int, bound: float) -> exp.Expression:
        """Asks the same, and has no for an answer where the column is missing."""
        feature, category = self._asked(position)
        if category is None:
            least = float(np.nextafter(bound, np.inf))
            return exp.Between(this=feature, low=double(least), high=double(LARGEST))
        return exp.EQ(this=feature, expression=text(category))

    def known(self, positions: Collection[int]) -> list[exp.Expression]:
        """Returns what must hold so that none of these columns is missing."""
        groups = self.encoding.groups
        used = sorted({groups[position] for position in positions})
        return [self._is_known(self.encoding.predictors[group]) for group in used]

    def _is_known(self, predictor: Predictor) -> exp.Expression:
        feature = self._feature(predictor)
        if not isinstance(predictor, NominalPredictor):
            return exp.Between(this=feature, low=double(-LARGEST), high=double(LARGEST))
        if len(predictor.categories) > 2:
            return is_known(feature)
        return exp.In(this=feature, expressions=[text(c) for c in predictor.categories])

    def _asked(self, position: int) -> tuple[exp.Expression, str | None]:
        predictor = self.encoding.predictors[self.encoding.groups[position]]
        feature = self._feature(predictor)
        if not isinstance(predictor, NominalPredictor):
            return feature, None
        first = self.encoding.groups.index(self.encoding.groups[position])
        return feature, predictor.indicated[position - first]

    def _predictor(self, position: int) -> NominalPredictor:
        predictor = self.encoding.predictors[self.encoding.groups[position]]
        assert isinstance(predictor, NominalPredictor)
        return predictor

    def _feature(self, predictor: Predictor) -> exp.Expression:
        fill = self.filling.get(predictor.name)
        if fill is None:
            return column(predictor.name)
        literal = text(fill) if isinstance(fill, str) else double(fill)
        return exp.Coalesce(this=column(predictor.name), expressions=[literal])
