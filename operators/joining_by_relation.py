"""The operator that joins concepts along relations."""

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
    """Follows a chain of relations and adds features of the concepts on the way.

    The first relation starts at the input, each further one at the concept that the one before
    leads to. Every row of the input stays; the features of a concept are NULL where no row of it is
    found.

    From the many side of a relation to its one side, at most one row is found. In the opposite
    direction, and through the cross table of an n:m relation, several rows may be found. Then you
    usually want an aggregate of them, which AggregateByRelation computes. To get a row for each of
    them, set `rows: multiply`. The key of the input then no longer identifies a row, so the result
    has no key; an input row for which nothing is found still occurs once.

    Only the features listed in `features` are added, under their own name or a new one. A
    deselected feature is left out.
    """

    family: ClassVar[Family] = "joining"
    alias: ClassVar[str] = "JoinRelations"
    finds: ClassVar[tuple[str, ...]] = ("lookup", "left join", "merge tables", "many to one")
    example: ClassVar[str] = """
    with_customer:
      operator: MultiRelationalFeatureConstruction
      input: Claim
      relations: [claims_of]
      features: [Customer.age, Customer.lapsed]
    """

    input: Concept = concept("the concept where the chain starts; all its features stay")
    rows_of: tuple[Concept, ...] | None = concepts(
        "concepts to use for those on the way, such as a step that prepares one", default=None
    )
    relations: Path = path("the relations to follow, in order", many="rows_of")
    features: dict[tuple[str, str], str] = collected(
        "the `Concept.feature` to add, or a map of these to new names", of="relations"
    )
    rows: str = choice(
        "what to do if several rows may be found: refuse (`keep`), or repeat the input row",
        choices=["keep", "multiply"],
        default="keep",
    )

    def outline(self, notes: Notes) -> Concept:
        """Adds the features; if rows may be repeated, there is no key."""
        several = next((link for link in self.relations.links if link.multiplies), None)
        if several is not None and self.rows == "keep":
            notes.error(
                "relations",
                f"several rows of {several.concept.name!r} may be found along {several.relation!r}",
                "aggregate them with AggregateByRelation, or set `rows: multiply`",
            )
        found = dict(self.input.features)
        concepts = {arrival.name: arrival for arrival in self.relations.arrivals}
        reaches = list(self.input.reaches)
        for (owner, name), new in self.features.items():
            if name not in concepts[owner].features:
                continue  # missing while resolve foresees deselections
            clash = next((f for f in found if f.casefold() == new.casefold()), None)
            if clash is not None:
                notes.error(
                    "features",
                    f"feature {clash!r} already exists",
                    f"write `features` as a map: `{{{owner}.{name}: {owner.lower()}_{name}}}`",
                )
            found[new] = Feature(new, concepts[owner].features[name].type)
            reaches += [
                replace(r, feature=new) for r in concepts[owner].reaches if r.feature == name
            ]
        key = self.input.key if several is None else None
        return replace(self.input, features=found, key=key, reaches=tuple(reaches))

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows, unless they are multiplied; the added features are unknown."""
        whole = inputs[self.input.name]
        several = any(link.multiplies for link in self.relations.links)
        rows = Amount(None, whole.rows.low, None) if several else whole.rows
        return carried(rows, [whole], output).without_knowledge(self.features.values())

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Joins the concepts on the way to the rows of the input, in order."""
        source = inputs[self.input.name]
        here = source.name if isinstance(source, Scan) else "rows"
        sources: dict[str, Source] = {here: source}
        columns: dict[str, exp.Expression] = {n: column(n, here) for n in self.input.features}
        aliases: dict[str, str] = {}
        joins: list[Join] = []
        for link in self.relations.links:
            there = unused(link.concept.name, sources)
            on = column(link.before, here).eq(column(link.feature, there))
            sources[there] = inputs[link.concept.name]
            joins.append(Join(there, "left", on))
            aliases[link.concept.name] = here = there
        for (owner, name), new in self.features.items():
            columns[new] = column(name, aliases[owner])
        return Block(columns, sources, tuple(joins))
