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
from miningflow.declare.group_concepts import (
    counted,
    group_concept,
    group_estimate,
    note_clashes,
    where_it_is,
)
from miningflow.declare.operator import Family
from miningflow.sql.block import Append, Block, Source, grouped, over
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, value_of

_AGGREGATES: dict[str, type[exp.Expression]] = {
    "sum": exp.Sum,
    "avg": exp.Avg,
    "min": exp.Min,
    "max": exp.Max,
    "count": exp.Count,
}


@operator
class Pivotize(Operator):
    """Turns the values of a feature into features: one row per group, one cell per value.

    `index` names the feature and those of its values that become columns: with `index: {month: [1,
    2]}` and `values: [minutes]` the result has `minutes_1` and `minutes_2`, each the aggregate of
    the minutes in the rows of that month. The values are listed in the case, so that the features
    are known without data. Rows with another value or NULL count in no cell, but their group has a
    row.

    A cell without a known value is NULL, or `empty` if given; a count is 0 there. If rows are
    grouped by a single feature, that feature is the key of the result; without `group_by` there is
    one row. In `group_by`, NULL forms a separate group, which no later join finds.
    """

    family: ClassVar[Family] = "aggregation"
    alias: ClassVar[str] = "Pivot"
    finds: ClassVar[tuple[str, ...]] = ("cross table", "long to wide", "spread")
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

    input: Concept = concept("the concept to pivot")
    index: dict[str, tuple[str, ...]] = feature_values(
        "one feature, mapped to the values that become columns",
        types=["nominal", "binary", "numeric", "time"],
        maximum=1,
    )
    values: tuple[Feature, ...] = features(
        "the features that fill the cells", types=["numeric", "nominal", "binary", "time"]
    )
    aggregate: str = choice(
        "how to aggregate the rows of a cell", choices=list(_AGGREGATES), default="sum"
    )
    empty: str | None = literal(
        "the value of cells without a known value", default=None, fits="values"
    )
    group_by: tuple[Feature, ...] | None = features("the features to group by", default=None)

    def outline(self, notes: Notes) -> Concept:
        """Adds a feature for each value of the index and each feature in `values`."""
        for value in self.values:
            if self.aggregate in ("sum", "avg") and value.type != "numeric":
                notes.error(
                    "values",
                    f"{self.aggregate} needs numbers, but {value.name!r} is {value.type}",
                    "choose a different `aggregate`: min, max or count",
                )
        if self.aggregate == "count" and self.empty is not None:
            notes.error("empty", "a count of no rows is 0, so `empty` has no effect")
        by = self.group_by or ()
        cells = [name for name, _, _ in self._cells()]
        taken = [f.name for f in by] + [n for i, n in enumerate(cells) if n in cells[:i]]
        hint = "rename the feature first, or shorten the value with Mapping"
        note_clashes(notes, dict.fromkeys(cells, "index"), taken, hint)
        made = [Feature(name, self._type(value)) for name, value, _ in self._cells()]
        return group_concept(self.input, by, made)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates the number of groups; cells are unknown, unless none can be NULL."""
        whole = inputs[self.input.name]
        found = group_estimate(whole, [f.name for f in self.group_by or ()], output)
        if self.empty is None and self.aggregate != "count":
            return found
        filled = FeatureEstimate(missing=Amount.exactly(0))
        return reduce(lambda e, cell: e.with_feature(cell[0], filled), self._cells(), found)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Groups the rows; a cell aggregates the rows that have its value of the index."""
        by = [feature.name for feature in self.group_by or ()]
        trees = {name: self._cell(value, index) for name, value, index in self._cells()}
        return grouped(inputs[self.input.name], by, trees)

    def _cells(self) -> list[tuple[str, Feature, str]]:
        """Returns the name, the feature and the index value of each cell."""
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
    """Turns features into rows: one row for each input row and each of the given features.

    The new feature `value` holds the value of the feature, and the new feature `index` its label.
    With `columns: {minutes_1: jan, minutes_2: feb}` the labels are `jan` and `feb`. If `columns` is
    a list, such as `['minutes_*']`, the label is the text that the star matches, or the whole name
    if there is no star. All other features stay and are repeated in each row.

    A deselected feature makes no rows. Rows whose value is NULL are kept, or left out with `empty:
    drop`. The key of the input no longer identifies a row, so the result has no key.
    """

    family: ClassVar[Family] = "aggregation"
    alias: ClassVar[str] = "Unpivot"
    finds: ClassVar[tuple[str, ...]] = ("melt", "reverse pivot", "wide to long", "gather", "stack")
    example: ClassVar[str] = """
    numbers:
      operator: ReversePivotize
      input: Customer
      columns: {income: money, household: people}
      index: what
      value: how_much
    """

    input: Concept = concept("the concept whose features to turn into rows")
    columns: dict[str, str] = feature_labels(
        "the features to turn into rows, all of one type, and their labels",
        types=["numeric", "nominal", "binary", "time"],
    )
    index: str = new_feature("the feature for the labels")
    value: str = new_feature("the feature for the values")
    index_type: str = choice(
        "the type of `index`", choices=["nominal", "numeric"], default="nominal"
    )
    empty: str = choice(
        "what to do with a row whose value is NULL", choices=["keep", "drop"], default="keep"
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all other features, and adds index and value."""
        present = [n for n in self.columns if n in self.input.features]
        types = sorted({self.input.features[name].type for name in present})
        if len(types) > 1:
            notes.error("columns", f"the features have different types: {', '.join(types)}")
        for label in self.columns.values() if self.index_type == "numeric" else ():
            if not _is_number(label):
                notes.error(
                    "columns",
                    f"{label!r} is not a number, but `index_type` is numeric",
                    "write `columns` as a map of features to numbers",
                )
        others = [name for name in self.input.features if name not in self.columns]
        hint = "choose a different name"
        if self.index.casefold() == self.value.casefold():
            notes.error("value", f"{self.value!r} is already the name of the index", hint)
        note_clashes(notes, {self.index: "index", self.value: "value"}, others, hint)
        for name in self.columns:
            if name in self.input.bound_features:
                notes.error("columns", f"{name!r} is the key or is used by a relation")
        kept = self.input.only(others).with_features(
            Feature(self.index, "numeric" if self.index_type == "numeric" else "nominal"),
            *(Feature(self.value, self.input.features[name].type) for name in present[:1]),
        )
        return Concept(kept.name, kept.features, None, kept.reaches)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Repeats the rows for each feature, except rows of NULL if they are dropped."""
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
                rows = rows.filter(is_known(column(name)))
            branches.append(rows.extend(made).project([*others, *made]))
        return over(Append(tuple(branches)))


@operator
class Materialize(Operator):
    """Stores a concept as a table, so that the steps before it are computed only once.

    By default steps make views, which the store computes each time they are read. A table pays off
    if an expensive concept is read often. Any step can do the same with `materialize: table`.
    """

    family: ClassVar[Family] = "rows"
    builds: ClassVar[Literal["view", "table"]] = "table"
    finds: ClassVar[tuple[str, ...]] = ("table", "cache", "persist", "checkpoint")
    example: ClassVar[str] = """
    kept:
      operator: Materialize
      input: Customer
    """

    input: Concept = concept("the concept to store")

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
