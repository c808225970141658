"""Operators that change the shape of a concept: rows to columns, columns to rows, view to table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, ClassVar, Literal

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureType,
    Notes,
    Operator,
    choice,
    concept,
    feature_labels,
    feature_values,
    features,
    literal,
    new_feature,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate, carried
from miningflow.declare.operator import Family
from miningflow.sql.block import Append, Block, Source, grouped, over
from miningflow.sql.literals import column, value_of

from .groups import counted, group_concept, group_estimate, note_clashes, where_it_is

_AGGREGATES: dict[str, type[exp.Expression]] = {
    "sum": exp.Sum,
    "avg": exp.Avg,
    "min": exp.Min,
    "max": exp.Max,
    "count": exp.Count,
}


@operator
class Pivotize(Operator):
    """Turns the values of a feature into features: a row per group, a cell for each value.

    `index` names the feature and its values, which become columns: with
    `index: {month: [1, 2]}` and `values: [minutes]` there are `minutes_1` and `minutes_2`, each the
    aggregate of the minutes in the rows of that month. The values are written in the case, so that
    it is known without data which features there are; rows with another value, or none, count in no
    cell, but their group is there.

    A cell without a known value is NULL, or what `empty` says; a count is 0 there. If rows are
    grouped by a single feature, this is the key of the result; without `group_by` there is one row.
    In `group_by`, NULL is a group of its own, which no later join finds.
    """

    family: ClassVar[Family] = "aggregation"
    example: ClassVar[str] = """
    amounts_by_kind:
      operator: Pivotize
      input: Claim
      index: {kind: [glass, theft, water]}
      values: [amount]
      aggregate: sum
      empty: 0
      group_by: [customer_id]
    """

    input: Concept = concept("the concept whose rows become cells")
    index: dict[str, tuple[str, ...]] = feature_values(
        "one feature → the values that become columns",
        types=["nominal", "binary", "numeric", "time"],
        maximum=1,
    )
    values: tuple[Feature, ...] = features(
        "the features that fill the cells", types=["numeric", "nominal", "binary", "time"]
    )
    aggregate: str = choice(
        "what becomes of several rows in a cell", choices=list(_AGGREGATES), default="sum"
    )
    empty: str | None = literal("what a cell without a value gets", default=None, fits="values")
    group_by: tuple[Feature, ...] | None = features(
        "features whose values make the rows", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Gives a feature for each value of the index and each feature of the cells."""
        for value in self.values:
            if self.aggregate in ("sum", "avg") and value.type != "numeric":
                notes.mistake(
                    "values",
                    f"{self.aggregate} takes numbers, and {value.name!r} is {value.type}",
                    "choose another `aggregate`: min, max or count",
                )
        if self.aggregate == "count" and self.empty is not None:
            notes.mistake("empty", "a count of nothing is 0, so `empty` has no meaning here")
        by = self.group_by or ()
        cells = [name for name, _, _ in self._cells()]
        taken = [f.name for f in by] + [n for i, n in enumerate(cells) if n in cells[:i]]
        hint = "rename the feature first, or shorten the value with Mapping"
        note_clashes(notes, dict.fromkeys(cells, "index"), taken, hint)
        made = [Feature(name, self._type(value)) for name, value, _ in self._cells()]
        return group_concept(self.input, by, made)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Counts the groups; of the cells nothing is known, unless none is empty."""
        whole = inputs[self.input.name]
        found = group_estimate(whole, [f.name for f in self.group_by or ()], output)
        if self.empty is None and self.aggregate != "count":
            return found
        filled = FeatureEstimate(missing=Amount.exactly(0))
        return reduce(lambda e, cell: e.with_feature(cell[0], filled), self._cells(), found)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the rows; a cell is an aggregate over those with its value of the index."""
        by = [feature.name for feature in self.group_by or ()]
        trees = {name: self._cell(value, index) for name, value, index in self._cells()}
        return grouped(inputs[self.input.name], by, trees)

    def _cells(self) -> list[tuple[str, Feature, str]]:
        """Gives name, feature and value of the index for each cell."""
        (values,) = self.index.values()
        return [(f"{f.name}_{value}", f, value) for f in self.values for value in values]

    def _type(self, value: Feature) -> FeatureType:
        return value.type if self.aggregate in ("min", "max") else "numeric"

    def _cell(self, value: Feature, written: str) -> exp.Expression:
        (name,) = self.index
        picked = where_it_is(self.input.features[name], written, column(value.name))
        cell = _AGGREGATES[self.aggregate](this=picked)
        if self.aggregate == "count":
            return counted(cell)
        if self.empty is None:
            return cell
        return exp.Coalesce(this=cell, expressions=[value_of(value.type, self.empty)])


@operator
class ReversePivotize(Operator):
    """Turns features into rows: a row for each row of the input and each of the given features.

    The value of the feature goes into the new feature `value`, and what tells the features apart
    into `index`. With `columns: {minutes_1: jan, minutes_2: feb}` that is `jan` or `feb`. Written
    as a list, `columns: ['minutes_*']`, it is what the star stands for, and for a name without a
    star the name itself. All other features stay, repeated in each row.

    The rows of a deselected feature fall out. Rows of NULL are kept, or left out with
    `empty: drop`. The key of the input no longer identifies a row, so the result has none.
    """

    family: ClassVar[Family] = "aggregation"
    example: ClassVar[str] = """
    numbers:
      operator: ReversePivotize
      input: Customer
      columns: {income: money, household: people}
      index: what
      value: how_much
    """

    input: Concept = concept("the concept whose features become rows")
    columns: dict[str, str] = feature_labels(
        "the features, all of one type, and what tells them apart",
        types=["numeric", "nominal", "binary", "time"],
    )
    index: str = new_feature("what tells the rows apart")
    value: str = new_feature("the value of the row")
    index_type: str = choice(
        "the type of `index`", choices=["nominal", "numeric"], default="nominal"
    )
    empty: str = choice(
        "what becomes of a row whose value is NULL", choices=["keep", "drop"], default="keep"
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps the other features, and adds index and value."""
        present = [n for n in self.columns if n in self.input.features]
        types = sorted({self.input.features[name].type for name in present})
        if len(types) > 1:
            notes.mistake("columns", f"the features have different types: {', '.join(types)}")
        for label in self.columns.values() if self.index_type == "numeric" else ():
            if not _is_number(label):
                notes.mistake(
                    "columns",
                    f"{label!r} is not a number, and `index_type` is numeric",
                    "give the features labels that are numbers, as a map",
                )
        others = [name for name in self.input.features if name not in self.columns]
        hint = "choose another name"
        if self.index.casefold() == self.value.casefold():
            notes.mistake("value", f"{self.value!r} is the name of the index already", hint)
        note_clashes(notes, {self.index: "index", self.value: "value"}, others, hint)
        for name in self.columns:
            if name in self.input.bound_features:
                notes.mistake("columns", f"{name!r} is the key or part of a relation")
        kept = self.input.only(others).with_features(
            Feature(self.index, "numeric" if self.index_type == "numeric" else "nominal"),
            *(Feature(self.value, self.input.features[name].type) for name in present[:1]),
        )
        return Concept(kept.name, kept.features, None, kept.reaches)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Repeats the rows for each feature, but for those of NULL where they are dropped."""
        whole = inputs[self.input.name]
        each = [whole.rows] * len(self.columns)
        rows = reduce(Amount.plus, each)
        if self.empty == "drop":
            missing = reduce(Amount.plus, [whole.feature(n).missing for n in self.columns])
            left = None
            if rows.likely is not None and missing.likely is not None:
                left = rows.likely - missing.likely
            low = max(0.0, rows.low - missing.high) if missing.high is not None else 0.0
            high = rows.high if rows.high is None else rows.high - missing.low
            rows = Amount(left, low, high)
        others = [name for name in output.features if name in self.input.features]
        return carried(rows, [whole], output).without_knowledge(others)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Appends a SELECT for each feature."""
        others = [name for name in self.input.features if name not in self.columns]
        branches: list[Block] = []
        for name, label in self.columns.items():
            made = {self.index: value_of(self.index_type, label), self.value: column(name)}
            rows = over(inputs[self.input.name])
            if self.empty == "drop":
                rows = rows.filter(exp.Not(this=exp.Is(this=column(name), expression=exp.Null())))
            branches.append(rows.extend(made).project([*others, *made]))
        return over(Append(tuple(branches)))


@operator
class Materialize(Operator):
    """Keeps a concept as a table of its own, so that what is before it is computed once.

    Other steps make views, which the store computes anew whenever they are read. A table pays where
    a costly concept is read often. Every step can also say `materialize: table` for itself.
    """

    family: ClassVar[Family] = "rows"
    builds: ClassVar[Literal["view", "table"]] = "table"
    example: ClassVar[str] = """
    kept:
      operator: Materialize
      input: Customer
    """

    input: Concept = concept("the concept to keep")

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features."""
        return self.input

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps all rows and features."""
        whole = inputs[self.input.name]
        return carried(whole.rows, [whole], output)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Selects everything."""
        return over(inputs[self.input.name])


def _is_number(text: str) -> bool:
    try:
        float(text.replace("_", ""))
    except ValueError:
        return False
    return text.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")
