"""The operator that aggregates along a relation."""

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
from miningflow.sql.block import Block, Join, Scan, Source, beside, grouped, qualified
from miningflow.sql.literals import column, double, unused


@operator
class AggregateByRelation(Operator):
    """Aggregates the rows on the many side of a relation for each row on its one side.

    In an n:m relation, the many side is the side that the input is not on. Its rows are found
    through the cross table, and a row counts once for each row of the cross table that links it.

    A row of the input without related rows has 0 for a count and NULL for every other aggregate. An
    aggregate over a deselected feature is itself deselected.
    """

    family: ClassVar[Family] = "aggregation"
    alias: ClassVar[str] = "Aggregate"
    finds: ClassVar[tuple[str, ...]] = ("group by", "sum", "count", "rollup", "one to many")
    example: ClassVar[str] = """
    with_claims:
      operator: AggregateByRelation
      input: Customer
      relation: claims_of
      aggregates: {claim_total: sum(amount), claim_count: count()}
    """

    input: Concept = concept("the concept on the one side, which must still have its key")
    rows_of: Concept | None = concept(
        "a concept to use for the many side (or the cross table), such as a step that filters it",
        default=None,
    )
    relation: Relation = relation("the relation to follow, 1:n or n:m", many="rows_of")
    aggregates: Aggregates = aggregates(
        "a map of new features to aggregates, such as {total: sum(amount), how_many: count()}",
        of="relation",
    )

    def outline(self, notes: Notes) -> Concept:
        """Adds a feature for each aggregate."""
        if self.input.reach(self.relation.one.name) is None:
            notes.error(
                "relation",
                f"{self.relation.name!r} leads to {self.relation.one.name!r}, "
                f"but {self.input.name!r} is not derived from it, or has lost its key",
            )
        for name, _ in self.aggregates.items:
            if any(name.casefold() == f.casefold() for f in self.input.features):
                notes.error("aggregates", f"{self.input.name!r} already has a feature {name!r}")
        added = [Feature(n, cast(FeatureType, f.type)) for n, f in self.aggregates.items]
        return self.input.with_features(*added)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows; rows without related rows have NULL for all aggregates but counts."""
        one, many = inputs[self.input.name], inputs[self.relation.many.name]
        estimate = carried(one.rows, [one], output)
        cross = self.relation.through
        linked = many.feature(self.relation.many_feature).distinct
        if cross is not None:
            linked = inputs[cross.concept.name].feature(cross.one_feature).distinct
        likely = None
        if one.rows.likely is not None and linked.likely is not None:
            likely = max(0.0, one.rows.likely - linked.likely)
        for name, fragment in self.aggregates.items:
            counts = _counts(fragment.tree)
            missing = Amount.exactly(0) if counts else Amount(likely, 0, None)
            may_go = any(many.feature(f).may_go for f in fragment.features)
            estimate = estimate.with_feature(name, FeatureEstimate(missing, may_go=may_go))
        return estimate

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the many side, and joins it to the rows of the one side."""
        one = inputs[self.input.name]
        key = self.input.reach(self.relation.one.name) or ""
        point, totals = self._totals(inputs)
        here = one.name if isinstance(one, Scan) else "rows"
        there = unused(f"{self.relation.name} totals", [here])
        on = column(key, here).eq(column(point, there))
        joined = beside({here: one, there: totals}, [Join(there, "left", on)])
        columns: dict[str, exp.Expression] = {n: column(n, here) for n in self.input.features}
        for name, fragment in self.aggregates.items:
            total: exp.Expression = column(name, there)
            if _counts(fragment.tree):
                total = exp.Coalesce(this=total, expressions=[double(0)])
            columns[name] = total
        return Block(columns, joined.inputs, joined.joins)

    def _totals(self, inputs: Mapping[str, Source]) -> tuple[str, Block]:
        """Returns the grouped many side, and the name of its column that points to the one side."""
        relation, cross = self.relation, self.relation.through
        trees = {name: fragment.tree for name, fragment in self.aggregates.items}
        many = inputs[relation.many.name]
        if cross is None:
            point = unused(relation.many_feature, trees)
            return point, grouped(many, {point: relation.many_feature}, trees)
        point = unused(cross.one_feature, trees)
        here, there = cross.concept.name, relation.many.name
        on = column(cross.many_feature, here).eq(column(relation.many_feature, there))
        to_one = column(cross.one_feature, here)
        columns = {point: to_one, **{name: qualified(tree, there) for name, tree in trees.items()}}
        sides = {here: inputs[here], there: many}
        return point, Block(columns, sides, (Join(there, "inner", on),), group=(to_one,))


def _counts(tree: exp.Expression) -> bool:
    while isinstance(tree, exp.Cast | exp.Paren | exp.Filter):
        tree = tree.this
    return isinstance(tree, exp.Count)
