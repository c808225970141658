"""Statistics as SQL: many aggregates in one scan, frequent values and histograms in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from miningflow.sql.block import Block, Source, grouped, over
from miningflow.sql.conditions import is_known, when
from miningflow.sql.fragments.times import difference
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.models.finite import finite, is_finite

EPOCH = "1970-01-01"
DEVIATION_UPTO = 1e140
"""Beyond this a square may not be a number any more."""


def number_of(name: str, kind: str) -> exp.Expression | None:
    """Returns a feature as a number, times in seconds since 1970; None if it is neither."""
    if kind == "numeric":
        return column(name)
    if kind == "time":
        epoch = exp.Cast(this=text(EPOCH), to=exp.DataType.build("timestamp"))
        return difference("second", epoch, column(name))
    return None


def as_numbers(source: Source, kinds: Mapping[str, str]) -> Block:
    """Returns rows in which times are numbers, so that no aggregate needs to turn them."""
    block = over(source)
    times = {n: number_of(n, kind) for n, kind in kinds.items() if kind == "time"}
    return block.extend({n: tree for n, tree in times.items() if tree is not None}).layered()


def summary(
    kinds: Mapping[str, str], quantiles: Iterable[float], exact: bool
) -> dict[str, exp.Expression]:
    """Returns the aggregates of all features, each called by its position and what it is."""
    found: dict[str, exp.Expression] = {}
    levels = list(quantiles)
    for i, (name, kind) in enumerate(kinds.items()):
        found[f"known {i}"] = exp.Count(this=column(name))
        found[f"distinct {i}"] = _distinct(name, exact)
        if kind not in ("numeric", "time"):
            continue
        value = finite(column(name))
        found[f"finite {i}"] = exp.Count(this=value.copy())
        found[f"min {i}"] = exp.Min(this=value.copy())
        found[f"max {i}"] = exp.Max(this=value.copy())
        found[f"mean {i}"] = exp.Avg(this=value.copy())
        found[f"deviation {i}"] = _deviation(name)
        found[f"quantiles {i}"] = _quantiles(value, levels, exact)
    return found


def frequent(source: Source, name: str, most: int, index: int) -> Block:
    """Returns the most frequent values as texts, with how often each occurs."""
    known = over(source).filter(is_known(column(name)))
    n = unused("n", [name])
    counted = grouped(known, [name], {n: exp.Count(this=exp.Star())})
    lines = _lines(counted, index, name, n)
    return lines.first(most, [exp.Neg(this=column("n")), column("value")]).layered()


def binned(source: Source, name: str, low: float, high: float, bins: int, index: int) -> Block:
    """Counts the rows in parts of equal width; the last one holds the greatest value, too."""
    width = double((high - low) / bins)
    above = exp.Paren(this=column(name) - double(low))
    floor = exp.Floor(this=exp.Div(this=above, expression=width, typed=False, safe=False))
    part = exp.Least(this=floor, expressions=[double(bins - 1)])
    rows = over(source).filter(is_finite(column(name))).project([name])
    number = unused("part", [name])
    counted = grouped(
        rows.extend({number: part}).layered(), [number], {"n": exp.Count(this=exp.Star())}
    )
    return _lines(counted, index, number, "n")


def _lines(counted: Block, index: int, value: str, n: str) -> Block:
    """Writes counts as lines of three columns, so that those of many features can be appended."""
    lines = {
        "feature": double(index),
        "value": exp.Cast(this=column(value), to=exp.DataType.build("text")),
        "n": exp.cast(column(n), "DOUBLE"),
    }
    return counted.layered().derive(lines).layered()


def _distinct(name: str, exact: bool) -> exp.Expression:
    if not exact:
        return exp.ApproxDistinct(this=column(name))
    return exp.Count(this=exp.Distinct(expressions=[column(name)]))


def _deviation(name: str) -> exp.Expression:
    limit = column(name).between(double(-DEVIATION_UPTO), double(DEVIATION_UPTO))
    return exp.StddevSamp(this=when(limit, column(name)))


def _quantiles(value: exp.Expression, levels: list[float], exact: bool) -> exp.Expression:
    wanted = exp.Array(expressions=[exp.Literal.number(level) for level in levels])
    if not exact:
        return exp.ApproxQuantile(this=value.copy(), quantile=wanted)
    order = exp.Order(expressions=[exp.Ordered(this=value.copy())])
    return exp.WithinGroup(this=exp.PercentileCont(this=wanted), expression=order)
