"""How the data of a concept changed shape: columns that came, went or changed type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from miningflow.declare.concept import Concept, FeatureType
from miningflow.engines.column_names import matching_columns
from miningflow.engines.engine import Engine, Session
from miningflow.engines.key_types import key_type_of
from miningflow.errors import Diagnostic, MiningFlowError, RunError
from miningflow.inspect.facts import ColumnFacts, TableFacts
from miningflow.inspect.feature_types import findings_of
from miningflow.inspect.finding import Finding, Type
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import Declared, Inspected, inspect_files, inspect_table
from miningflow.read.left_out import LeftOut
from miningflow.store.sources import SourceLocation
from miningflow.store.typed_sources import FITTING
from miningflow.verbs.source_changes import source_changes
from miningflow.verbs.start.feature_names import feature_names

Kind = Literal["came", "went", "changed", "left out", "read"]


@dataclass(frozen=True)
class Change:
    """One line of a case that no longer fits its data, or is missing."""

    kind: Kind
    concept: str
    feature: str
    column: str
    said: str
    finding: Finding | None = None
    was: str = ""

    @property
    def type(self) -> Type | None:
        """Returns what the column is now, if it can be a feature."""
        return self.finding.type if self.finding else None


@dataclass(frozen=True)
class Reshaped:
    """All changes of a concept, with the options that its file is now read with, if they differ."""

    concept: str
    changes: tuple[Change, ...]
    options: Mapping[str, object | None] = field(default_factory=dict)
    """Reading option → its new value; None: it is no longer needed."""


def reshaped(
    concept: Concept,
    location: SourceLocation,
    session: Session,
    engine: Engine,
    number: int,
    unwanted: LeftOut,
) -> Reshaped:
    """Compares a concept with its data as they are now."""
    found, options = _looked_at(concept, location, session, engine, number)
    facts = found.facts
    columns = source_changes(concept, location, facts.columns, unwanted)
    findings = findings_of(facts)
    changes = [
        Change("went", concept.name, feature, column, f"{location.shown} has no such column")
        for feature, column in columns.went.items()
    ]
    for feature, column in _unfit(concept, location, facts):
        finding = findings[column]
        kind: Kind = "changed" if finding.type is not None else "went"
        was = concept.features[feature].type
        changes.append(Change(kind, concept.name, feature, column, finding.why, finding, was))
    names = _free_names(concept, columns.went, list(facts.columns), columns.came)
    for column in columns.came:
        finding = findings[column]
        kind = "came" if finding.type is not None else "left out"
        changes.append(Change(kind, concept.name, names[column], column, finding.why, finding))
    for name, value in options.items():
        said = "is no longer given" if value is None else f"becomes {value}"
        changes.append(Change("read", concept.name, "", name, said))
    return Reshaped(concept.name, tuple(changes), options)


def _looked_at(
    concept: Concept, location: SourceLocation, session: Session, engine: Engine, number: int
) -> tuple[Inspected, dict[str, object | None]]:
    """Looks at a source as it is declared, or in a way in which more of it fits."""
    source = GivenSource(concept.name, location.shown, location.paths)
    key = location.column(concept.key) if concept.key and not location.numbered else None
    if location.table is not None:
        table = (location.table.db, location.table.name)
        found = inspect_table(session, engine, source, table, number, Declared(key=key))
        return _with_rows(found, location), {}
    times = [location.column(f.name) for f in concept.of_type("time")]
    declared = Declared(None, key, location.delimiter, location.csv_reading, times)
    as_declared = _with_rows(inspect_files(session, engine, source, number, declared), location)
    if not location.is_text:
        return as_declared, {}
    misfits = _misfits(concept, location, as_declared.facts)
    if not misfits:
        return as_declared, {}
    try:
        anew = inspect_files(session, engine, source, 10_000 + number)
    except MiningFlowError:  # it is odd, but can be read as it is declared
        return as_declared, {}
    if _misfits(concept, location, anew.facts) >= misfits:
        return as_declared, {}
    return anew, _options(location, anew.facts)


def _with_rows(found: Inspected, location: SourceLocation) -> Inspected:
    if found.facts.rows == 0:
        message = f"{location.shown} has no rows, so that nothing can be said of its columns"
        raise RunError(Diagnostic(message, location.scalar.place, "is it the right file or table?"))
    return found


def _misfits(concept: Concept, location: SourceLocation, facts: TableFacts) -> int:
    stored = [f for f in concept.features if f != location.numbered]
    absent = [f for f in stored if not matching_columns(location.column(f), facts.columns)]
    return len(absent) + len(_unfit(concept, location, facts))


def _unfit(concept: Concept, location: SourceLocation, facts: TableFacts) -> list[tuple[str, str]]:
    """Returns features that their columns can no longer be read as, with these."""
    found: list[tuple[str, str]] = []
    for feature in concept.features.values():
        names = matching_columns(location.column(feature.name), facts.columns)
        if feature.name == location.numbered or len(names) != 1:
            continue
        column = facts.columns[names[0]]
        forced = feature.name in location.read_as
        if not forced and not fits(feature.type, column, facts.is_text):
            found.append((feature.name, column.name))
    return found


def fits(kind: FeatureType, facts: ColumnFacts, is_text: bool) -> bool:
    """Returns whether a column can be read as a feature of this type."""
    if is_text or facts.known == 0:
        is_one_of = kind != "binary" or facts.distinct <= 2
    else:
        if kind == "key":
            return key_type_of(facts.family, facts.sql_type) is not None
        is_one_of = facts.family in FITTING[kind] and (kind != "binary" or facts.distinct <= 2)
    if kind == "numeric" and facts.known and facts.family not in ("number", "fraction", "truth"):
        return is_one_of and facts.kind == "number"
    if kind == "time" and facts.known and is_text:
        return facts.kind == "time"
    return is_one_of


def _free_names(
    concept: Concept, went: Mapping[str, str], columns: list[str], came: tuple[str, ...]
) -> dict[str, str]:
    """Names the features of new columns, differently from those that stay."""
    taken = {name.casefold() for name in concept.features if name not in went}
    found: dict[str, str] = {}
    for column, wished in feature_names(columns).items():
        if column not in came:
            continue
        name, number = wished, 2
        while name.casefold() in taken:
            name, number = f"{wished}_{number}", number + 1
        taken.add(name.casefold())
        found[column] = name
    return found


def _options(location: SourceLocation, facts: TableFacts) -> dict[str, object | None]:
    """Returns the reading options that differ from those that are given."""
    was: dict[str, object] = dict(location.csv_reading.given)
    now: dict[str, object] = dict(facts.reading.given)
    if location.delimiter is not None:
        was["delimiter"] = location.delimiter
        now["delimiter"] = facts.delimiter
    changed = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    return {name: now.get(name) for name in changed}
