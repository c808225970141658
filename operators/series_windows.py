"""Windows over time series: their values as features, and averages of them."""

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
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum

from .series import Series, every


@operator
class Windows(Series):
    """Shared by operators that look at a series through a window of a given number of rows.

    A window consists of rows that follow each other in time; it counts rows, so a missing day
    leaves no gap. Each window becomes one row, its last, with all features and the key of that row,
    so its time is the end of the window.
    """

    distance: int = integer(
        "how many rows to advance from one window to the next", default=1, minimum=1
    )
    start: str | None = new_feature(
        "the feature for the time of the first row; by default the name of `time` with '_start'",
        default=None,
    )

    @property
    def start_name(self) -> str:
        """The feature for the time of the first row."""
        return self.start or f"{self.time.name}_start"

    @property
    def length(self) -> int:
        """The number of rows in a window."""
        raise NotImplementedError

    def value_names(self) -> tuple[str, ...]:
        """Names the features that hold the values of a window."""
        raise NotImplementedError

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Returns the values of the window that ends with a row."""
        raise NotImplementedError

    def outline(self, notes: Notes) -> Concept:
        """Adds the start of the window and its values to its last row."""
        names = self.value_names()
        self.check(notes, {"start": [self.start_name], "output": names})
        return self.input.with_features(
            Feature(self.start_name, self.time.type), *(Feature(n, "numeric") for n in names)
        )

    def rows_left(self, whole: ConceptEstimate) -> float | None:
        """Assumes that all series are equally long; each has fewer windows than rows."""
        series = grouped_rows(whole, self.groups).likely
        if whole.rows.likely is None or not series:
            return None
        rows = whole.rows.likely / series
        return series * max(0.0, (rows - self.length) // self.distance + 1)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Looks back from each row, and keeps the rows at which a window ends."""
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
        """Returns the value of a feature a number of rows before."""
        if rows == 0:
            return column(feature.name)
        offset = exp.Literal.number(rows)
        return self.along(exp.Lag(this=column(feature.name), offset=offset))


@operator
class Windowing(Windows):
    """Makes a row of each window of a series, with its start, its end and its values.

    A window consists of `size` rows of a series that follow each other in time. It becomes one row,
    its last: that row keeps its key and all its features, `time` is the end of the window, and it
    gets the time of the first row and the values, oldest first, as `sales_1` to `sales_4`. The last
    value can be the target of a model that predicts it from the others.

    Windows start `distance` rows apart, beginning with the first row of the series. A series with
    fewer rows than `size` has no window. Windows count rows, so a missing day leaves no gap. NULL
    in the value is NULL in the window. A row without a time, or with NULL in `within`, belongs to
    no series and is left out. If times are equal, the row with the smaller key comes first.

    Held-out rows stay held out, but their values occur in the windows of later rows. If that
    matters, hold out whole series, by a relation to the features in `within`, or learn from early
    rows only.
    """

    alias: ClassVar[str] = "Window"
    finds: ClassVar[tuple[str, ...]] = (
        "lag",
        "sliding window",
        "previous values",
        "time series",
        "forecast",
    )
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

    size: int = integer("how many rows each window has", minimum=2, maximum=500)
    output: str | None = new_feature(
        "how the names of the values begin, before their number; by default with `value`",
        default=None,
    )

    @property
    def length(self) -> int:
        """The number of rows in a window."""
        return self.size

    def value_names(self) -> tuple[str, ...]:
        """Numbers the values."""
        return tuple(f"{self.output or self.value.name}_{i + 1}" for i in range(self.size))

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Returns each value of the window."""
        return tuple(self.before(self.value, i) for i in reversed(range(self.size)))


@operator
class SimpleMovingFunction(Windows):
    """Adds the simple moving average of a series: the mean of its last values.

    A window consists of `size` rows of a series that follow each other in time. It becomes one row,
    its last: that row keeps its key and all its features, `time` is the end of the window, and it
    gets the time of the first row and the average.

    Windows start `distance` rows apart, beginning with the first row of the series. A series with
    fewer rows than `size` has no window. Windows count rows, so a missing day leaves no gap. If a
    value in the window is NULL, the average is NULL. A row without a time, or with NULL in
    `within`, belongs to no series and is left out. If times are equal, the row with the smaller key
    comes first.
    """

    alias: ClassVar[str] = "MovingAverage"
    finds: ClassVar[tuple[str, ...]] = (
        "SMA",
        "rolling mean",
        "smoothing",
        "time series",
        "forecast",
    )
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

    size: int = integer("how many rows each window has", minimum=2, maximum=1_000_000)
    output: str = new_feature("the feature for the average")

    @property
    def length(self) -> int:
        """The number of rows in a window."""
        return self.size

    def value_names(self) -> tuple[str, ...]:
        """Names the average."""
        return (self.output,)

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Returns the average, or NULL if a value is missing."""
        value = column(self.value.name)
        known = self.along(exp.Count(this=value), last=self.size)
        whole = exp.EQ(this=known, expression=exp.Literal.number(self.size))
        average = self.along(exp.Avg(this=value.copy()), last=self.size)
        return (when(whole, average),)


@operator
class WeightedMovingFunction(Windows):
    """Adds the weighted moving average of a series: the mean of its last values by given weights.

    A window has as many rows as there are `weights`; the first weight is that of the oldest value,
    and the weights add up to 1. A window becomes one row, its last: that row keeps its key and all
    its features, `time` is the end of the window, and it gets the time of the first row and the
    weighted average.

    Windows start `distance` rows apart, beginning with the first row of the series. A series with
    fewer rows has no window. Windows count rows, so a missing day leaves no gap. If a value in the
    window is NULL, the average is NULL. A row without a time, or with NULL in `within`, belongs to
    no series and is left out. If times are equal, the row with the smaller key comes first.
    """

    alias: ClassVar[str] = "WeightedMovingAverage"
    finds: ClassVar[tuple[str, ...]] = (
        "WMA",
        "rolling mean",
        "smoothing",
        "time series",
        "forecast",
    )
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

    weights: tuple[float, ...] = weights("the weights of the values, oldest first", minimum=2)
    output: str = new_feature("the feature for the average")

    @property
    def length(self) -> int:
        """The number of rows in a window."""
        return len(self.weights)

    def value_names(self) -> tuple[str, ...]:
        """Names the average."""
        return (self.output,)

    def value_trees(self) -> tuple[exp.Expression, ...]:
        """Returns the sum of the weighted values."""
        terms: list[exp.Expression] = [
            exp.Mul(this=double(weight), expression=self.before(self.value, back))
            for weight, back in zip(self.weights, reversed(range(self.length)), strict=True)
        ]
        return (balanced_sum(terms),)
