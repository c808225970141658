"""Time series as symbols: intervals in which a value rises, falls or stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, new_feature, number, operator
from miningflow.declare.estimates import ConceptEstimate
from miningflow.sql.block import Block, PerEngine, Source, over
from miningflow.sql.fragments.numbers import divided
from miningflow.sql.fragments.times import days_since
from miningflow.sql.literals import column, double, text
from miningflow.sql.slopes import SlopeShapes, slope_to

from .series import Series

_BEGINNING = "1970-01-01"


@operator
class SignalToSymbolProcessing(Series):
    """Cuts a series into intervals, and says of each whether the value rises, falls or is steady.

    An interval opens with a value. It goes on as long as there is a straight line from that value
    which no value of the interval is farther off than `tolerance`; the first value that leaves
    every such line opens the next interval. An interval becomes the row with which it opens: that
    row keeps its key and all its features, `time` is the start of the interval, and it gets the
    time of the last row, the average of the values, the slope of the line in the middle of those
    that are possible (per day, or per unit of a numeric time), and a symbol: `rising` or `falling`
    if the line rises or falls by more than `tolerance` from the start to the end, or else `steady`.
    An interval of one row has no slope and is steady.

    Rows with NULL for the value, the time or in `within` are left out. Of equal times the row with
    the smaller key comes first; a value at the time of the start that differs from it by more than
    the tolerance opens an interval, too. Nothing is learned: new rows have intervals of their own.

    Rows are gone through one after the other, in all series at once, by a recursive query. On
    DuckDB a million rows took 2 seconds as a thousand series, and 40 as a single one. PostgreSQL
    takes long for series of more than some thousand rows.
    """

    example: ClassVar[str] = """
    phases:
      operator: SignalToSymbolProcessing
      input: Customer
      time: since
      value: household
      within: [region]
      tolerance: 1.5
      output: phase
    """

    tolerance: float = number("how far a value may be off the line", minimum=0)
    output: str = new_feature("the feature for the symbol: `rising`, `falling` or `steady`")
    end: str | None = new_feature(
        "the feature for the time of the last row; by default `time` with '_end'", default=None
    )
    average: str | None = new_feature(
        "the feature for the average; by default `value` with '_average'", default=None
    )
    slope: str | None = new_feature(
        "the feature for the slope; by default `value` with '_slope'", default=None
    )

    @property
    def added(self) -> tuple[str, str, str]:
        """Names the features for the end, the average and the slope."""
        return (
            self.end or f"{self.time.name}_end",
            self.average or f"{self.value.name}_average",
            self.slope or f"{self.value.name}_slope",
        )

    def outline(self, notes: Notes) -> Concept:
        """Adds end, average, slope and symbol to the first row of an interval."""
        end, average, steepness = self.added
        names = {"end": end, "average": average, "slope": steepness, "output": self.output}
        self.check(notes, {parameter: [name] for parameter, name in names.items()})
        return self.input.with_features(
            Feature(end, self.time.type),
            Feature(average, "numeric"),
            Feature(steepness, "numeric"),
            Feature(self.output, "nominal"),
        )

    def rows_left(self, whole: ConceptEstimate) -> float | None:
        """Cannot know how many intervals there will be."""
        return None

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Finds where intervals open, and sums each up in the row with which it does."""
        words = ("place", "moment", "opened", "since", "origin", "duration")
        place, moment, opened, since, origin, duration = self.new_names(*words)
        value = column(self.value.name)
        known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        rows = self.in_series(inputs).filter(known)
        rows = rows.extend({place: self.along(exp.RowNumber()), moment: self._moment()})
        shapes = SlopeShapes(
            tuple(self.groups),
            place,
            moment,
            self.value.name,
            self.tolerance,
            opened,
            avoided=(self.input.name,),
        )
        cut = over(PerEngine(rows, shapes, (*rows.columns, opened)))
        groups = [*self.groups, opened]
        is_first = exp.EQ(this=column(place), expression=column(opened))
        first_value = exp.Max(this=exp.Case(ifs=[exp.If(this=is_first, true=value.copy())]))
        begun = cut.extend(
            {
                since: over_interval(exp.Min(this=column(moment)), groups),
                origin: over_interval(first_value, groups),
            }
        ).layered()
        end, average, steepness = self.added
        trees = [column(moment), value, column(since), column(origin)]
        least = over_interval(exp.Max(this=slope_to(-self.tolerance, *trees)), groups)
        most = over_interval(exp.Min(this=slope_to(self.tolerance, *trees)), groups)
        middle = divided(exp.Paren(this=exp.Add(this=least, expression=most)), double(2))
        last = over_interval(exp.Max(this=column(moment)), groups)
        summed = begun.extend(
            {
                end: over_interval(exp.Max(this=column(self.time.name)), groups),
                average: over_interval(exp.Avg(this=value.copy()), groups),
                steepness: middle,
                duration: exp.Sub(this=last, expression=column(since)),
            }
        ).layered()
        summed = summed.filter(is_first.copy())
        height = exp.Mul(this=column(steepness), expression=column(duration))
        return summed.extend({self.output: self._symbol(height)})

    def _moment(self) -> exp.Expression:
        """Gives the time as a number: days, or what it is."""
        if self.time.type == "numeric":
            return column(self.time.name)
        return days_since(_BEGINNING, column(self.time.name))

    def _symbol(self, height: exp.Expression) -> exp.Expression:
        up = exp.GT(this=height, expression=double(self.tolerance))
        down = exp.LT(this=height.copy(), expression=double(-self.tolerance))
        return exp.Case(
            ifs=[exp.If(this=up, true=text("rising")), exp.If(this=down, true=text("falling"))],
            default=text("steady"),
        )


def over_interval(aggregate: exp.Expression, groups: list[str]) -> exp.Expression:
    """Computes an aggregate over the rows of each interval."""
    return exp.Window(this=aggregate, partition_by=[column(name) for name in groups])
