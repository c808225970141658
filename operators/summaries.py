"""The operator that computes statistics of a concept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    concept,
    feature_values,
    features,
    new_feature,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate
from miningflow.declare.group_concepts import (
    counted,
    group_concept,
    group_estimate,
    note_clashes,
    where_it_is,
)
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, grouped
from miningflow.sql.literals import column


@operator
class SpecifiedStatistics(Operator):
    """Computes chosen statistics of a concept, in one row or in one row for each group.

    Each statistic is a numeric feature named after the feature it describes: `amount_sum`,
    `amount_count` (the number of known values), `kind_unique` (the number of different values) and,
    for a distribution, `kind_glass` (the number of rows with that value). The values of a
    distribution are listed in the case, so that the features are known without data; values that
    are not listed are not counted.

    NULL is left out of every statistic. The sum of no values is NULL, their count is 0. Without
    `group_by` there is one row, even if the input has none. If rows are grouped by a single
    feature, that feature is the key of the result. In `group_by`, NULL forms a separate group,
    which no later join finds.
    """

    family: ClassVar[Family] = "aggregation"
    alias: ClassVar[str] = "Statistics"
    finds: ClassVar[tuple[str, ...]] = ("group by", "summarize", "describe", "sum", "count")
    example: ClassVar[str] = """
    claims_by_customer:
      operator: SpecifiedStatistics
      input: Claim
      sum: [amount]
      count: [amount, filed]
      unique: [kind]
      distribution: {kind: [glass, theft]}
      rows: claims
      group_by: [customer_id]
    """

    input: Concept = concept("the concept to compute statistics of")
    sum: tuple[Feature, ...] | None = features(
        "the features to sum", types=["numeric"], default=None
    )
    count: tuple[Feature, ...] | None = features(
        "the features whose known values to count", default=None
    )
    unique: tuple[Feature, ...] | None = features(
        "the features whose different values to count", default=None
    )
    distribution: dict[str, tuple[str, ...]] | None = feature_values(
        "a map of features to the values to count, each separately",
        types=["nominal", "binary", "numeric"],
        default=None,
    )
    rows: str | None = new_feature(
        "the feature for the number of rows; by default it is not computed", default=None
    )
    group_by: tuple[Feature, ...] | None = features("the features to group by", default=None)

    def outline(self, notes: Notes) -> Concept:
        """Adds a numeric feature for each statistic."""
        made = {name: parameter for parameter, name, _ in self._statistics()}
        if not made:
            notes.error(
                "",
                "SpecifiedStatistics needs something to compute",
                "give 'sum', 'count', 'unique', 'distribution' or 'rows'",
            )
        names = [name for _, name, _ in self._statistics()]
        by = self.group_by or ()
        taken = [f.name for f in by] + [n for i, n in enumerate(names) if n in names[:i]]
        note_clashes(notes, made, taken, "rename the feature first, or leave one out")
        return group_concept(self.input, by, [Feature(name, "numeric") for name in made])

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates the number of groups."""
        return group_estimate(
            inputs[self.input.name], [f.name for f in self.group_by or ()], output
        )

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the rows, and computes the statistics as aggregates."""
        by = [feature.name for feature in self.group_by or ()]
        trees = {name: tree for _, name, tree in self._statistics()}
        return grouped(inputs[self.input.name], by, trees)

    def _statistics(self) -> list[tuple[str, str, exp.Expression]]:
        """Returns the parameter, the name and the aggregate of each statistic."""
        found: list[tuple[str, str, exp.Expression]] = []
        if self.rows is not None:
            found.append(("rows", self.rows, counted(exp.Count(this=exp.Star()))))
        for feature in self.sum or ():
            found.append(("sum", f"{feature.name}_sum", exp.Sum(this=column(feature.name))))
        for feature in self.count or ():
            known = exp.Count(this=column(feature.name))
            found.append(("count", f"{feature.name}_count", counted(known)))
        for feature in self.unique or ():
            different = exp.Count(this=exp.Distinct(expressions=[column(feature.name)]))
            found.append(("unique", f"{feature.name}_unique", counted(different)))
        for name, values in (self.distribution or {}).items():
            feature = self.input.features.get(name, Feature(name, "nominal"))
            for value in values:
                rows = exp.Count(this=where_it_is(feature, value, exp.Literal.number(1)))
                found.append(("distribution", f"{name}_{value}", counted(rows)))
        return found
