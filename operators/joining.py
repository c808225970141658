"""Operators that join concepts by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    Reach,
    concepts,
    ends,
    operator,
    rename,
)
from miningflow.declare.estimates import (
    Amount,
    ConceptEstimate,
    carried,
    joined_rows,
    of_some,
)
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Join, Source, beside
from miningflow.sql.literals import column


@operator
class KeyJoin(Operator):
    """Shared by operators that join concepts by key: the features of all of them, side by side.

    The keys of all concepts but the first are left out.
    """

    family: ClassVar[Family] = "joining"

    concepts: tuple[Concept, ...] = concepts("the concepts to join", minimum=2)
    keys: dict[str, str] | None = ends(
        "the `Concept.feature` to join each concept by; by default its key",
        of="concepts",
        default=None,
    )
    rename: dict[tuple[str, str], str] | None = rename(
        "a map of `Concept.feature` to a new name, for features with the same name", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Collects the features of all concepts, without the keys of all but the first."""
        found: dict[str, Feature] = {}
        for concept in self.concepts:
            if self._key(concept) is None:
                notes.error(
                    "concepts",
                    f"{concept.name!r} has no key to join by",
                    "name the features to join by with 'keys'",
                )
        if notes.diagnostics:
            return self.concepts[0]
        # While resolve foresees deselections, a key that a selection may drop is missing.
        keys = [c.features.get(self._key(c) or "") for c in self.concepts]
        types = {key.type for key in keys if key is not None}
        if len(types) > 1:
            notes.error("keys", f"the keys have different types: {', '.join(sorted(types))}")
        for concept, name, new in self._columns():
            clash = next((f for f in found if f.casefold() == new.casefold()), None)
            if clash is not None:
                notes.error(
                    "concepts",
                    f"two of the concepts have a feature {new!r}",
                    f"add `rename: {{{concept.name}.{name}: {concept.name.lower()}_{name}}}`",
                )
            found[new] = Feature(new, concept.features[name].type)
        first = self.concepts[0]
        key = self._renamed(first, first.key) if self._is_unique() else None
        return Concept(first.name, found, key, self._reaches())

    def _is_unique(self) -> bool:
        """Returns whether each row of the first concept occurs at most once."""
        return all(self._key(c) == c.key for c in self.concepts[1:])

    def _reaches(self) -> tuple[Reach, ...]:
        first = self.concepts[0]
        reaches: dict[tuple[str, str], Reach] = {}
        for concept in self.concepts:
            renamed = {old: new for c, old, new in self._columns() if c is concept}
            for reach in concept.reaches:
                is_key = reach.feature == self._key(concept)
                key = self._renamed(first, self._key(first))
                point = key if is_key else renamed.get(reach.feature)
                if point is not None:
                    moved = replace(reach, feature=point)
                    reaches.setdefault((reach.concept, point), moved)
        return tuple(reaches.values())

    def _renamed(self, concept: Concept, name: str | None) -> str | None:
        return (self.rename or {}).get((concept.name, name or ""), name)

    def _key(self, concept: Concept) -> str | None:
        return self.keys[concept.name] if self.keys else concept.key

    def _columns(self) -> list[tuple[Concept, str, str]]:
        return [
            (concept, name, self._renamed(concept, name) or name)
            for i, concept in enumerate(self.concepts)
            for name in concept.features
            if i == 0 or name != self._key(concept)
        ]


@operator
class JoinByKey(KeyJoin):
    """Joins concepts by key, with a row for each key that all of them have.

    Each concept is joined by its key, or by the feature given in `keys`. Features with the same
    name must be renamed with `rename`. The key of the first concept remains.
    """

    alias: ClassVar[str] = "Join"
    finds: ClassVar[tuple[str, ...]] = ("merge tables", "inner join", "lookup", "combine tables")
    example: ClassVar[str] = """
    both:
      operator: JoinByKey
      concepts: [Customer, Rating]
      rename: {Rating.income: rated_income}
    """

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Assumes that the keys of the smaller concept all occur in the larger one."""
        first = self.concepts[0]
        rows = inputs[first.name].rows
        keys = inputs[first.name].feature(self._key(first) or "").distinct
        once = first.key == self._key(first)
        for concept in self.concepts[1:]:
            other = inputs[concept.name]
            own = other.feature(self._key(concept) or "").distinct
            unique = once, concept.key == self._key(concept)
            rows = joined_rows(rows, keys, other.rows, own, unique)
            keys, once = own.at_most(keys), all(unique)
        features = {
            new: of_some(inputs[c.name].feature(name), inputs[c.name].rows, rows)
            for c, name, new in self._columns()
        }
        return ConceptEstimate(rows, features)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Joins the inputs, each under the name of its concept."""
        first = self.concepts[0]
        joins = [
            Join(
                c.name,
                "inner",
                column(self._key(first) or "", first.name).eq(column(self._key(c) or "", c.name)),
            )
            for c in self.concepts[1:]
        ]
        block = beside({c.name: inputs[c.name] for c in self.concepts}, joins)
        columns = {new: column(name, c.name) for c, name, new in self._columns()}
        return Block(columns, block.inputs, block.joins)


@operator
class UnionByKey(KeyJoin):
    """Joins concepts by key, with a row for each key that any of them has (full outer join).

    If a concept lacks the key, its features are NULL. The key is named as in the first concept.
    Each concept is joined by its key, or by the feature given in `keys`. Features with the same
    name must be renamed with `rename`. A row whose key is NULL, which is possible only with `keys`,
    matches no other row and stays separate.

    When new rows of one concept are scored, the stored rows of the other concepts are in the result
    as well. To get only the new rows, join the result with their concept.
    """

    alias: ClassVar[str] = "FullJoin"
    finds: ClassVar[tuple[str, ...]] = ("outer join", "merge tables", "combine tables")
    example: ClassVar[str] = """
    either:
      operator: UnionByKey
      concepts: [Customer, Rating]
      rename: {Rating.income: rated_income}
    """

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Assumes that the keys of the smaller concept all occur in the larger one."""
        given = [inputs[c.name] for c in self.concepts]
        if not self._is_unique():
            return carried(Amount(), given, output).without_knowledge(output.features)
        counts = [e.rows for e in given]
        known = [count.likely for count in counts if count.likely is not None]
        likely = max(known) if len(known) == len(counts) else None
        most = reduce(Amount.plus, counts).high
        rows = Amount(likely, max(count.low for count in counts), most)
        features = {}
        for concept, name, new in self._columns():
            found, own = inputs[concept.name].feature(name), inputs[concept.name].rows
            absent = None
            if None not in (rows.likely, own.likely, found.missing.likely):
                absent = (found.missing.likely or 0) + (rows.likely or 0) - (own.likely or 0)
            is_key = concept is self.concepts[0] and name == self._key(concept)
            missing = Amount.exactly(0) if is_key else Amount(absent, found.missing.low, None)
            distinct = rows if is_key else found.distinct
            features[new] = replace(found, missing=missing, distinct=distinct, seen=None)
        return carried(rows, [ConceptEstimate(rows, features)], output)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Joins each input on the first known key of the inputs before it."""
        joins: list[Join] = []
        known = [column(self._key(self.concepts[0]) or "", self.concepts[0].name)]
        for concept in self.concepts[1:]:
            key = column(self._key(concept) or "", concept.name)
            on = exp.EQ(this=_first_known(known), expression=key)
            joins.append(Join(concept.name, "full", on))
            known.append(key)
        first = self.concepts[0]
        columns: dict[str, exp.Expression] = {}
        for concept, name, new in self._columns():
            is_key = concept is first and name == self._key(first)
            columns[new] = _first_known(known) if is_key else column(name, concept.name)
        return Block(columns, {c.name: inputs[c.name] for c in self.concepts}, tuple(joins))

    def _is_unique(self) -> bool:
        """Returns whether each row of every concept occurs at most once."""
        return all(self._key(c) == c.key for c in self.concepts)


def _first_known(keys: list[exp.Column]) -> exp.Expression:
    first, *others = (key.copy() for key in keys)
    return exp.Coalesce(this=first, expressions=others) if others else first
