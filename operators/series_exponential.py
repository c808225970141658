"""Exponential averages of time series, without a loop over their rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, integer, new_feature, number, operator
from miningflow.sql.block import Block, Source
from miningflow.sql.conditions import is_null, when
from miningflow.sql.fragments.numbers import divided
from miningflow.sql.literals import column, double

from .series import Series, every, in_order

# The weight of the last value before a block of rows at the end of the block, relative to its
# start. Older values weigh less than the precision of a double.
FORGOTTEN = 1e-60


@operator
class ExponentialMovingFunction(Series):
    """Adds the exponential moving average of a series, in which older values count less and less.

    The average of a row is `head` times its value plus `tail` times the average of the row before;
    the average of the first row is its value. `head` and `tail` add up to 1, so `head` is enough.
    Each row keeps its key and all its features, and gets the average; with `distance` only every
    `distance`-th row of a series is kept, starting with the first.

    A row whose value is NULL has the average of the row before, or NULL if there was no value yet.
    A row without a time, or with NULL in `within`, belongs to no series and is left out. If times
    are equal, the row with the smaller key comes first. Weights depend on the number of rows
    between values, not on the time between them.

    The database computes the average with sums over blocks of rows, without recursion: within a
    block, values are weighted by powers of `tail`, and the block before stands for the past.
    """

    alias: ClassVar[str] = "ExponentialMovingAverage"
    finds: ClassVar[tuple[str, ...]] = ("EMA", "smoothing", "time series", "trend", "forecast")
    example: ClassVar[str] = """
    smooth:
      operator: ExponentialMovingFunction
      input: Customer
      time: since
      value: income
      within: [region]
      head: 0.3
      output: income_average
    """

    head: float = number("the weight of the current value", minimum=1e-6, maximum=0.999999)
    tail: float | None = number("the weight of the previous average: 1 − head", default=None)
    distance: int = integer("how many rows to advance from one kept row to the next", 1, minimum=1)
    output: str = new_feature("the feature for the average")

    def outline(self, notes: Notes) -> Concept:
        """Adds the average."""
        if self.tail is not None and abs(self.head + self.tail - 1) > 1e-9:
            notes.error(
                "tail",
                f"`head` and `tail` must add up to 1, got {self.head + self.tail:g}",
                f"leave `tail` out, or set it to {1 - self.head:g}",
            )
        self.check(notes, {"output": [self.output]})
        return self.input.with_features(Feature(self.output, "numeric"))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Sums weighted values within blocks of rows, and adds what remains of the block before."""
        known, block, weight, weighted, place = self.new_names(
            "known", "block", "weight", "weighted", "place"
        )
        tail = 1 - self.head
        size = block_size(tail)
        so_far = exp.Count(this=column(self.value.name))
        numbers = {known: in_order(so_far, self.groups, self.order, _SO_FAR)}
        if self.distance > 1:
            numbers[place] = self.along(exp.RowNumber())
        numbered = self.in_series(inputs).extend(numbers).layered()
        before = exp.Paren(this=column(known) - double(1))
        placed = numbered.extend({block: exp.Floor(this=divided(before, double(size)))}).layered()
        since = exp.Sub(this=before.copy(), expression=column(block) * double(size))
        weighed = placed.extend({weight: exp.Pow(this=double(tail), expression=since)}).layered()
        weighed = weighed.extend({weighted: self._part(weight, known)}).layered()
        here = in_order(exp.Sum(this=column(weighted)), [*self.groups, block], self.order, _SO_FAR)
        there = in_order(exp.Sum(this=column(weighted)), self.groups, [column(block)], _BEFORE)
        past = double(tail**size) * exp.Coalesce(this=there, expressions=[double(0)])
        total = exp.Paren(this=exp.Add(this=here, expression=past))
        average = column(weight) * total
        begun = column(known) > exp.Literal.number(0)
        result = weighed.extend({self.output: when(begun, average)})
        if self.distance == 1:
            return result
        (condition,) = every(place, 1, self.distance)
        return result.layered().filter(condition)

    def _part(self, weight: str, known: str) -> exp.Expression:
        """Returns what a row adds to the sum of its block: nothing if its value is NULL."""
        value = column(self.value.name)
        missing = is_null(value)
        first = column(known).eq(exp.Literal.number(1))
        share = double(self.head) * value
        later = exp.Div(this=share, expression=column(weight), typed=True, safe=False)
        return exp.Case(
            ifs=[exp.If(this=missing, true=double(0)), exp.If(this=first, true=value.copy())],
            default=later,
        )


def block_size(tail: float) -> int:
    """Returns the number of rows after which a value has practically no weight."""
    return max(1, math.ceil(math.log(FORGOTTEN) / math.log(tail)))


_SO_FAR = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
_BEFORE = exp.WindowSpec(
    kind="RANGE",
    start=exp.Literal.number(1),
    start_side="PRECEDING",
    end=exp.Literal.number(1),
    end_side="PRECEDING",
)
