"""Operators that compare scores with the truth: tables of lift and of calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, feature, integer, literal, operator
from miningflow.sql.block import Block, Source, grouped
from miningflow.sql.conditions import is_known
from miningflow.sql.counting import (
    as_double,
    count_if,
    minus,
    over_groups,
    plus,
    row_count,
    share,
    times,
)
from miningflow.sql.literals import column, double, text

from .measures import ACTUAL, DECISION, PART, PROBABILITY
from .truth import WithTruth, note_other_class

# Two parts of that many rows are the longest table.
MOST_BINS = 100
_IN_ORDER = (column(PART), column("bin"))


@operator
class LiftTable(WithTruth):
    """Divides rows by their score into tenths, and counts the positive ones in each.

    Bin 1 has the rows with the highest scores. Rows with equal scores are in the same bin, that of
    the first of them, so bins may differ in size, and one that is left empty has no row. `rate` is
    the share of positive rows in a bin, `lift` how many times the share of all rows that is, `gain`
    the share of all positive rows in this bin and those before it, `rows_so_far` the share of all
    rows, and `lift_so_far` the quotient of these two. Rows without truth or score are left out.
    Held-out rows and others have separate tables.
    """

    alias: ClassVar[str] = "Lift"
    finds: ClassVar[tuple[str, ...]] = ("gains", "deciles", "lift chart", "cumulative gain")
    example: ClassVar[str] = """
    best_first:
      operator: LiftTable
      input: Scored
      actual: lapsed
      positive: 'yes'
      decision: risk
    """

    actual: Feature = feature("the feature with the truth", types=["binary", "nominal"])
    positive: str = literal("the positive class")
    decision: Feature = feature(
        "the feature with the decision value or probability", types=["numeric"]
    )
    bins: int = integer("how many bins", default=10, minimum=2, maximum=MOST_BINS)

    def outline(self, notes: Notes) -> Concept:
        """Returns a row for each part and bin."""
        note_other_class("decision", self.decision, self.positive, notes)
        names = ["bin", "lowest", "highest", "rows", "positives", "rate", "lift"]
        names += ["rows_so_far", "gain", "lift_so_far"]
        return self.table_of(dict.fromkeys(names, "numeric"))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Ranks the rows, aggregates those of each bin, and adds up the bins."""
        rows = self.in_parts(inputs, {ACTUAL: self.actual, DECISION: self.decision})
        rows = _known(rows, DECISION).layered()
        rank = over_groups(
            exp.Anonymous(this="RANK"), [column(PART)], exp.Neg(this=column(DECISION))
        )
        number = over_groups(exp.Count(this=exp.Star()), [column(PART)])
        rows = rows.extend({"rank": as_double(rank), "all_rows": as_double(number)}).layered()
        before = times(minus(column("rank"), double(1)), double(self.bins))
        place = as_double(exp.Floor(this=share(before, column("all_rows"))))
        rows = rows.extend({"bin": plus(place, double(1))})
        binned = grouped(
            rows,
            [PART, "bin"],
            {
                "lowest": exp.Min(this=column(DECISION)),
                "highest": exp.Max(this=column(DECISION)),
                "rows": row_count(),
                "positives": count_if(_is(self.positive)),
            },
        )
        binned = binned.layered().extend(
            {
                "rows_before": _sum_to("rows", ordered=True),
                "positives_before": _sum_to("positives", ordered=True),
                "all_rows": _sum_to("rows"),
                "all_positives": _sum_to("positives"),
            }
        )
        rate, gain = (
            share(column("positives"), column("rows")),
            share(column("positives_before"), column("all_positives")),
        )
        overall = share(column("all_positives"), column("all_rows"))
        so_far = share(column("rows_before"), column("all_rows"))
        kept = {n: column(n) for n in (PART, "bin", "lowest", "highest", "rows", "positives")}
        return (
            binned.layered()
            .derive(
                {
                    **kept,
                    "rate": rate,
                    "lift": share(rate, overall),
                    "rows_so_far": so_far,
                    "gain": gain,
                    "lift_so_far": share(gain, so_far),
                }
            )
            .first(2 * MOST_BINS, _IN_ORDER)
        )


@operator
class CalibrationTable(WithTruth):
    """Compares probabilities with how often they came true, in intervals of equal width.

    The first interval is from 0 to its `highest` value, each other from above `lowest` to
    `highest`; one without rows is left out. In a row are the mean of its probabilities, the `rate`
    of positive rows, which should be the same, and the `difference` of both. `expected_error` is
    the mean size of that difference over the intervals of a part, each counted by its rows. Rows
    without truth, and those whose probability is NULL or not between 0 and 1, are left out.
    Held-out rows and others have separate tables.
    """

    alias: ClassVar[str] = "Calibration"
    finds: ClassVar[tuple[str, ...]] = ("reliability", "calibration_curve", "calibrated", "ECE")
    example: ClassVar[str] = """
    reliability:
      operator: CalibrationTable
      input: Scored
      actual: lapsed
      positive: 'yes'
      probability: risk
      bins: 5
    """

    actual: Feature = feature("the feature with the truth", types=["binary", "nominal"])
    positive: str = literal("the positive class")
    probability: Feature = feature(
        "the feature with the probability of the positive class", types=["numeric"]
    )
    bins: int = integer("how many intervals", default=10, minimum=2, maximum=MOST_BINS)

    def outline(self, notes: Notes) -> Concept:
        """Returns a row for each part and interval."""
        note_other_class("probability", self.probability, self.positive, notes)
        names = ["bin", "lowest", "highest", "rows", "positives", "mean_probability", "rate"]
        names += ["difference", "expected_error"]
        return self.table_of(dict.fromkeys(names, "numeric"))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Finds the interval of each row, and aggregates the rows of each."""
        edges = [float(edge) for edge in np.linspace(0, 1, self.bins + 1)]
        given = column(PROBABILITY)
        rows = self.in_parts(inputs, {ACTUAL: self.actual, PROBABILITY: self.probability})
        rows = _known(rows, PROBABILITY)
        rows = rows.filter(exp.GTE(this=given, expression=double(0)))
        rows = rows.filter(exp.LTE(this=given.copy(), expression=double(1)))
        rows = rows.extend({"bin": _by_edge(given, edges, range(1, self.bins + 1))}).layered()
        binned = grouped(
            rows,
            [PART, "bin"],
            {
                "rows": row_count(),
                "positives": count_if(_is(self.positive)),
                "mean_probability": exp.Avg(this=given.copy()),
            },
        )
        rate = share(column("positives"), column("rows"))
        named = {n: column(n) for n in (PART, "bin", "rows", "positives", "mean_probability")}
        binned = binned.derive(
            {
                **named,
                "rate": rate,
                "difference": minus(column("mean_probability"), rate),
            }
        ).layered()
        size = times(exp.Abs(this=column("difference")), column("rows"))
        error = share(over_groups(exp.Sum(this=size), [column(PART)]), _sum_to("rows"))
        whole = [float(i) for i in range(self.bins + 1)]
        kept = ["rows", "positives", "mean_probability", "rate", "difference"]
        return binned.derive(
            {
                PART: column(PART),
                "bin": column("bin"),
                "lowest": _by_edge(column("bin"), whole, edges[:-1]),
                "highest": _by_edge(column("bin"), whole, edges[1:]),
                **{name: column(name) for name in kept},
                "expected_error": error,
            }
        ).first(2 * MOST_BINS, _IN_ORDER)


def _known(rows: Block, score: str) -> Block:
    """Keeps the rows with truth and score."""
    return rows.filter(is_known(column(ACTUAL))).filter(is_known(column(score)))


def _is(positive: str) -> exp.Expression:
    return exp.EQ(this=column(ACTUAL), expression=text(positive))


def _sum_to(name: str, ordered: bool = False) -> exp.Expression:
    """Adds up a number over the bins of a part, all of them or those up to this one."""
    order = column("bin") if ordered else None
    return over_groups(exp.Sum(this=column(name)), [column(PART)], order)


def _by_edge(
    value: exp.Expression, edges: list[float], results: range | list[float]
) -> exp.Expression:
    """Returns the result for the interval in which a value is; it ends with its upper edge."""
    ifs = [
        exp.If(this=exp.LTE(this=value.copy(), expression=double(edge)), true=double(float(result)))
        for edge, result in zip(edges[1:-1], results, strict=False)
    ]
    return exp.Case(ifs=ifs, default=double(float(results[-1])))
