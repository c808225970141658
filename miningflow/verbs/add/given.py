"""What is to be added to a case: files, frames, and tables of the store that it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miningflow import arguments
from miningflow.engines.opening import find_store_kind
from miningflow.errors import Diagnostic, RunError, listed, suggestion
from miningflow.inspect.column_words import concept_name
from miningflow.inspect.given_sources import (
    DATA_ENDINGS,
    DATABASE_ENDINGS,
    EXCEL_ENDINGS,
    GivenSource,
)
from miningflow.read import ConnectionText
from miningflow.store.opening import Store, known_store
from miningflow.store.sources import SourceLocation
from miningflow.verbs.start.databases import (
    OWN_SCHEMA,
    DatabaseAddress,
    database_address,
    tables_of,
)
from miningflow.verbs.start.naming import named_sources, named_word

_FILES = (*DATA_ENDINGS, *DATABASE_ENDINGS, *EXCEL_ENDINGS, ".gz", ".json", ".yml", ".xls")
WHAT = "paths, or tables of the store"


@dataclass(frozen=True)
class StoreTable:
    """A table of the store that is to become a concept."""

    name: str
    schema: str
    table: str


@dataclass(frozen=True)
class Given:
    """What the user named: files and frames, words that may be tables, and whole schemas."""

    sources: list[GivenSource]
    words: list[tuple[str | None, str]]
    """Name of the concept, if there is one, and what is no file."""
    addresses: list[DatabaseAddress]
    """Schemas of the store whose tables are all meant."""

    @property
    def needs_store(self) -> bool:
        """Returns whether the store has to be asked."""
        return bool(self.words or self.addresses)


def given_additions(
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path, connection: ConnectionText
) -> Given:
    """Finds what sources mean; tables of the store are not looked for yet."""
    words: list[tuple[str | None, str]] = []
    if isinstance(sources, Mapping):
        named = arguments.mapping(sources, "sources", "names to tables")
        rest = {name: value for name, value in named.items() if not _is_table_word(value)}
        words = [(name, str(value)) for name, value in named.items() if name not in rest]
        found = named_sources(rest) if rest or not words else []
    else:
        listed_words = [sources] if isinstance(sources, (str, Path)) else list(sources)
        left: list[str | Path] = []
        for word in listed_words:
            name, text = named_word(arguments.location(word, "sources", WHAT))
            if _is_table_word(text):
                words.append((name, text))
            else:
                left.append(word)
        found = named_sources(left) if left or not words else []
    addresses = [
        _of_store(each.database, connection) for each in found if each.database is not None
    ]
    return Given([each for each in found if each.database is None], words, addresses)


def store_tables(
    given: Given, store: Store | None, connection: ConnectionText, taken: Sequence[SourceLocation]
) -> tuple[list[StoreTable], list[str]]:
    """Finds the tables that words and schemas mean, and notes of those that are there already."""
    found = [_table(name, word, store, connection) for name, word in given.words]
    notes: list[str] = []
    used = {
        (each.table.db.casefold(), each.table.name.casefold()): each.concept
        for each in taken
        if each.table is not None
    }
    for address in given.addresses:
        if store is None:
            raise RunError(Diagnostic(f"the store {address.written} does not exist yet"))
        for source, (schema, name) in tables_of(store.engine, address, GivenSource("", "")):
            concept = used.get((schema.casefold(), name.casefold()))
            if concept is None:
                found.append(StoreTable(source.name, schema, name))
            else:
                notes.append(f"the table {name} is {concept} already, and was left out")
    return found, notes


def _is_table_word(value: Any) -> bool:
    """Returns whether a word can only be a table: no file, no pattern, no address."""
    if not isinstance(value, str) or find_store_kind(value) is not None:
        return False
    if any(c in value for c in "*?[/\\") or value.lower().endswith(_FILES) or not value.strip():
        return False
    try:
        return not Path(value).exists()
    except (OSError, ValueError):
        return False


def _of_store(word: str, connection: ConnectionText) -> DatabaseAddress:
    """Reads an address, which must be that of the store of the case."""
    assert connection.store is not None
    address, own = database_address(word), connection.store.text
    kind, own_kind = find_store_kind(address.url), known_store(connection.store)
    if kind is own_kind and kind is not None:
        place = kind.location(address.url, Path.cwd())
        own_place = own_kind.location(own, connection.folder)
        if isinstance(place, Path) and isinstance(own_place, Path):
            if place.resolve() == own_place.resolve():
                return address
        elif kind.lineage_names(address.url, Path.cwd()) == own_kind.lineage_names(
            own, connection.folder
        ):
            return address
    shown = own_kind.shown(own)
    raise RunError(
        Diagnostic(
            f"{address.written} is not the store of this case, which is {shown}",
            None,
            "a case has one store: write the table to a Parquet file, or copy it into the store",
        )
    )


def _table(
    name: str | None, word: str, store: Store | None, connection: ConnectionText
) -> StoreTable:
    """Finds a table by `table` or `schema.table`."""
    assert connection.store is not None
    if store is None:
        message = f"there is no file {word!r}, and the store does not exist yet"
        raise RunError(Diagnostic(message, None, _near(word, [])))
    schema, dot, table = word.rpartition(".")
    schema = schema or known_store(connection.store).default_schema
    if OWN_SCHEMA.search(schema):
        message = f"{word} is a result of a case, not a source"
        raise RunError(Diagnostic(message, None, "steps read each other by their names"))
    there = list(store.engine.objects(schema))
    exact = [each for each in there if each == table] or [
        each for each in there if each.casefold() == table.casefold()
    ]
    if len(exact) != 1:
        known = [f"{schema}.{each}" if dot else each for each in there]
        message = f"there is no file {word!r}, and no table of that name in the store"
        raise RunError(Diagnostic(message, None, _near(word, known)))
    return StoreTable(name or concept_name(exact[0]), schema, exact[0])


def _near(word: str, tables: Sequence[str]) -> str:
    files = sorted(each.name for each in Path().iterdir() if each.is_file())[:200]
    hint = suggestion(word, [*tables, *files])
    if hint.startswith("did you mean"):
        return hint
    shown = f"tables: {listed(tables)}" if tables else ""
    named = f"files: {listed(files)}" if files else "there is no file in this folder"
    return "; ".join(each for each in (shown, named) if each)
