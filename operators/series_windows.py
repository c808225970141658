"""Windows over time series: their values side by side, and averages of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    integer,
    new_feature,
    operator,
    weights,
)
from miningflow.declare.estimates import ConceptEstimate, grouped_rows
from miningflow.sql.block import Block, Source
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum

from .series import Series, every


@operator
class Windows(Series):
    """What operators share that look at a series through a window of so many rows.

    A window is so many rows of a series that follow each other in time; it counts rows, so a day
    that is missing leaves no gap. Each window becomes a row: the row with which it ends, with all
    its features and its key, so its time is the end of the window.
    """

    distance: int = integer(
        "how many rows after one window the next one starts", default=1, minimum=1
    )
    start: str | None = new_feature(
        "the feature for the time of the first row; by default `time` with '_start'", default=None
    )

    @property
    def start_name(self) -> str:
        """The feature for the time of the first row."""
        return self.start or f"{self.time.name}_start"

    @property
    def length(self) -> int:
        """How many rows a window has."""
        raise NotImplementedError

    def value_names(self) -> tuple[str, ...]:
        """Names the numbers that a window becomes."""
        raise NotImplementedError

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Gives the numbers of the window that ends with a row."""
        raise NotImplementedError

    def outline(self, notes: Notes) -> Concept:
        """Adds the start of the window and its numbers to its last row."""
        names = self.value_names()
        self.check(notes, {"start": [self.start_name], "output": names})
        return self.input.with_features(
            Feature(self.start_name, self.time.type), *(Feature(n, "numeric") for n in names)
        )

    def rows_left(self, whole: ConceptEstimate) -> float | None:
        """Takes it that all series are equally long; each has fewer windows than rows."""
        series = grouped_rows(whole, self.groups).likely
        if whole.rows.likely is None or not series:
            return None
        rows = whole.rows.likely / series
        return series * max(0.0, (rows - self.length) // self.distance + 1)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Looks back from each row, and keeps the rows with which a window ends."""
        (place,) = self.new_names("place")
        block = self.in_series(inputs).extend(
            {
                self.start_name: self.before(self.time, self.length - 1),
                **dict(zip(self.value_names(), self.value_trees(), strict=True)),
                place: self.along(exp.RowNumber()),
            }
        )
        block = block.layered()
        for condition in every(place, self.length, self.distance):
            block = block.filter(condition)
        return block

    def before(self, feature: Feature, rows: int) -> exp.Expression:
        """Gives a feature as it was so many rows before."""
        if rows == 0:
            return column(feature.name)
        offset = exp.Literal.number(rows)
        return self.along(exp.Lag(this=column(feature.name), offset=offset))


@operator
class Windowing(Windows):
    """Makes a row of each window of a series: when it starts, when it ends, and its values.

    A window is `size` rows of a series that follow each other in time. It becomes the row with
    which it ends: that row keeps its key and all its features, `time` is the end of the window, and
    it gets the time of the first row and the values, oldest first, as `sales_1` to `sales_4`. The
    last of them can be the target of a model that predicts it from the others.

    Windows start `distance` rows apart, the first with the first row of the series. A series with
    fewer rows than `size` has no window. Windows count rows: a missing day leaves no gap. NULL in
    the value is NULL in the window; a row without a time, or with NULL in `within`, is in no
    series. Of equal times the row with the smaller key comes first.

    Held-out rows stay held out, but their values are in the windows of rows after them. Where that
    matters, hold out whole series, by a relation to what `within` names, or learn on early rows.
    """

    example: ClassVar[str] = """
    windows:
      operator: Windowing
      input: Customer
      time: since
      value: income
      within: [region]
      size: 3
      distance: 2
    """

    size: int = integer("how many rows a window has", minimum=2, maximum=500)
    output: str | None = new_feature(
        "what the values are called, each with its number; by default as `value`", default=None
    )

    @property
    def length(self) -> int:
        """How many rows a window has."""
        return self.size

    def value_names(self) -> tuple[str, ...]:
        """Numbers the values."""
        return tuple(f"{self.output or self.value.name}_{i + 1}" for i in range(self.size))

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Gives each value."""
        return tuple(self.before(self.value, i) for i in reversed(range(self.size)))


@operator
class SimpleMovingFunction(Windows):
    """Averages the last values of a series, each counting the same: a simple moving average.

    A window is `size` rows of a series that follow each other in time. It becomes the row with
    which it ends: that row keeps its key and all its features, `time` is the end of the window, and
    it gets the time of the first row and the average.

    Windows start `distance` rows apart, the first with the first row of the series. A series with
    fewer rows than `size` has no window. Windows count rows: a missing day leaves no gap. A window
    with NULL among its values has NULL for its average; a row without a time, or with NULL in
    `within`, is in no series. Of equal times the row with the smaller key comes first.
    """

    example: ClassVar[str] = """
    smooth:
      operator: SimpleMovingFunction
      input: Customer
      time: since
      value: household
      within: [region]
      size: 4
      output: household_average
    """

    size: int = integer("how many rows a window has", minimum=2, maximum=1_000_000)
    output: str = new_feature("the feature for the average")

    @property
    def length(self) -> int:
        """How many rows a window has."""
        return self.size

    def value_names(self) -> tuple[str, ...]:
        """Names the average."""
        return (self.output,)

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Gives the average, if no value is missing."""
        value = column(self.value.name)
        known = self.along(exp.Count(this=value), last=self.size)
        whole = exp.EQ(this=known, expression=exp.Literal.number(self.size))
        average = self.along(exp.Avg(this=value.copy()), last=self.size)
        return (exp.Case(ifs=[exp.If(this=whole, true=average)]),)


@operator
class WeightedMovingFunction(Windows):
    """Averages the last values of a series by given weights: a weighted moving average.

    There are as many rows in a window as `weights`; the first weight is that of the oldest value,
    and together they are 1. A window becomes the row with which it ends: that row keeps its key and
    all its features, `time` is the end of the window, and it gets the time of the first row and the
    weighted average.

    Windows start `distance` rows apart, the first with the first row of the series. A series with
    fewer rows has no window. Windows count rows: a missing day leaves no gap. A window with NULL
    among its values has NULL for its average; a row without a time, or with NULL in `within`, is in
    no series. Of equal times the row with the smaller key comes first.
    """

    example: ClassVar[str] = """
    smooth:
      operator: WeightedMovingFunction
      input: Customer
      time: since
      value: household
      within: [region]
      weights: [0.2, 0.3, 0.5]
      output: household_average
    """

    weights: tuple[float, ...] = weights("the weights, that of the oldest value first", minimum=2)
    output: str = new_feature("the feature for the average")

    @property
    def length(self) -> int:
        """How many rows a window has."""
        return len(self.weights)

    def value_names(self) -> tuple[str, ...]:
        """Names the average."""
        return (self.output,)

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Adds the weighted values up."""
        terms: list[exp.Expression] = [
            exp.Mul(this=double(weight), expression=self.before(self.value, back))
            for weight, back in zip(self.weights, reversed(range(self.length)), strict=True)
        ]
        return (balanced_sum(terms),)
