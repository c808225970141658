"""Operators that bring concepts together along relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    Path,
    choice,
    collected,
    concept,
    concepts,
    operator,
    path,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, carried
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Join, Scan, Source
from miningflow.sql.literals import column, unused


@operator
class MultiRelationalFeatureConstruction(Operator):
    """Follows a chain of relations and collects features of the concepts on the way.

    The first relation starts at the input, each further one where the one before led to. Every row
    of the input stays; features of a concept to which its way does not lead are NULL.

    From the many side of a relation to its one side, a row finds at most one row. In the other
    direction, and through the cross table of an n:m relation, it may find several: then a number
    made of them is mostly what is wanted, and AggregateByRelation makes it. If each shall be a row
    of its own, say `rows: multiply`. The key of the input then no longer identifies a row, so the
    result has none; an input row that finds nothing is still there once.

    Of each concept on the way only what `features` names is taken, under its own name or a new
    one. A deselected feature falls out.
    """

    family: ClassVar[Family] = "joining"
    example: ClassVar[str] = """
    with_customer:
      operator: MultiRelationalFeatureConstruction
      input: Claim
      relations: [claims_of]
      features: [Customer.age, Customer.lapsed]
    """

    input: Concept = concept("where the chain starts; its features all stay")
    rows_of: tuple[Concept, ...] | None = concepts(
        "what stands in for concepts on the way, such as a step that prepared one", default=None
    )
    relations: Path = path("the relations to follow, one after the other", many="rows_of")
    features: dict[tuple[str, str], str] = collected(
        "`Concept.feature` to collect, or a map of these to new names", of="relations"
    )
    rows: str = choice(
        "what to do where a row finds several: refuse, or repeat it",
        choices=["keep", "multiply"],
        default="keep",
    )

    def outline(self, notes: Notes) -> Concept:
        """Adds the collected features; rows that may be repeated have no key."""
        several = next((link for link in self.relations.links if link.multiplies), None)
        if several is not None and self.rows == "keep":
            notes.mistake(
                "relations",
                f"along {several.relation!r} a row may find several rows of "
                f"{several.concept.name!r}",
                "make one number of them with AggregateByRelation, or say `rows: multiply`",
            )
        found = dict(self.input.features)
        concepts = {arrival.name: arrival for arrival in self.relations.arrivals}
        reaches = list(self.input.reaches)
        for (owner, name), new in self.features.items():
            if name not in concepts[owner].features:
                continue  # gone while resolve foresees what could happen
            clash = next((f for f in found if f.casefold() == new.casefold()), None)
            if clash is not None:
                notes.mistake(
                    "features",
                    f"there is a feature {clash!r} already",
                    f"write features as a map: `{{{owner}.{name}: {owner.lower()}_{name}}}`",
                )
            found[new] = Feature(new, concepts[owner].features[name].type)
            reaches += [
                replace(r, feature=new) for r in concepts[owner].reaches if r.feature == name
            ]
        key = self.input.key if several is None else None
        return replace(self.input, features=found, key=key, reaches=tuple(reaches))

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows, unless they are multiplied; what is collected is not known."""
        whole = inputs[self.input.name]
        several = any(link.multiplies for link in self.relations.links)
        rows = Amount(None, whole.rows.low, None) if several else whole.rows
        return carried(rows, [whole], output).without_knowledge(self.features.values())

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Joins one concept of the way after the other to the left of every row."""
        source = inputs[self.input.name]
        here = source.name if isinstance(source, Scan) else "rows"
        sources: dict[str, Source] = {here: source}
        columns: dict[str, exp.Expression] = {n: column(n, here) for n in self.input.features}
        aliases: dict[str, str] = {}
        joins: list[Join] = []
        for link in self.relations.links:
            there = unused(link.concept.name, sources)
            on = exp.EQ(this=column(link.before, here), expression=column(link.feature, there))
            sources[there] = inputs[link.concept.name]
            joins.append(Join(there, "left", on))
            aliases[link.concept.name] = here = there
        for (owner, name), new in self.features.items():
            columns[new] = column(name, aliases[owner])
        return Block(columns, sources, tuple(joins))
