"""Features from related tables: aggregates of many rows, and looked-up features of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from miningflow.inspect.column_words import plural, snake
from miningflow.inspect.finding import Finding
from miningflow.inspect.relations import Relation
from miningflow.verbs.start.draft import Draft, DraftConcept

MOST_NUMBERS = 6
MOST_CATEGORIES = 6
MOST_VALUES = 6


@dataclass(frozen=True)
class Made:
    """A step that adds features, which of them are NULL without related rows, and why it is."""

    step: str
    why: str
    body: dict[str, Any]
    features: dict[str, Finding | None]
    zero: list[str] = field(default_factory=list)
    """Features for which no related row means 0."""
    unknown: list[str] = field(default_factory=list)
    """Features that no related row leaves unknown."""


def related_steps(
    draft: Draft, concept: DraftConcept, free: Callable[[str], str]
) -> Iterator[Made]:
    """Makes a step of every relation of the concept."""
    for relation in draft.relations:
        many = relation.from_table
        if relation.through is not None:
            other = relation.to_table if many == concept.name else many
            if concept.name in (many, relation.to_table):
                yield _aggregated(relation, draft.concepts[other], free)
        elif relation.to_table == concept.name and many != concept.name:
            yield _aggregated(relation, draft.concepts[many], free)
        elif many == concept.name and relation.to_table != concept.name:
            yield from _looked_up(relation, draft.concepts[relation.to_table], free)


def _aggregated(relation: Relation, many: DraftConcept, free: Callable[[str], str]) -> Made:
    name = snake(many.name)
    aggregates: dict[str, str] = {}
    zero: list[str] = []
    unknown: list[str] = []

    def add(feature: str, sql: str, where: list[str] | None) -> None:
        made = free(feature)
        aggregates[made] = sql
        if where is not None:
            where.append(made)

    add(plural(name), "count()", None)
    numbers = [n for n, f in many.features.items() if f.type == "numeric" and _varies(f)]
    for each in numbers[:MOST_NUMBERS]:
        add(f"{name}_{snake(each)}_sum", f"sum({_quoted(each)})", zero)
        add(f"{name}_{snake(each)}_mean", f"avg({_quoted(each)})", unknown)
        add(f"{name}_{snake(each)}_most", f"max({_quoted(each)})", unknown)
    kinds = [n for n, f in many.features.items() if f.type in ("nominal", "binary") and _varies(f)]
    for each in kinds[:MOST_CATEGORIES]:
        facts = many.features[each].facts
        assert facts is not None
        if facts.distinct > MOST_VALUES:
            add(f"{name}_{snake(each)}_kinds", f"count(distinct {_quoted(each)})", None)
            continue
        for value, _ in facts.frequent[: facts.distinct if facts.distinct > 2 else 1]:
            literal = "'" + value.replace("'", "''") + "'"
            feature = f"{name}_{snake(each)}_{snake(value)}"[:100]
            add(feature, f"count() filter (where {_quoted(each)} = {literal})", None)
    why = f"The rows of {many.name} that belong to a row become counts, sums and means."
    body = {
        "operator": "AggregateByRelation",
        "relation": relation.name,
        "aggregates": aggregates,
    }
    return Made(f"with_{plural(name)}", why, body, dict.fromkeys(aggregates), zero, unknown)


def _looked_up(relation: Relation, one: DraftConcept, free: Callable[[str], str]) -> Iterator[Made]:
    features: dict[str, str] = {}
    found: dict[str, Finding | None] = {}
    for name, finding in one.features.items():
        facts = finding.facts
        if finding.type in ("key", "time") or facts is None or not _varies(finding):
            continue
        if finding.type == "nominal" and facts.is_nearly_unique:
            continue
        made = free(f"{snake(one.name)}_{snake(name)}")
        features[f"{one.name}.{name}"] = made
        found[made] = finding
    if features:
        yield Made(
            f"with_{snake(one.name)}",
            f"Every row points to one row of {one.name}, whose features are looked up.",
            {
                "operator": "MultiRelationalFeatureConstruction",
                "relations": [relation.name],
                "features": features,
            },
            found,
        )


def _varies(finding: Finding) -> bool:
    facts = finding.facts
    return facts is not None and facts.known > 0 and not facts.is_constant and not facts.not_finite


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
