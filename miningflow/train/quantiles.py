"""The distribution of a numeric feature, learned in the database from any number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.declare import TrainingRows
from miningflow.declare.rows import learned_number
from miningflow.sql.block import Block, grouped, over
from miningflow.sql.literals import column, double, unused


@dataclass(frozen=True)
class Parts:
    """Parts of the known values in order: the greatest value of each, and its number of rows."""

    ends: tuple[float, ...]
    rows: tuple[int, ...]


def median_of(rows: TrainingRows, target: str) -> float:
    """Returns the value in the middle, or the mean of the two there."""
    _check_numbers(rows, target)
    found = rows.aggregate({"median": exp.Median(this=column(target))})
    return learned_number(found["median"], target)


def count_known(rows: TrainingRows, target: str) -> int:
    """Counts the known values of a feature that has nothing but numbers."""
    _check_numbers(rows, target)
    return int(rows.aggregate({"n": exp.Count(this=column(target))})["n"])


def equal_parts(rows: TrainingRows, target: str, most: int) -> Parts:
    """Divides the known values into at most `most` parts of equal size.

    Equal values stay together, so parts may be larger, and fewer. The i-th part ends at the value
    up to which at least i/most of the rows lie.
    """
    total = count_known(rows, target)
    n, upto = (unused(name, [target]) for name in ("n", "upto"))
    counted = rows.computed([target], lambda block: _cumulated(block, target, n, upto))
    before = exp.Paren(this=column(upto) - column(n))
    reached = exp.GT(
        this=_parts_below(column(upto), most, total), expression=_parts_below(before, most, total)
    )
    batches = list(counted.batches([target, upto], where=reached))
    ends = np.concatenate([batch[target] for batch in batches])
    order = np.argsort(ends)
    reaching = np.concatenate([batch[upto] for batch in batches])[order]
    return Parts(
        tuple(float(end) for end in ends[order]),
        tuple(int(size) for size in np.diff(reaching, prepend=0)),
    )


def merged(parts: Parts, least: int) -> Parts:
    """Merges neighbours until every part has at least `least` rows, or one is left."""
    ends: list[float] = []
    sizes: list[int] = []
    for end, size in zip(parts.ends, parts.rows, strict=True):
        if sizes and sizes[-1] < least:
            ends[-1], sizes[-1] = end, sizes[-1] + size
        else:
            ends.append(end)
            sizes.append(size)
    if len(sizes) > 1 and sizes[-1] < least:
        end, size = ends.pop(), sizes.pop()
        ends[-1], sizes[-1] = end, sizes[-1] + size
    return Parts(tuple(ends), tuple(sizes))


def shares(counts: Sequence[int]) -> list[float]:
    """Returns the share of each count."""
    return [count / sum(counts) for count in counts]


def _check_numbers(rows: TrainingRows, target: str) -> None:
    """Refuses a feature without known values, and one with NaN or infinity."""
    found = rows.aggregate(
        {"low": exp.Min(this=column(target)), "high": exp.Max(this=column(target))}
    )
    for value in found.values():
        learned_number(value, target)


def _cumulated(block: Block, target: str, n: str, upto: str) -> Block:
    """Counts each value, and the rows up to it."""
    how_many = exp.cast(exp.Count(this=exp.Star()), "double")
    counted = over(grouped(block, [target], {n: how_many}))
    order = exp.Order(expressions=[exp.Ordered(this=column(target), nulls_first=False)])
    so_far = exp.Window(this=exp.Sum(this=column(n)), order=order)
    return counted.extend({upto: so_far}).layered()


def _parts_below(count: exp.Expression, most: int, total: int) -> exp.Expression:
    scaled = exp.Mul(this=count, expression=double(most))
    share = exp.Div(this=scaled, expression=double(total), typed=True, safe=False)
    return exp.Floor(this=share)
