"""Operators that aggregate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from sqlglot import exp

from miningflow.declare import (
    Aggregates,
    Concept,
    Feature,
    FeatureType,
    Notes,
    Operator,
    Relation,
    aggregates,
    concept,
    operator,
    relation,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate, carried
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Join, Scan, Source, beside, grouped
from miningflow.sql.literals import column, double, unused


@operator
class AggregateByRelation(Operator):
    """Aggregates the many side of a 1:n relation to its one side.

    A row of the input to which no row of the many side points has 0 for a count and NULL for
    everything else. An aggregate over a deselected feature is itself deselected.
    """

    family: ClassVar[Family] = "aggregation"
    example: ClassVar[str] = """
    with_claims:
      operator: AggregateByRelation
      input: Customer
      relation: claims_of
      aggregates: {claim_total: sum(amount), claim_count: count()}
    """

    input: Concept = concept("the one side: a concept that still has its key")
    rows_of: Concept | None = concept(
        "what stands in for the many side, for example a step that filtered it", default=None
    )
    relation: Relation = relation("the relation to follow", many="rows_of")
    aggregates: Aggregates = aggregates(
        "new feature → aggregate, such as {total: sum(amount), how_many: count()}", of="relation"
    )

    def outline(self, notes: Notes) -> Concept:
        """Adds a feature for each aggregate."""
        if self.input.reach(self.relation.one) is None:
            notes.mistake(
                "relation",
                f"{self.relation.name!r} leads to {self.relation.one!r}, "
                f"and {self.input.name!r} is not made from it or has lost its key",
            )
        for name, _ in self.aggregates.items:
            if any(name.casefold() == f.casefold() for f in self.input.features):
                notes.mistake("aggregates", f"{self.input.name!r} already has a feature {name!r}")
        added = [Feature(n, cast(FeatureType, f.type)) for n, f in self.aggregates.items]
        return self.input.with_features(*added)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows; rows to which nothing points have NULL for all but counts."""
        one, many = inputs[self.input.name], inputs[self.relation.many.name]
        estimate = carried(one.rows, [one], output)
        pointed = many.feature(self.relation.many_feature).distinct
        likely = None
        if one.rows.likely is not None and pointed.likely is not None:
            likely = max(0.0, one.rows.likely - pointed.likely)
        for name, fragment in self.aggregates.items:
            counts = _counts(fragment.tree)
            missing = Amount.exactly(0) if counts else Amount(likely, 0, None)
            may_go = any(many.feature(f).may_go for f in fragment.features)
            estimate = estimate.with_feature(name, FeatureEstimate(missing, may_go=may_go))
        return estimate

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the many side, then joins it to the left of every row."""
        many, one = inputs[self.relation.many.name], inputs[self.input.name]
        key = self.input.reach(self.relation.one) or ""
        trees = {name: fragment.tree for name, fragment in self.aggregates.items}
        point = unused(self.relation.many_feature, trees)
        totals = grouped(many, {point: self.relation.many_feature}, trees)
        here = one.name if isinstance(one, Scan) else "rows"
        there = unused(f"{self.relation.name} totals", [here])
        on = exp.EQ(this=column(key, here), expression=column(point, there))
        joined = beside({here: one, there: totals}, [Join(there, "left", on)])
        columns: dict[str, exp.Expression] = {n: column(n, here) for n in self.input.features}
        for name, fragment in self.aggregates.items:
            total: exp.Expression = column(name, there)
            if _counts(fragment.tree):
                total = exp.Coalesce(this=total, expressions=[double(0)])
            columns[name] = total
        return Block(columns, joined.inputs, joined.joins)


def _counts(tree: exp.Expression) -> bool:
    while isinstance(tree, exp.Cast | exp.Paren | exp.Filter):
        tree = tree.this
    return isinstance(tree, exp.Count)
