"""Exponential averages of time series, without a loop over their rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, integer, new_feature, number, operator
from miningflow.sql.block import Block, Source
from miningflow.sql.fragments.numbers import divided
from miningflow.sql.literals import column, double

from .series import Series, every, in_order

# How much less the last value before a block of rows counts at its end than at its start. What
# lies before that counts this much less than what a double can hold beside it.
FORGOTTEN = 1e-60


@operator
class ExponentialMovingFunction(Series):
    """Averages a series so that older values count less and less: an exponential moving average.

    The average of a row is `head` times its value plus `tail` times the average of the row before;
    that of the first row is its value. So `head` and `tail` are together 1, and one is enough. Each
    row keeps its key and all its features, and gets the average; with `distance` only every
    so-many-th row of a series, from the first on.

    A row with NULL for its value has the average of the row before, and NULL if there was no value
    yet. A row without a time, or with NULL in `within`, is in no series and left out. Of equal
    times the row with the smaller key comes first. Rows count, and not the time between them.

    The database computes it with sums over blocks of rows, and no recursion: within a block values
    are weighted by the power of `tail` that they have at its start, and the block before is what is
    left of the past.
    """

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

    head: float = number("the weight of the new value", minimum=1e-6, maximum=0.999999)
    tail: float | None = number("the weight of the average so far: 1 − head", default=None)
    distance: int = integer("how many rows after one row the next one follows", 1, minimum=1)
    output: str = new_feature("the feature for the average")

    def outline(self, notes: Notes) -> Concept:
        """Adds the average."""
        if self.tail is not None and abs(self.head + self.tail - 1) > 1e-9:
            notes.mistake(
                "tail",
                f"`head` and `tail` add up to {self.head + self.tail:g}, and not to 1",
                f"leave `tail` out, or write {1 - self.head:g}",
            )
        self.check(notes, {"output": [self.output]})
        return self.input.with_features(Feature(self.output, "numeric"))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds up weighted values within blocks of rows, and what is left of the block before."""
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
        before = exp.Paren(this=exp.Sub(this=column(known), expression=double(1)))
        placed = numbered.extend({block: exp.Floor(this=divided(before, double(size)))}).layered()
        since = exp.Sub(
            this=before.copy(), expression=exp.Mul(this=column(block), expression=double(size))
        )
        weighed = placed.extend({weight: exp.Pow(this=double(tail), expression=since)}).layered()
        weighed = weighed.extend({weighted: self._part(weight, known)}).layered()
        here = in_order(exp.Sum(this=column(weighted)), [*self.groups, block], self.order, _SO_FAR)
        there = in_order(exp.Sum(this=column(weighted)), self.groups, [column(block)], _BEFORE)
        past = exp.Mul(
            this=double(tail**size), expression=exp.Coalesce(this=there, expressions=[double(0)])
        )
        total = exp.Paren(this=exp.Add(this=here, expression=past))
        average = exp.Mul(this=column(weight), expression=total)
        begun = exp.GT(this=column(known), expression=exp.Literal.number(0))
        result = weighed.extend({self.output: exp.Case(ifs=[exp.If(this=begun, true=average)])})
        if self.distance == 1:
            return result
        (condition,) = every(place, 1, self.distance)
        return result.layered().filter(condition)

    def _part(self, weight: str, known: str) -> exp.Expression:
        """Gives what a row adds to the sum of its block: nothing without a value."""
        value = column(self.value.name)
        missing = exp.Is(this=value, expression=exp.Null())
        first = exp.EQ(this=column(known), expression=exp.Literal.number(1))
        share = exp.Mul(this=double(self.head), expression=value.copy())
        later = exp.Div(this=share, expression=column(weight), typed=True, safe=False)
        return exp.Case(
            ifs=[exp.If(this=missing, true=double(0)), exp.If(this=first, true=value.copy())],
            default=later,
        )


def block_size(tail: float) -> int:
    """Gives the number of rows after which a value counts as good as nothing."""
    return max(1, math.ceil(math.log(FORGOTTEN) / math.log(tail)))


_SO_FAR = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
_BEFORE = exp.WindowSpec(
    kind="RANGE",
    start=exp.Literal.number(1),
    start_side="PRECEDING",
    end=exp.Literal.number(1),
    end_side="PRECEDING",
)
