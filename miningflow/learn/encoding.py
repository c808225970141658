"""Nominal and numeric predictors as the columns of a design matrix."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix


@dataclass(frozen=True, slots=True)
class NumericPredictor:
    """A number, encoded as (x - mean) / scale."""

    name: str
    mean: float
    scale: float

    def check_parts(self) -> None:
        """Refuses a stored predictor that cannot be encoded."""
        if not self.scale:
            raise ValueError(f"the scale of {self.name!r} is 0")

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return 1

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        return (self.name,)

    def encode(self, values: NDArray[Any]) -> Matrix:
        """Returns one standardised column; missing stays missing."""
        numbers = np.asarray(values, dtype=np.float64)
        return ((numbers - self.mean) / self.scale)[:, np.newaxis]


@dataclass(frozen=True, slots=True)
class NominalPredictor:
    """A category, encoded as standardised 1/0 indicators.

    Two categories share the indicator of the second. Three or more have one each, and a value never
    seen is 0 in all of them. With fewer than three a value never seen is missing.
    """

    name: str
    categories: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]

    def check_parts(self) -> None:
        """Refuses a stored predictor whose parts do not fit together."""
        width = max(1, len(self.indicated))
        if not len(self.means) == len(self.scales) == width or not all(self.scales):
            raise ValueError(f"means and scales do not fit the categories of {self.name!r}")
        if len(set(self.categories)) < len(self.categories):
            raise ValueError(f"a category of {self.name!r} occurs twice")

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return len(self.means)

    @property
    def indicated(self) -> tuple[str, ...]:
        """The categories that have an indicator column."""
        return _indicated(self.categories)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        return tuple(f"{self.name}={category}" for category in self.indicated) or (self.name,)

    @property
    def codes(self) -> Matrix:
        """The encoded row of each category, in the order of the categories."""
        indicators = np.zeros((len(self.categories), self.width))
        for column, category in enumerate(self.indicated):
            indicators[self.categories.index(category), column] = 1.0
        return self._standardised(indicators)

    @property
    def unseen(self) -> Matrix:
        """The encoded row of a value that is no known category: NaN where that means missing."""
        if len(self.categories) < 3:
            return np.full(self.width, np.nan)
        return self._standardised(np.zeros(self.width))

    def encode(self, values: NDArray[Any]) -> Matrix:
        """Returns the indicator columns; None is missing in all of them."""
        missing = np.full(self.width, np.nan)
        rows = np.vstack([self.codes, self.unseen, missing])
        position: dict[str | None, int] = {name: at for at, name in enumerate(self.categories)}
        unseen = len(self.categories)
        position[None] = unseen + 1
        labels = _labels(self.name, values)
        return rows[np.fromiter((position.get(label, unseen) for label in labels), np.intp)]

    def _standardised(self, indicators: Matrix) -> Matrix:
        centred: Matrix = indicators - np.asarray(self.means)
        scaled: Matrix = centred / np.asarray(self.scales)
        return scaled


Predictor = NumericPredictor | NominalPredictor


@dataclass(frozen=True, slots=True)
class Encoding:
    """The predictors of a model, in the order of its columns."""

    predictors: tuple[Predictor, ...]

    def check_parts(self) -> None:
        """Refuses a stored encoding without predictors, or with one twice."""
        if not 0 < len(self.predictors) == len({each.name for each in self.predictors}):
            raise ValueError("no predictors, or one twice")

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return sum(predictor.width for predictor in self.predictors)

    @property
    def groups(self) -> tuple[int, ...]:
        """For each encoded column, the index of its predictor."""
        return tuple(at for at, each in enumerate(self.predictors) for _ in range(each.width))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the encoded columns, such as `age` or `city=Rome`."""
        return tuple(name for predictor in self.predictors for name in predictor.column_names)

    def encode(self, columns: Mapping[str, NDArray[Any]]) -> Matrix:
        """Returns the design matrix of the named columns, with NaN where a value is missing."""
        return np.hstack([each.encode(columns[each.name]) for each in self.predictors])


def learn_encoding(
    columns: Mapping[str, NDArray[Any]], nominal: Collection[str], standardize: bool = True
) -> Encoding:
    """Learns categories, means and scales; missing values count for none of them."""
    return Encoding(
        tuple(
            _learn_nominal(name, values, standardize)
            if name in nominal
            else _learn_numeric(name, values, standardize)
            for name, values in columns.items()
        )
    )


def nominal_predictor(name: str, shares: Mapping[str, float]) -> NominalPredictor:
    """Returns the standardised encoding of ordered categories, from their shares of rows."""
    categories = tuple(shares)
    if len(categories) < 2:
        return NominalPredictor(name, categories, (float(len(categories)),), (1.0,))
    means = tuple(shares[category] for category in _indicated(categories))
    scales = tuple(float(np.sqrt(mean * (1 - mean))) for mean in means)
    return NominalPredictor(name, categories, means, scales)


def _learn_numeric(name: str, values: NDArray[Any], standardize: bool) -> NumericPredictor:
    numbers = np.asarray(values, dtype=np.float64)
    if np.isinf(numbers).any():
        raise ValueError(f"predictor {name!r} has infinite values")
    if not standardize:
        return NumericPredictor(name, 0.0, 1.0)
    return NumericPredictor(name, *_mean_and_scale(numbers[~np.isnan(numbers)]))


def _learn_nominal(name: str, values: NDArray[Any], standardize: bool) -> NominalPredictor:
    present = [label for label in _labels(name, values) if label is not None]
    categories = tuple(sorted(set(present)))
    if len(categories) < 2:
        # The one indicator is always 1 and says nothing: it is centred even where others are not.
        return NominalPredictor(name, categories, (float(len(categories)),), (1.0,))
    indicated = _indicated(categories)
    if not standardize:
        return NominalPredictor(name, categories, (0.0,) * len(indicated), (1.0,) * len(indicated))
    labels = np.array(present, dtype=object)
    moments = [_mean_and_scale((labels == each).astype(np.float64)) for each in indicated]
    means, scales = zip(*moments, strict=True)
    return NominalPredictor(name, categories, means, scales)


def _indicated(categories: tuple[str, ...]) -> tuple[str, ...]:
    return categories[1:] if len(categories) == 2 else categories


def _mean_and_scale(numbers: Matrix) -> tuple[float, float]:
    if numbers.size == 0:
        return 0.0, 1.0
    # The mean of equal numbers is off by a rounding error, and a deviation of 1e-17 blows it up.
    if numbers.min() == numbers.max():
        return float(numbers[0]), 1.0
    return float(numbers.mean()), float(numbers.std())


def _labels(name: str, values: NDArray[Any]) -> list[str | None]:
    labels: list[str | None] = list(values)
    for label in labels:
        if label is not None and not isinstance(label, str):
            raise TypeError(
                f"nominal predictor {name!r} holds {label!r}; strings or None were expected"
            )
    return labels
