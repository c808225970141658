"""What operators on time series share: rows in the order of time, one series per group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    concept,
    feature,
    features,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, carried, of_some
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column, unused
from miningflow.sql.sampling import draw_hash

from .outputs import note_taken


@operator
class Series(Operator):
    """What operators on time series share: a time, a value, and what tells series apart."""

    family: ClassVar[Family] = "series"

    input: Concept = concept("the concept whose rows are the values of a series")
    time: Feature = feature("the feature that orders the rows", types=["time", "numeric"])
    value: Feature = feature("the value of the series", types=["numeric"])
    within: tuple[Feature, ...] | None = features(
        "the features that tell series apart, such as shop and product; without them all rows are "
        "one series",
        types=["nominal", "binary", "key", "numeric"],
        default=None,
    )

    def check(self, notes: Notes, outputs: Mapping[str, Sequence[str]]) -> None:
        """Notes a time that tells series apart, and outputs that exist, by their parameters."""
        if any(f.name == self.time.name for f in self.within or ()):
            notes.mistake(
                "within",
                f"the time {self.time.name!r} cannot tell series apart",
                "name what all values of a series share, such as a shop",
            )
        note_taken(notes, self.input, outputs, "give another name with `{parameter}`")

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps at most the rows; those without a time belong to no series."""
        whole = inputs[self.input.name]
        rows = Amount(self.rows_left(whole), 0.0, whole.rows.high)
        features = {name: of_some(f, whole.rows, rows) for name, f in whole.features.items()}
        return carried(rows, [ConceptEstimate(rows, features)], output)

    def rows_left(self, whole: ConceptEstimate) -> float | None:
        """Guesses how many rows there will be."""
        return whole.rows.likely

    def in_series(self, inputs: Mapping[str, Source]) -> Block:
        """Gives the rows that have a time and belong to a series."""
        block = over(inputs[self.input.name])
        for name in (self.time.name, *self.groups):
            known = exp.Not(this=exp.Is(this=column(name), expression=exp.Null()))
            block = block.filter(known)
        return block

    @property
    def groups(self) -> list[str]:
        """Names the features that tell series apart."""
        return [f.name for f in self.within or ()]

    @property
    def order(self) -> list[exp.Expression]:
        """Gives what rows are ordered by: time, and of equal times the key."""
        key = self.input.key
        if key is not None:
            return [column(self.time.name), column(key)]
        return [column(self.time.name), draw_hash(None, list(self.input.features), "order", 0)]

    def along(self, function: exp.Expression, last: int | None = None) -> exp.Expression:
        """Computes a function along each series; with `last` over the last so many rows."""
        spec = None
        if last is not None:
            spec = exp.WindowSpec(
                kind="ROWS",
                start=exp.Literal.number(last - 1),
                start_side="PRECEDING",
                end="CURRENT ROW",
            )
        return in_order(function, self.groups, self.order, spec)

    def new_names(self, *words: str) -> list[str]:
        """Gives names for columns that only the SQL inside uses."""
        taken = [*self.input.features, *self.outline(Notes()).features]
        return [unused(word, taken) for word in words]


def in_order(
    function: exp.Expression,
    groups: Sequence[str],
    order: Iterable[exp.Expression],
    spec: exp.Expression | None = None,
) -> exp.Expression:
    """Writes a window function over groups of rows in an order."""
    keys = [exp.Ordered(this=tree, nulls_first=False) for tree in order]
    return exp.Window(
        this=function,
        partition_by=[column(name) for name in groups],
        order=exp.Order(expressions=keys),
        spec=spec,
    )


def every(place: str, first: int, distance: int) -> list[exp.Expression]:
    """Gives the conditions that hold for every so-many-th place, from the first one on."""
    conditions: list[exp.Expression] = []
    if first > 1:
        conditions.append(exp.GTE(this=column(place), expression=exp.Literal.number(first)))
    if distance > 1:
        since = exp.Paren(this=exp.Sub(this=column(place), expression=exp.Literal.number(first)))
        rest = exp.Mod(this=since, expression=exp.Literal.number(distance))
        conditions.append(exp.EQ(this=rest, expression=exp.Literal.number(0)))
    return conditions
