"""Shared by operators on time series: rows in the order of time, one series per group."""

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
from miningflow.declare.output_notes import note_taken
from miningflow.sql.block import Block, Source, over
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, unused
from miningflow.sql.sampling import draw_hash


@operator
class Series(Operator):
    """Shared by operators on time series: a time, a value, and features that separate series."""

    family: ClassVar[Family] = "series"
    draws: ClassVar[bool] = True

    input: Concept = concept("the concept with the rows of the series")
    time: Feature = feature("the feature to order the rows by", types=["time", "numeric"])
    value: Feature = feature("the feature with the values of the series", types=["numeric"])
    within: tuple[Feature, ...] | None = features(
        "the features that separate series, such as shop and product; by default all rows are one "
        "series",
        types=["nominal", "binary", "key", "numeric"],
        default=None,
    )

    def check(self, notes: Notes, outputs: Mapping[str, Sequence[str]]) -> None:
        """Notes a time that separates series, and outputs that already exist."""
        if any(f.name == self.time.name for f in self.within or ()):
            notes.error(
                "within",
                f"the time {self.time.name!r} cannot separate series",
                "name features that are the same throughout a series, such as a shop",
            )
        note_taken(notes, self.input, outputs, "give a different name with `{parameter}`")

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps at most the rows of the input; rows without a time belong to no series."""
        whole = inputs[self.input.name]
        rows = Amount(self.rows_left(whole), 0.0, whole.rows.high)
        features = {name: of_some(f, whole.rows, rows) for name, f in whole.features.items()}
        return carried(rows, [ConceptEstimate(rows, features)], output)

    def rows_left(self, whole: ConceptEstimate) -> float | None:
        """Estimates the number of rows in the output."""
        return whole.rows.likely

    def in_series(self, inputs: Mapping[str, Source]) -> Block:
        """Returns the rows that have a time and belong to a series."""
        block = over(inputs[self.input.name])
        for name in (self.time.name, *self.groups):
            known = is_known(column(name))
            block = block.filter(known)
        return block

    @property
    def groups(self) -> list[str]:
        """The features that separate series."""
        return [f.name for f in self.within or ()]

    @property
    def order(self) -> list[exp.Expression]:
        """The expressions to order rows by: the time, and the key if times are equal."""
        key = self.input.key
        if key is not None:
            return [column(self.time.name), column(key)]
        return [column(self.time.name), draw_hash(None, self.input.types, "order", 0)]

    def along(self, function: exp.Expression, last: int | None = None) -> exp.Expression:
        """Computes a window function along each series, or over its last `last` rows."""
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
        """Returns unused names for columns that only occur inside the SQL."""
        taken = [*self.input.features, *self.outline(Notes()).features]
        return [unused(word, taken) for word in words]


def in_order(
    function: exp.Expression,
    groups: Sequence[str],
    order: Iterable[exp.Expression],
    spec: exp.Expression | None = None,
) -> exp.Expression:
    """Returns a window function over groups of rows in an order."""
    keys = [exp.Ordered(this=tree, nulls_first=False) for tree in order]
    return exp.Window(
        this=function,
        partition_by=[column(name) for name in groups],
        order=exp.Order(expressions=keys),
        spec=spec,
    )


def every(place: str, first: int, distance: int) -> list[exp.Expression]:
    """Returns conditions that keep the row at `first` and every `distance`-th row after it."""
    conditions: list[exp.Expression] = []
    if first > 1:
        conditions.append(column(place) >= exp.Literal.number(first))
    if distance > 1:
        since = exp.Paren(this=column(place) - exp.Literal.number(first))
        rest = exp.Mod(this=since, expression=exp.Literal.number(distance))
        conditions.append(exp.EQ(this=rest, expression=exp.Literal.number(0)))
    return conditions
