"""Operators that bring concepts together."""

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
    FeatureEstimate,
    carried,
    joined_rows,
    of_some,
)
from miningflow.declare.operator import Family
from miningflow.sql.block import Append, Block, Join, Source, beside, over
from miningflow.sql.literals import column


@operator
class KeyJoin(Operator):
    """What operators that bring concepts together by key share: the features of all, side by side.

    The keys of all concepts but the first are left out.
    """

    family: ClassVar[Family] = "joining"

    concepts: tuple[Concept, ...] = concepts("the concepts to join, at least two", minimum=2)
    keys: dict[str, str] | None = ends(
        "`Concept.feature` for each concept, where its key is not meant",
        of="concepts",
        default=None,
    )
    rename: dict[tuple[str, str], str] | None = rename(
        "`Concept.feature` → new name, for features of the same name", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Collects the features of all; the keys of all but the first are left out."""
        found: dict[str, Feature] = {}
        for concept in self.concepts:
            if self._key(concept) is None:
                notes.mistake(
                    "concepts", f"{concept.name!r} has no key to join by", "name one with 'keys'"
                )
        if notes.mistakes:
            return self.concepts[0]
        # A key that a selection may drop is gone while resolve foresees what could happen.
        keys = [c.features.get(self._key(c) or "") for c in self.concepts]
        types = {key.type for key in keys if key is not None}
        if len(types) > 1:
            notes.mistake("keys", f"the keys have different types: {', '.join(sorted(types))}")
        for concept, name, new in self._columns():
            clash = next((f for f in found if f.casefold() == new.casefold()), None)
            if clash is not None:
                notes.mistake(
                    "concepts",
                    f"two of the concepts have a feature {new!r}",
                    f"add `rename: {{{concept.name}.{name}: {concept.name.lower()}_{name}}}`",
                )
            found[new] = Feature(new, concept.features[name].type)
        first = self.concepts[0]
        key = self._renamed(first, first.key) if self._is_unique() else None
        return Concept(first.name, found, key, self._reaches())

    def _is_unique(self) -> bool:
        """Says whether no row of the first concept is repeated."""
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
    """Joins concepts on their keys: a row for each key that all of them have.

    Each concept is joined by its key, or by the feature given in `keys`. Two features of the same
    name must be told apart with `rename`. The key of the first concept remains.
    """

    example: ClassVar[str] = """
    both:
      operator: JoinByKey
      concepts: [Customer, Rating]
      rename: {Rating.income: rated_income}
    """

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Takes it that the concept with fewer keys has no others than the one with more."""
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
                exp.EQ(
                    this=column(self._key(first) or "", first.name),
                    expression=column(self._key(c) or "", c.name),
                ),
            )
            for c in self.concepts[1:]
        ]
        block = beside({c.name: inputs[c.name] for c in self.concepts}, joins)
        columns = {new: column(name, c.name) for c, name, new in self._columns()}
        return Block(columns, block.inputs, block.joins)


@operator
class UnionByKey(KeyJoin):
    """Brings concepts together by key: a row for each key that any of them has (full outer join).

    The features of a concept that lacks the key are NULL. The key has the name that it has in the
    first concept. Each concept is joined by its key, or by the feature given in `keys`; two
    features of the same name must be told apart with `rename`. A row whose key is NULL, which can
    only be with `keys`, finds no other and stays by itself.

    If new rows of one concept are scored, rows of the others are there too. To have the new ones
    only, join with their concept after it.
    """

    example: ClassVar[str] = """
    either:
      operator: UnionByKey
      concepts: [Customer, Rating]
      rename: {Rating.income: rated_income}
    """

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Takes it that the concept with fewer keys has no others than the one with more."""
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
        """Joins each input to the first key that is known of those before it."""
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
        """Says whether no row of any concept is repeated."""
        return all(self._key(c) == c.key for c in self.concepts)


def _first_known(keys: list[exp.Column]) -> exp.Expression:
    first, *others = (key.copy() for key in keys)
    return exp.Coalesce(this=first, expressions=others) if others else first


@operator
class Union(Operator):
    """Appends the rows of concepts that have the same features.

    Rows are not compared: one that stands in two concepts stands twice in the result. A feature
    that was deselected in one of the concepts is deselected in the result.
    """

    family: ClassVar[Family] = "joining"
    example: ClassVar[str] = """
    everybody:
      operator: Union
      concepts: [Customer, Prospect]
    """

    concepts: tuple[Concept, ...] = concepts("the concepts to append, at least two", minimum=2)

    def outline(self, notes: Notes) -> Concept:
        """Keeps the features that all have, which must be all of each."""
        first = self.concepts[0]
        for other in self.concepts[1:]:
            odd = sorted(set(first.features) ^ set(other.features))
            if odd:
                notes.mistake(
                    "concepts",
                    f"{first.name!r} and {other.name!r} do not have the same features: "
                    f"only one of them has {', '.join(repr(f) for f in odd[:5])}",
                    "construct or leave out features before the union",
                )
            for name in first.features:
                types = first.features[name].type, other.features.get(name)
                if types[1] is not None and types[0] != types[1].type:
                    notes.mistake(
                        "concepts", f"{name!r} is {types[0]} here and {types[1].type} there"
                    )
        shared = [f for f in first.features if all(f in c.features for c in self.concepts)]
        reaches = tuple(
            r for r in first.reaches if all(r in other.reaches for other in self.concepts[1:])
        )
        same_key = all(c.key == first.key for c in self.concepts)
        kept = first.only(shared)
        return Concept(
            first.name,
            kept.features,
            kept.key if same_key else None,
            tuple(r for r in reaches if r in kept.reaches),
        )

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Adds the rows; values may be the same in all concepts, or different ones in each."""
        given = [inputs[c.name] for c in self.concepts]
        rows = reduce(Amount.plus, (e.rows for e in given))
        features: dict[str, FeatureEstimate] = {}
        for name in output.features:
            each = [e.feature(name) for e in given]
            together = reduce(Amount.plus, (f.distinct for f in each))
            most = max(f.distinct.low for f in each)
            likely = together.likely if name == output.key else None
            missing = reduce(Amount.plus, (f.missing for f in each))
            distinct = Amount(likely, most, together.high)
            features[name] = FeatureEstimate(missing, distinct, may_go=any(f.may_go for f in each))
        return ConceptEstimate(rows, features)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Appends the inputs with UNION ALL."""
        shared = list(self.outline(Notes()).features)
        return over(Append(tuple(over(inputs[c.name]).project(shared) for c in self.concepts)))
