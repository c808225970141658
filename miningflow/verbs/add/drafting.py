"""Drafts concepts and relations of new tables beside those that a case has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from miningflow.engines.key_types import KeyType
from miningflow.inspect.looking import Inspected
from miningflow.inspect.relations import Relation, find_relations, key_type_of_column
from miningflow.verbs.add.existing import Described
from miningflow.verbs.start.draft import Draft, DraftConcept
from miningflow.verbs.start.drafting import crossing_tables, drafted_concept, telling_relations


def draft_additions(
    name: str,
    tables: Sequence[Inspected],
    described: Mapping[str, Described],
    taken: Mapping[str, object],
) -> Draft:
    """Drafts new concepts and their relations, which get names that are not `taken`.

    The draft also has the concepts that are described already, since relations lead to them.
    """
    there = [each.draft.inspected for each in described.values()]
    found = find_relations([*tables, *there], described)
    notes = [note for table in tables for note in table.source.notes]
    relations: list[Relation] = []
    read_as: dict[tuple[str, str], KeyType] = {}
    for each in found:
        why_not = _obstacle(each, described) or _meeting(each, tables, described, read_as)
        if why_not:
            share = f"{each.matched:,} of {each.rows:,} rows match"
            notes.append(
                f"{each.from_table}.{each.from_column} seems to point to {each.to_table} "
                f"({share}), but {why_not}: no relation was added"
            )
        else:
            relations.append(each)
    kept = _with_leads(relations)
    crossing = crossing_tables(kept)
    new = {
        table.facts.name: drafted_concept(table, kept, table.facts.name in crossing)
        for table in tables
    }
    concepts: dict[str, DraftConcept] = {k: each.draft for k, each in described.items()} | new
    return Draft(
        name,
        concepts,
        tuple(_named(telling_relations(kept, concepts), taken)),
        None,
        notes=tuple(notes),
        read_as={
            (table, concepts[table].feature_of(column)): kind
            for (table, column), kind in read_as.items()
        },
    )


def _obstacle(relation: Relation, described: Mapping[str, Described]) -> str:
    """Says why a relation cannot start from a concept as it is described."""
    child = described.get(relation.from_table)
    if child is None or relation.through is not None:
        return ""
    feature = child.draft.feature_of(relation.from_column)
    kind = child.draft.features[feature].type
    return "" if kind == "key" else f"{feature} is {kind}, not a key"


def _meeting(
    relation: Relation,
    tables: Sequence[Inspected],
    described: Mapping[str, Described],
    read_as: dict[tuple[str, str], KeyType],
) -> str:
    """Finds what a new key must be read as to meet another, or says why they cannot meet."""
    if relation.through is not None:
        return ""
    new = {table.facts.name: table for table in tables}
    ends = [
        (relation.from_table, relation.from_column),
        (relation.to_table, relation.to_column),
    ]
    kinds: list[KeyType | None] = []
    for table, column in ends:
        kind = read_as.get((table, column))
        if kind is None and table in new:
            kind = key_type_of_column(new[table], column)
        kinds.append(kind or (described[table].key_type(column) if table in described else None))
    if kinds[0] == kinds[1]:
        return ""
    for i, (table, column) in enumerate(ends):
        free = table in new and (table, column) not in read_as
        if free and kinds[i] == "integer" and kinds[1 - i] == "text":
            read_as[table, column] = "text"
            return ""
    table, column = ends[0]
    if table in new and kinds == ["text", "integer"] and relation.matched == relation.rows:
        read_as[table, column] = "integer"  # each value is a whole number, as it meets one
        return ""
    return f"the keys are of different types, {kinds[0]} and {kinds[1]}"


def _with_leads(relations: Sequence[Relation]) -> list[Relation]:
    """Leaves out cross tables that no longer point to both sides."""
    leads = {(each.from_table, each.from_column) for each in relations if each.through is None}
    return [
        each
        for each in relations
        if each.through is None
        or {(each.through[0], column) for column in each.through[1:]} <= leads
    ]


def _named(relations: Sequence[Relation], taken: Mapping[str, object]) -> list[Relation]:
    """Gives each relation a name that the case does not have."""
    known = {name.casefold() for name in taken}
    found: list[Relation] = []
    for each in relations:
        name, number = each.name, 2
        while name.casefold() in known:
            name, number = f"{each.name}_{number}", number + 1
        known.add(name.casefold())
        found.append(replace(each, name=name))
    return found
