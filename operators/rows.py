"""Operators that select rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Conditions,
    Feature,
    Notes,
    Operator,
    concept,
    condition,
    conditions,
    features,
    integer,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, drawn_rows
from miningflow.declare.operator import Family
from miningflow.declare.selectivity import all_known, both, share_of
from miningflow.sql.block import Block, Source, over
from miningflow.sql.conditions import is_known
from miningflow.sql.fragments import Fragment
from miningflow.sql.literals import column, value_of
from miningflow.sql.sampling import draw_order

_COMPARISONS: dict[str, Callable[..., exp.Expression]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


@operator
class RowSelection(Operator):
    """Shared by operators that select rows: all features stay."""

    family: ClassVar[Family] = "rows"

    input: Concept = concept("the concept to select rows of")

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features."""
        return self.input


@operator
class RowSelectionByQuery(RowSelection):
    """Keeps the rows that satisfy a condition.

    Give the condition as a SQL expression (`where`), as a list of simple comparisons (`conditions`,
    all of which must hold), or both. A row for which the condition is unknown, because a feature in
    it is NULL, is left out.
    """

    alias: ClassVar[str] = "Filter"
    finds: ClassVar[tuple[str, ...]] = ("where", "row filter", "subset", "outlier")
    example: ClassVar[str] = """
    adults:
      operator: RowSelectionByQuery
      input: Customer
      where: age >= 18 and region in ('north', 'south')
    """

    where: Fragment | None = condition("the condition, as a SQL expression", default=None)
    conditions: Conditions | None = conditions(
        "a list of comparisons {feature, operator, value}, all of which must hold", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; checks that a condition is given."""
        if self.where is None and self.conditions is None:
            notes.error("", "RowSelectionByQuery needs 'where' or 'conditions'")
        return self.input

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates the share of rows from value counts and histograms."""
        rows = inputs[self.input.name]
        trees = [self.where.tree] if self.where is not None else []
        trees += self._comparisons()
        share = reduce(both, (share_of(tree, rows) for tree in trees), Amount.exactly(1))
        return rows.chosen(share, [c.name for tree in trees for c in tree.find_all(exp.Column)])

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds the conditions to WHERE."""
        block = over(inputs[self.input.name])
        if self.where is not None:
            block = block.filter(self.where.tree)
        for comparison in self._comparisons():
            block = block.filter(comparison)
        return block

    def _comparisons(self) -> list[exp.Expression]:
        found: list[exp.Expression] = []
        for feature, comparison, value in self.conditions.items if self.conditions else ():
            literal = value_of(feature.type, value)
            left: exp.Expression = column(feature.name)
            if feature.type == "key":
                left = exp.Cast(this=left, to=exp.DataType.build("text"))
            found.append(_COMPARISONS[comparison](this=left, expression=literal))
        return found


@operator
class RowSelectionByRandomSampling(RowSelection):
    """Draws a random sample of a given size, the same on every run and every engine.

    Rows are sorted by a hash of their key and the seed, and the first `how_many` are kept. The hash
    differs from that of a holdout, so the same seed may be used for both: held-out rows are drawn
    as often as other rows. If the concept has no key, rows are sorted by a hash of all features.
    """

    draws: ClassVar[bool] = True
    alias: ClassVar[str] = "Sample"
    finds: ClassVar[tuple[str, ...]] = ("random rows", "subset", "limit")
    example: ClassVar[str] = """
    sample:
      operator: RowSelectionByRandomSampling
      input: Customer
      how_many: 1000
      seed: 7
    """
    version: ClassVar[int] = 2

    how_many: int = integer("how many rows to keep, at most", minimum=1)
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates `how_many` rows, or all if there are fewer."""
        return drawn_rows(inputs[self.input.name], Amount.exactly(self.how_many))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Sorts by the hash and limits the number of rows."""
        order = draw_order(self.input.key, self.input.types, "sample", self.seed)
        return over(inputs[self.input.name]).first(self.how_many, order)


@operator
class DeleteRecordsWithMissingValues(RowSelection):
    """Deletes the rows in which at least one of the given features is NULL."""

    alias: ClassVar[str] = "DropMissing"
    finds: ClassVar[tuple[str, ...]] = ("dropna", "NaN", "null", "complete rows")
    example: ClassVar[str] = """
    complete:
      operator: DeleteRecordsWithMissingValues
      input: Customer
      targets: [income, region]
    """

    targets: tuple[Feature, ...] = features("the features that must not be NULL")

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Treats NULLs of different features as independent."""
        rows = inputs[self.input.name]
        targets = {f.name: rows.feature(f.name) for f in self.targets}
        left = rows.chosen(all_known(list(targets.values()), rows))
        nothing = Amount.exactly(0)
        known = {name: replace(left.feature(name), missing=nothing) for name in targets}
        return replace(left, features={**left.features, **known})

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds IS NOT NULL for each target."""
        block = over(inputs[self.input.name])
        for target in self.targets:
            known = is_known(column(target.name))
            block = block.filter(known)
        return block
