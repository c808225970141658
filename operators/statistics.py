"""Operators that sum rows up."""

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
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, grouped
from miningflow.sql.literals import column

from .groups import counted, group_concept, group_estimate, note_clashes, where_it_is


@operator
class SpecifiedStatistics(Operator):
    """Gives chosen statistics of a concept: one row, or one for each group.

    Each statistic is a numeric feature, called after the feature that it is about: `amount_sum`,
    `amount_count` (how many values are known), `kind_unique` (how many different ones) and, for a
    distribution, `kind_glass` (how many rows have that value). The values of a distribution are
    written in the case, so that it is known without data which features there are; a value that is
    not listed is not counted.

    NULL is left out of every statistic. A sum over nothing is NULL, a count 0. Without `group_by`
    there is one row even if the input has none. If rows are grouped by a single feature, this is
    the key of the result. In `group_by`, NULL is a group of its own, which no later join finds.
    """

    family: ClassVar[Family] = "aggregation"
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

    input: Concept = concept("the concept to sum up")
    sum: tuple[Feature, ...] | None = features(
        "features to add up", types=["numeric"], default=None
    )
    count: tuple[Feature, ...] | None = features(
        "features of which to count the known values", default=None
    )
    unique: tuple[Feature, ...] | None = features(
        "features of which to count the different values", default=None
    )
    distribution: dict[str, tuple[str, ...]] | None = feature_values(
        "feature → values, each of which is counted",
        types=["nominal", "binary", "numeric"],
        default=None,
    )
    rows: str | None = new_feature("the number of rows, if it is wanted", default=None)
    group_by: tuple[Feature, ...] | None = features(
        "features whose values make the groups", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Gives a number for each statistic."""
        made = {name: parameter for parameter, name, _ in self._statistics()}
        if not made:
            notes.mistake(
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
        """Counts the groups."""
        return group_estimate(
            inputs[self.input.name], [f.name for f in self.group_by or ()], output
        )

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the rows; the statistics are aggregates."""
        by = [feature.name for feature in self.group_by or ()]
        trees = {name: tree for _, name, tree in self._statistics()}
        return grouped(inputs[self.input.name], by, trees)

    def _statistics(self) -> list[tuple[str, str, exp.Expression]]:
        """Gives for each statistic the parameter, the name and the aggregate."""
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
