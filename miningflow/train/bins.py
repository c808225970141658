"""Bins of features, numbered and counted in the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.declare import Feature, TrainingRows
from miningflow.learn.arrays import Matrix
from miningflow.learn.subgroups import Attribute, Part, ranges
from miningflow.learn.subgroups import values as single_bins
from miningflow.sql.block import Block, grouped, over
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double, text

from .quantiles import equal_parts
from .value_counts import value_counts

MOST_VALUES = 40


@dataclass(frozen=True)
class Bins:
    """The bins of a feature: one for each value, or one between each two cut points."""

    feature: Feature
    values: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()

    @property
    def attribute(self) -> Attribute:
        """The bins as the search for subgroups sees them."""
        if self.feature.type != "numeric":
            return Attribute(len(self.values), single_bins(len(self.values)))
        count = len(self.cuts) + 1
        return Attribute(count, ranges(count))

    def number(self) -> exp.Expression:
        """Returns the number of the bin that a row is in, from 1; 0 if it is in none."""
        name = column(self.feature.name)
        tests: list[exp.Expression] = [name.eq(text(v)) for v in self.values]
        tests += [name <= double(cut) for cut in self.cuts]
        if self.cuts:
            tests.append(name > double(self.cuts[-1]))
        ifs = [exp.If(this=test, true=double(i + 1)) for i, test in enumerate(tests)]
        return exp.Case(ifs=ifs, default=double(0)) if ifs else double(0)

    def described(self, part: Part) -> str:
        """Writes a range of bins as a condition."""
        first, last = part
        name = self.feature.name
        if self.feature.type != "numeric":
            return f"{name} = {self.values[first - 1]}"
        if first == 1:
            return f"{name} ≤ {self.cuts[last - 1]:g}"
        if last == len(self.cuts) + 1:
            return f"{name} > {self.cuts[first - 2]:g}"
        return f"{self.cuts[first - 2]:g} < {name} ≤ {self.cuts[last - 1]:g}"


def learn_bins(rows: TrainingRows, feature: Feature, intervals: int, least: int) -> Bins:
    """Learns bins: intervals with equally many rows, or the values that have at least `least`."""
    if not rows.aggregate({"n": exp.Count(this=column(feature.name))})["n"]:
        return Bins(feature)
    if feature.type == "numeric":
        return Bins(feature, cuts=equal_parts(rows, feature.name, intervals).ends[:-1])
    counts = value_counts(rows, feature.name)
    frequent = sorted(counts, key=lambda v: (-counts[v], v))[:MOST_VALUES]
    return Bins(feature, values=tuple(sorted(v for v in frequent if counts[v] >= least)))


def count_bins(
    rows: TrainingRows, bins: Sequence[Bins], target: str, value: str
) -> tuple[Matrix, Matrix]:
    """Counts for each combination of bins the rows, and the rows in which the target has a value.

    Rows without a target are left out.
    """
    names = [f"bin {i + 1}" for i in range(len(bins))]
    has_value = column(target).eq(text(value))
    positive = exp.Sum(this=when(has_value, double(1), double(0)))
    aggregates: dict[str, exp.Expression] = {
        "rows": exp.Count(this=exp.Star()),
        "positives": positive,
    }

    def counted(block: Block) -> Block:
        numbers = {name: b.number() for name, b in zip(names, bins, strict=True)}
        binned = over(block).extend({**numbers}).layered() if numbers else block
        return over(grouped(binned, names, aggregates))

    shape = tuple(b.attribute.bins + 1 for b in bins)
    totals, positives = np.zeros(shape), np.zeros(shape)
    for batch in rows.computed([target], counted).batches([*names, "rows", "positives"]):
        place = tuple(batch[name].astype(np.intp) for name in names)
        totals[place] = batch["rows"] if names else batch["rows"][0]
        positives[place] = batch["positives"] if names else np.nan_to_num(batch["positives"][0])
    return totals, positives
