"""Sources: where the rows of each concept lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from sqlglot import exp
from sqlglot.errors import SqlglotError

from miningflow.declare.concept import Concept
from miningflow.engines.csv_reading import CsvReading
from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.read import ConnectionText, Scalar, SourceText
from miningflow.read.case import Given, GivenFrame
from miningflow.resolve import BoundCase
from miningflow.store.case_folder import check_inside
from miningflow.store.opening import known_store, store_exists
from miningflow.store.source_files import find_files


@dataclass(frozen=True)
class SourceLocation:
    """Where the rows of a concept lie: files, a frame, or a table of the store."""

    concept: str
    scalar: Scalar
    paths: tuple[Path, ...] = ()
    table: exp.Table | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    numbered: str | None = None
    """The key feature that is no column, but the number of the row."""
    may_be_empty: bool = False
    read_as: Mapping[str, KeyType] = field(default_factory=dict)
    """Feature of type key → what its values are to be read as."""
    csv_reading: CsvReading = field(default_factory=CsvReading)
    types: Mapping[str, str] = field(default_factory=dict)
    """Feature → its type."""
    frame: GivenFrame | None = None
    given: Given | None = None
    """What the caller gave for this call, if the connection does not say where the rows lie."""
    kept: Diagnostic | None = None
    """Nothing says where the rows lie: an earlier run was given them, or this is a mistake."""

    @property
    def shown(self) -> str:
        """Names the location in messages."""
        return self.scalar.text

    @property
    def is_loaded(self) -> bool:
        """Returns whether the rows are copied into the store: those of files and frames are."""
        return bool(self.paths) or self.frame is not None

    def reading(self, read_as: Mapping[str, KeyType]) -> SourceLocation:
        """Returns the location with keys that are read as these types."""
        return replace(self, read_as=read_as)

    @property
    def is_text(self) -> bool:
        """Returns whether all values are text, as in CSV files."""
        return bool(self.paths) and ".parquet" not in [s.lower() for s in self.paths[0].suffixes]

    def column(self, feature: str) -> str:
        """Names the column of a feature."""
        return self.columns.get(feature, feature)


def locate_sources(bound: BoundCase, connection: ConnectionText) -> dict[str, SourceLocation]:
    """Finds the source of every concept; nothing is opened yet."""
    found, diagnostics = find_sources(bound, connection)
    if diagnostics:
        raise RunError(*diagnostics)
    return found


def find_sources(
    bound: BoundCase, connection: ConnectionText
) -> tuple[dict[str, SourceLocation], list[Diagnostic]]:
    """Finds the sources that can be found, and says what is wrong with the others."""
    diagnostics: list[Diagnostic] = []
    found: dict[str, SourceLocation] = {}
    for name, text in connection.sources.items():
        if name not in bound.sources:
            hint = suggestion(name, bound.sources, "concepts")
            diagnostics.append(
                Diagnostic(f"the case has no concept {name!r}", text.concept.place, hint)
            )
            continue
        for feature, column in text.columns.items():
            if feature not in bound.sources[name].features:
                hint = suggestion(feature, bound.sources[name].features, "features")
                diagnostics.append(
                    Diagnostic(f"{name!r} has no feature {feature!r}", column.place, hint)
                )
        diagnostics += _misread_features(bound.sources[name], text)
        numbered = text.number_rows
        if numbered is not None and numbered.text != bound.sources[name].key:
            hint = f"its key is {bound.sources[name].key!r}"
            message = f"{numbered.text!r} is not the key of {name!r}"
            diagnostics.append(Diagnostic(message, numbered.place, hint))
        try:
            types = {f.name: f.type for f in bound.sources[name].features.values()}
            found[name] = replace(_locate(text, connection), types=types)
        except RunError as error:
            diagnostics += error.diagnostics
    ran_before = store_exists(connection)
    for name in bound.sources:
        if name not in connection.sources:
            unknown = _unknown_place(name, connection)
            if ran_before:  # with rows that it was given then
                place = Scalar(name, "text", connection.place)
                found[name] = SourceLocation(name, place, kept=unknown)
            else:
                diagnostics.append(unknown)
    return found, diagnostics


def _unknown_place(name: str, connection: ConnectionText) -> Diagnostic:
    return Diagnostic(
        f"the connection does not say where concept {name!r} lies",
        connection.place,
        f"add `{name}: {{file: …}}` or `{name}: {{table: …}}` to its concepts, or give its rows: "
        f"`--source {name}=FILE`, in Python `sources={{{name!r}: frame}}`",
    )


def _misread_features(concept: Concept, text: SourceText) -> list[Diagnostic]:
    """Returns what is wrong with each `as`: it is for keys, since other types say it themselves."""
    return [
        Diagnostic(
            f"'as' is for keys, and {concept.name}.{feature} is {concept.features[feature].type}",
            wanted.place,
            "leave it out: the type of the feature says how its column is read",
        )
        for feature, wanted in text.read_as.items()
        if feature in concept.features and concept.features[feature].type != "key"
    ]


def _locate(text: SourceText, connection: ConnectionText) -> SourceLocation:
    columns = {feature: column.text for feature, column in text.columns.items()}
    read_as = key_types_of(text)
    delimiter = text.delimiter.text if text.delimiter else None
    name, given = text.concept.text, text.given
    if text.frame is not None:
        shown = Scalar(f"the frame of {name!r}", "text", text.concept.place)
        return SourceLocation(name, shown, read_as=read_as, frame=text.frame, given=given)
    if text.table is not None:
        assert connection.store is not None
        table = parse_table(text.table, known_store(connection.store).default_schema)
        found = SourceLocation(name, text.table, table=table, columns=columns, read_as=read_as)
        return replace(found, given=given)
    assert text.file is not None
    if given is None:
        check_inside(connection, text.file, connection.folder / text.file.text)
    paths = find_files(connection.folder, text.file)
    if given is None:
        for path in paths:  # a glob may find a link that leads elsewhere
            check_inside(connection, text.file, path)
    numbered = text.number_rows.text if text.number_rows else None
    return SourceLocation(
        name,
        text.file,
        paths,
        None,
        columns,
        delimiter,
        numbered,
        read_as=read_as,
        csv_reading=text.reading,
        given=given,
    )


def key_types_of(text: SourceText) -> dict[str, KeyType]:
    """Returns what the keys of a source are to be read as, where the connection says so."""
    return {feature: cast(KeyType, wanted.text) for feature, wanted in text.read_as.items()}


def parse_table(scalar: Scalar, default_schema: str) -> exp.Table:
    """Reads a table name; anything else, such as a function that reads files, is refused."""
    try:
        table = exp.to_table(scalar.text, dialect="duckdb")
    except SqlglotError:
        table = None
    parts = table.parts if isinstance(table, exp.Table) else []
    if not parts or not all(isinstance(p, exp.Identifier) for p in parts) or len(parts) > 2:
        raise RunError(
            Diagnostic(
                f"{scalar.text!r} is not the name of a table",
                scalar.place,
                "write `table`, `schema.table`, or quote odd names: '\"my table\"'",
            )
        )
    names = [exp.to_identifier(p.name, quoted=True) for p in parts]
    schema = names[0] if len(names) == 2 else exp.to_identifier(default_schema, quoted=True)
    return exp.Table(this=names[-1], db=schema)
