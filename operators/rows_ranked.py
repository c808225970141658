"""Operators that select rows by their rank within a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, counts, feature, features, integer, operator
from miningflow.declare.estimates import Amount, ConceptEstimate, drawn_rows
from miningflow.sql.block import Block, Source, over
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.sampling import draw_order

from .rows import RowSelection


@operator
class RowSelectionByUnbiasing(RowSelection):
    """Draws rows so that the classes of a feature are balanced, the same rows on every run.

    By default as many rows of each class are drawn as the smallest class has. `how_many` draws at
    most that many rows of each class; `counts` sets the number for each class, and leaves out the
    classes that it does not name. A class with fewer rows keeps all of them: rows are never
    repeated. Rows without a class are left out.

    Rows are drawn by a hash of their key and the seed, so they are the same on every run and every
    engine. If the concept has no key, a hash of all features is used. Held-out rows count as well,
    although nothing is learned from them. To apply a model to all rows, let it learn from the
    balanced ones with `learn_on`.
    """

    draws: ClassVar[bool] = True
    alias: ClassVar[str] = "Balance"
    finds: ClassVar[tuple[str, ...]] = (
        "imbalanced classes",
        "undersample",
        "oversample",
        "stratified sample",
    )
    example: ClassVar[str] = """
    balanced:
      operator: RowSelectionByUnbiasing
      input: Customer
      label: lapsed
      how_many: 20
      seed: 7
    """
    version: ClassVar[int] = 2

    label: Feature = feature("the class to balance", types=["nominal", "binary"])
    how_many: int | None = integer(
        "how many rows of each class to draw, at most", default=None, minimum=1
    )
    counts: dict[str, int] | None = counts(
        "a map of classes to the number of rows to draw, at most, if the numbers differ",
        default=None,
    )
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; refuses `how_many` together with `counts`."""
        if self.how_many is not None and self.counts is not None:
            notes.error(
                "counts",
                "`how_many` and `counts` are both given",
                "give `counts` if the classes differ, otherwise `how_many`",
            )
        return self.input

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Adds up the rows drawn of each class, if the sizes of the classes are known."""
        rows = inputs[self.input.name]
        seen = rows.feature(self.label.name)
        sizes = dict(seen.seen.top) if seen.seen is not None else {}
        if not sizes or seen.seen is None or sum(sizes.values()) < seen.seen.known:
            return drawn_rows(rows, Amount())
        of_each = self.how_many or min(sizes.values())
        limits = self.counts or dict.fromkeys(sizes, of_each)
        drawn = sum(min(n, limits.get(label, 0)) for label, n in sizes.items())
        count = Amount.exactly(drawn) if seen.sure else Amount(drawn, 0, None)
        left = drawn_rows(rows, count)
        label = replace(left.feature(self.label.name), missing=Amount.exactly(0), seen=None)
        return left.with_feature(self.label.name, label)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Numbers the rows of each class, and keeps the first ones."""
        names = list(self.input.features)
        known = is_known(column(self.label.name))
        block = over(inputs[self.input.name]).filter(known)
        place, size, least = (unused(name, names) for name in ("place", "size", "least"))
        by = [self.label.name]
        ranked = block.extend({place: _place(self.input, by, "class", self.seed)})
        limit: exp.Expression
        if self.counts is not None:
            limit = self._limit(self.counts)
        elif self.how_many is not None:
            limit = double(self.how_many)
        else:
            count = exp.Count(this=exp.Star())
            sized = ranked.extend({size: exp.Window(this=count, partition_by=[column(by[0])])})
            smallest = exp.Window(this=exp.Min(this=column(size)))
            ranked = sized.layered().extend({least: smallest})
            limit = column(least)
        within = exp.LTE(this=column(place), expression=limit)
        return ranked.layered().filter(within).project(names)

    def _limit(self, numbers: Mapping[str, int]) -> exp.Expression:
        label = column(self.label.name)
        return exp.Case(
            ifs=[
                exp.If(this=label.eq(text(name)), true=double(number))
                for name, number in numbers.items()
            ]
        )


@operator
class RemoveDuplicates(RowSelection):
    """Keeps one row of each set of duplicates.

    Rows are duplicates if they are equal in `targets`, by default in all features except the key.
    NULL equals NULL. Of the duplicates, the row with the smallest hash of the key stays, the same
    on every run and every engine. If the concept has no key, the hash is over all features.
    """

    draws: ClassVar[bool] = True
    alias: ClassVar[str] = "Dedupe"
    finds: ClassVar[tuple[str, ...]] = ("deduplicate", "distinct", "unique")
    example: ClassVar[str] = """
    distinct:
      operator: RemoveDuplicates
      input: Customer
      targets: [region, household]
    """
    version: ClassVar[int] = 2

    targets: tuple[Feature, ...] | None = features(
        "the features to compare; by default all except the key", default=None
    )

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates a row for each value of a single target; of several, only bounds are known."""
        rows = inputs[self.input.name]
        values = [rows.feature(f.name) for f in self.targets or ()]
        if len(values) == 1 and values[0].missing.certain:
            null = Amount.exactly(1 if values[0].missing.low else 0)
            return drawn_rows(rows, values[0].distinct.plus(null))
        least = max((v.distinct.low for v in values), default=0.0)
        return drawn_rows(rows, Amount(None, least, rows.rows.high))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Numbers the rows of each set of duplicates, and keeps the first."""
        names = list(self.input.features)
        by = [f.name for f in self.targets or ()] or [n for n in names if n != self.input.key]
        place = unused("place", names)
        ranked = over(inputs[self.input.name]).extend(
            {place: _place(self.input, by or names, "duplicate", 0)}
        )
        first = column(place).eq(double(1))
        return ranked.layered().filter(first).project(names)


def _place(concept: Concept, by: Sequence[str], purpose: str, seed: int) -> exp.Expression:
    """Numbers the rows of each group in the order of a hash."""
    order = draw_order(concept.key, concept.types, purpose, seed)
    return exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(name) for name in by],
        order=exp.Order(expressions=[exp.Ordered(this=tree, nulls_first=False) for tree in order]),
    )
