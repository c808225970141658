"""Series cut where their values leave a slope: each row says with which place its interval opens.

An interval opens with a value, and lasts as long as there is a straight line from that value
which no value is farther off than the tolerance. So a row needs the slopes that are still possible
for the row before: a recursive query, or on Spark, whose recursion ends after 100 rows, a fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from miningflow.sql.block import Block, Join, Named, Recursion, Values, grouped, over
from miningflow.sql.conditions import when
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.fragments.numbers import divided
from miningflow.sql.literals import column, double, unused

_LAST, _ROW = "last", "row"


@dataclass(frozen=True)
class SlopeShapes:
    """The place with which the interval of each row opens."""

    groups: tuple[str, ...]
    place: str
    """Numbers the rows of each series from 1."""
    moment: str
    """The time as a number."""
    value: str
    tolerance: float
    opened: str
    avoided: tuple[str, ...] = ()
    """Names of tables that parts of the query must not have."""
    tables: tuple[Values, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are read from the rows."""
        return (*self.groups, self.place, self.moment, self.value)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Returns the name of the column that is added."""
        return (self.opened,)

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the place, in SQL for one engine."""
        return (
            self._folded(rows) if DIALECTS[dialect].recursion == "fold" else self._recursive(rows)
        )

    def _recursive(self, rows: Block) -> Block:
        """Goes from row to row, in all series at once."""
        taken = [*rows.columns, self.opened]
        since, origin, low, high = (unused(n, taken) for n in ("since", "origin", "low", "high"))
        series, so_far = (unused(n, self.avoided) for n in ("series in order", "intervals so far"))
        source = Named(series, tuple(rows.columns))
        null = exp.cast(exp.Null(), "double")
        first = over(source).extend(
            {
                self.opened: column(self.place),
                since: column(self.moment),
                origin: column(self.value),
                low: null,
                high: null.copy(),
            }
        )
        first = first.filter(column(self.place).eq(exp.Literal.number(1)))
        state = [self.opened, since, origin, low, high]
        last = Named(so_far, tuple(first.columns))
        follows = column(self.place, _LAST) + exp.Literal.number(1)
        on = [column(g, _ROW).eq(column(g, _LAST)) for g in self.groups]
        on.append(exp.EQ(this=column(self.place, _ROW), expression=follows))
        columns = {name: column(name, _ROW) for name in rows.columns}
        columns |= {name: column(name, _LAST) for name in state}
        join = Join(_ROW, "inner", _all(on))
        joined = Block(columns, {_LAST: last, _ROW: source}, (join,)).layered()
        trees = [column(n) for n in (self.moment, self.value, since, origin, low, high)]
        cone = _Cone(self.tolerance, *trees)
        steep, flat, opens = (unused(n, [*taken, *state]) for n in ("at least", "at most", "opens"))
        judged = joined.extend({steep: cone.low, flat: cone.high}).layered()
        leaves = cone.leaves(column(steep), column(flat))
        decided = judged.extend({opens: when(leaves, double(1))}).layered()
        news = [column(self.place), column(self.moment), column(self.value), null, null]
        olds = [column(self.opened), column(since), column(origin), column(steep), column(flat)]
        is_new = column(opens).eq(double(1))
        chosen: dict[str, exp.Expression] = {
            name: when(is_new.copy(), new.copy(), old)
            for name, new, old in zip(state, news, olds, strict=True)
        }
        then = decided.extend(chosen).project(first.columns)
        return over(Recursion(so_far, series, rows, first, then)).project(
            [*rows.columns, self.opened]
        )

    def _folded(self, rows: Block) -> Block:
        """Goes through a list of each series, and gathers the places with which intervals open."""
        taken = [*rows.columns, self.opened]
        places, here, there = (unused(n, taken) for n in ("places", "rows of series", "series"))
        item = _call("STRUCT", *(column(n) for n in (self.place, self.moment, self.value)))
        items = _call("SORT_ARRAY", _call("COLLECT_LIST", item))
        gathered = grouped(rows, self.groups, {places: self._fold(items)})
        columns: dict[str, exp.Expression] = {n: column(n, here) for n in rows.columns}
        columns[places] = column(places, there)
        on = [column(g, here).eq(column(g, there)) for g in self.groups]
        join = Join(there, "inner", _all(on)) if on else Join(there, "cross")
        joined = Block(columns, {here: rows, there: gathered}, (join,)).layered()
        opens = _call("ARRAY_CONTAINS", column(places), column(self.place))
        opening = when(opens, column(self.place))
        order = exp.Order(expressions=[exp.Ordered(this=column(self.place), nulls_first=False)])
        last = exp.Window(
            this=exp.Max(this=opening),
            partition_by=[column(g) for g in self.groups],
            order=order,
        )
        return joined.extend({self.opened: last}).project([*rows.columns, self.opened])

    def _fold(self, items: exp.Expression) -> exp.Expression:
        names = ("since", "origin", "low", "high", "places")
        since, origin, low, high, places = (_field("s", name) for name in names)
        place, moment, value = (_field("v", n) for n in (self.place, self.moment, self.value))
        cone = _Cone(self.tolerance, moment, value, since, origin, low, high)
        empty = exp.ArraySize(this=places).eq(exp.Literal.number(0))
        opens = exp.or_(empty, cone.leaves(cone.low, cone.high), copy=False)
        null = exp.cast(exp.Null(), "double")
        nothing = exp.cast(exp.Array(expressions=[]), "array<bigint>")
        start = _struct(names, [double(0), double(0), null, null, nothing])
        added = _call("ARRAY_APPEND", places, exp.cast(place, "bigint"))
        new = _struct(names, [moment, value, null, null, added])
        old = _struct(names, [since, origin, cone.low, cone.high, places])
        step = when(opens, new, old)
        return _call("AGGREGATE", items, start, _function(step, "s", "v"), _function(places, "s"))


@dataclass(frozen=True)
class _Cone:
    """The slopes that are possible from the first value of an interval."""

    tolerance: float
    moment: exp.Expression
    value: exp.Expression
    since: exp.Expression
    origin: exp.Expression
    lowest: exp.Expression
    highest: exp.Expression

    @property
    def low(self) -> exp.Expression:
        """The least slope that a value leaves possible; NULL as long as all are."""
        least = slope_to(-self.tolerance, self.moment, self.value, self.since, self.origin)
        return exp.Greatest(this=self.lowest.copy(), expressions=[least], ignore_nulls=True)

    @property
    def high(self) -> exp.Expression:
        """The greatest slope that a value leaves possible."""
        most = slope_to(self.tolerance, self.moment, self.value, self.since, self.origin)
        return exp.Least(this=self.highest.copy(), expressions=[most], ignore_nulls=True)

    def leaves(self, low: exp.Expression, high: exp.Expression) -> exp.Expression:
        """Holds if no slope is left, or if a value at the same time is too far off."""
        none = exp.GT(this=low, expression=high)
        at_once = exp.EQ(this=self.moment.copy(), expression=self.since.copy())
        off = exp.Abs(this=exp.Sub(this=self.value.copy(), expression=self.origin.copy()))
        far = off > double(self.tolerance)
        return cast(exp.Expression, exp.or_(none, exp.and_(at_once, far, copy=False), copy=False))


def slope_to(
    tolerance: float,
    moment: exp.Expression,
    value: exp.Expression,
    since: exp.Expression,
    origin: exp.Expression,
) -> exp.Expression:
    """Returns the slope to a value plus a tolerance; NULL at the time where it starts."""
    apart = exp.Sub(this=value.copy(), expression=origin.copy())
    added = exp.Add if tolerance >= 0 else exp.Sub
    rise = added(this=apart, expression=double(abs(tolerance)))
    passed = exp.Paren(this=exp.Sub(this=moment.copy(), expression=since.copy()))
    return divided(exp.Paren(this=rise), passed)


def _all(conditions: Sequence[exp.Expression]) -> exp.Expression:
    return cast(exp.Expression, exp.and_(*conditions, copy=False))


def _struct(names: Sequence[str], trees: Sequence[exp.Expression]) -> exp.Expression:
    items: list[exp.Expression] = []
    for name, tree in zip(names, trees, strict=True):
        items += [exp.Literal.string(name), tree.copy()]
    return _call("NAMED_STRUCT", *items)


def _field(item: str, name: str) -> exp.Expression:
    return exp.Dot(this=exp.to_identifier(item), expression=exp.to_identifier(name, quoted=True))


def _function(tree: exp.Expression, *names: str) -> exp.Expression:
    return exp.Lambda(this=tree, expressions=[exp.to_identifier(name) for name in names])


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=[tree.copy() for tree in arguments])
