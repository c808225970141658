"""Looks at the tables that a case describes already, as far as new ones may be related to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from miningflow.declare.concept import Concept
from miningflow.engines.column_names import matching_columns
from miningflow.engines.engine import Engine, Session
from miningflow.engines.key_types import KeyType
from miningflow.inspect.column_words import POINTING_WORDS, words_of
from miningflow.inspect.finding import Finding
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import Declared, Inspected, inspect_files, inspect_table
from miningflow.inspect.relations import key_type_of_column
from miningflow.resolve import BoundCase
from miningflow.store.sources import SourceLocation
from miningflow.verbs.start.draft import DraftConcept


@dataclass(frozen=True)
class Described:
    """A concept of the case, with its table."""

    draft: DraftConcept
    location: SourceLocation

    def key_type(self, column: str) -> KeyType | None:
        """Returns what a column is read as where it is a key."""
        feature = self.draft.feature_of(column)
        if feature in self.location.read_as:
            return self.location.read_as[feature]
        return key_type_of_column(self.draft.inspected, column)


def described_concept(
    bound: BoundCase,
    concept: Concept,
    location: SourceLocation,
    session: Session,
    engine: Engine,
    number: int,
) -> Described:
    """Looks at the keys of a concept, and at the columns that could point to other tables."""
    source = GivenSource(concept.name, location.shown, location.paths)
    wanted = [f for f in _may_be_related(bound, concept) if f != location.numbered]
    key = concept.key if concept.key != location.numbered else None
    declared = Declared(
        [location.column(feature) for feature in wanted],
        location.column(key) if key else None,
        location.delimiter,
        location.csv_reading,
    )
    if location.table is not None:
        table = (location.table.db, location.table.name)
        found = inspect_table(session, engine, source, table, number, declared)
    else:
        found = inspect_files(session, engine, source, number, declared)
    features = _features(concept, found, {f: location.column(f) for f in wanted})
    return Described(
        DraftConcept(concept.name, found, features, (), concept.key, location.numbered is not None),
        location,
    )


def _may_be_related(bound: BoundCase, concept: Concept) -> list[str]:
    """Names the key, and features that no relation starts from, but one could."""
    related = {
        pointer.text
        for text in bound.case.relations.values()
        for pointer in (text.through or (text.start,))
    }
    return [
        name
        for name, feature in concept.features.items()
        if name == concept.key
        or (
            f"{concept.name}.{name}" not in related
            and (feature.type == "key" or POINTING_WORDS & set(words_of(name)[-1:]))
        )
    ]


def _features(concept: Concept, found: Inspected, columns: Mapping[str, str]) -> dict[str, Finding]:
    features: dict[str, Finding] = {}
    for feature, name in columns.items():
        matching = matching_columns(name, found.facts.columns)
        if len(matching) == 1:
            kind = concept.features[feature].type
            facts = found.facts.columns[matching[0]]
            features[feature] = Finding(concept.name, matching[0], kind, "", (), facts)
    return features
