"""Drafts the concepts and relations of a case from tables that were looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from miningflow.inspect.duplicates import duplicate_columns
from miningflow.inspect.feature_types import findings_of
from miningflow.inspect.finding import Finding
from miningflow.inspect.looking import Inspected
from miningflow.inspect.relations import Relation, find_relations, key_type_of_column
from miningflow.verbs.start.draft import Draft, DraftConcept
from miningflow.verbs.start.feature_names import feature_names

ROW_NUMBER = "row_number"
FEWEST_HELD_OUT = 20
"""With fewer rows, a holdout would judge nothing."""


def draft_case(name: str, tables: Sequence[Inspected]) -> Draft:
    """Drafts a case without steps."""
    relations = find_relations(tables)
    crossing = crossing_tables(relations)
    concepts = {
        table.facts.name: drafted_concept(table, relations, table.facts.name in crossing)
        for table in tables
    }
    notes = tuple(note for table in tables for note in table.source.notes)
    return Draft(
        name,
        concepts,
        telling_relations(relations, concepts),
        _main(concepts, relations),
        notes=notes,
        read_as=_meeting_types(relations, concepts),
    )


def crossing_tables(relations: Sequence[Relation]) -> set[str]:
    """Names the cross tables."""
    return {r.through[0] for r in relations if r.through is not None}


def telling_relations(
    relations: Sequence[Relation], concepts: Mapping[str, DraftConcept]
) -> tuple[Relation, ...]:
    """Leaves out those of a cross table with nothing but its two ends, which says it all."""
    crossing = crossing_tables(relations)
    bare = {each for each in crossing if len(concepts[each].features) == 2}
    return tuple(r for r in relations if r.from_table not in bare)


def drafted_concept(table: Inspected, relations: Sequence[Relation], crosses: bool) -> DraftConcept:
    """Drafts the concept of a table; `crosses` says whether it is a cross table."""
    name = table.facts.name
    pointing = {r.from_column: r for r in relations if r.from_table == name and not r.through}
    same = duplicate_columns(table)
    names = feature_names(list(table.facts.columns))
    features: dict[str, Finding] = {}
    left_out: list[Finding] = []
    for column, inferred in findings_of(table.facts).items():
        finding = inferred
        if column in pointing and finding.type is not None:
            relation = pointing[column]
            why = f"points to {relation.to_table}"
            keep = tuple(w for w in finding.warnings if "missing" in w)
            finding = replace(finding, type="key", why=why, warnings=keep)
        if column in same:
            finding = finding.warned(f"the same values as {same[column]}")
        if finding.type is None:
            left_out.append(finding)
        else:
            features[names[column]] = finding
    key = names[table.facts.key] if table.facts.key is not None else None
    numbered = False
    if key is None and table.table is None and not crosses:
        key, numbered = _free(ROW_NUMBER, features), True
    return DraftConcept(name, table, features, tuple(left_out), key, numbered)


def _free(name: str, taken: dict[str, Finding]) -> str:
    known = {each.casefold() for each in taken}
    while name.casefold() in known:
        name += "_"
    return name


def _main(concepts: dict[str, DraftConcept], relations: Sequence[Relation]) -> str | None:
    """Returns the concept that most others point to: the one that a model is probably about."""
    keyed = [c for c in concepts.values() if c.key and c.inspected.facts.rows >= FEWEST_HELD_OUT]
    if not keyed:
        return None
    pointed = {c.name: sum(r.to_table == c.name for r in relations) for c in keyed}
    return max(keyed, key=lambda c: (pointed[c.name], c.inspected.facts.rows)).name


def _meeting_types(
    relations: Sequence[Relation], concepts: dict[str, DraftConcept]
) -> dict[tuple[str, str], str]:
    """Returns which keys must be read as text, because the other end of a relation is text."""
    found: dict[tuple[str, str], str] = {}
    for each in relations:
        if each.through is not None:
            continue
        ends = [(each.from_table, each.from_column), (each.to_table, each.to_column)]
        types = [key_type_of_column(concepts[t].inspected, c) for t, c in ends]
        if types[0] == types[1]:
            continue
        for (table, column), kind in zip(ends, types, strict=True):
            if kind == "integer":
                found[table, concepts[table].feature_of(column)] = "text"
    return found
