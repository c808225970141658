"""Sources of an exported case: where their rows lie, and how they are read as a concept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

from miningflow.compile.statements import SQL_TYPES, typed
from miningflow.declare.concept import Concept, Feature
from miningflow.sql.literals import column, text
from miningflow.sql.raw_sources import (
    by_name,
    csv_table,
    in_code_order,
    known_text,
    number_text,
    parquet_table,
    reads_files,
    row_number,
)

KeyKind = Literal["whole", "text", "date", "time"]
RawKind = Literal["zoned", "truth", "fraction"]
KEY_TYPES: Mapping[KeyKind, str] = {
    "whole": "bigint",
    "text": "text",
    "date": "date",
    "time": "timestamp",
}


@dataclass(frozen=True)
class DataFiles:
    """Files of equal columns, by their names in the folder of the data."""

    names: tuple[str, ...]
    columns: tuple[str, ...] = ()
    delimiter: str = ","


@dataclass(frozen=True)
class SourceData:
    """Where the rows of a concept lie before anything is done with them."""

    concept: Concept
    kind: Literal["table", "csv", "parquet", "frame"]
    columns: Mapping[str, str]
    """Feature → column."""
    keys: Mapping[str, KeyKind]
    """Feature of type key → what its values are."""
    table: exp.Table | None = None
    """The table of the store, if it is one."""
    files: tuple[DataFiles, ...] = ()
    numbered: str | None = None
    """The key feature that is no column, but the number of the row."""
    raw: Mapping[str, RawKind] = field(default_factory=dict)
    """Feature → what its column is, where a plain cast would not do on every engine."""
    recast: frozenset[str] = frozenset()
    """Features of type key that the connection reads as another type than their column has."""

    @property
    def file_names(self) -> tuple[str, ...]:
        """Names all files."""
        return tuple(name for files in self.files for name in files.names)

    def is_landed(self, dialect: str) -> bool:
        """Returns whether rows of files must be brought into a table first."""
        return self.table is None and not reads_files(dialect)

    def paths(self, data_folder: str, files: DataFiles) -> list[str]:
        """Returns where files are, seen from the exported folder."""
        folder = "" if data_folder == "." else f"{data_folder}/"
        return [f"{folder}{name}" for name in files.names]

    def relation(self, data_folder: str) -> exp.Expression:
        """Returns what to select from where files are read in place."""
        tables = []
        for files in self.files:
            paths = self.paths(data_folder, files)
            if self.kind == "csv":
                tables.append(csv_table(paths, files.columns, files.delimiter))
            else:
                tables.append(parquet_table(paths))
        return by_name(tables)

    def select(self, relation: exp.Expression, dialect: str) -> exp.Select:
        """Reads the rows as their concept, each feature in the SQL type of its type."""
        return exp.Select(
            expressions=[
                exp.Alias(
                    this=self._value(feature, dialect),
                    alias=exp.to_identifier(feature.name, quoted=True),
                )
                for feature in self.concept.features.values()
            ],
            from_=exp.From(this=relation),
        )

    def landing(self) -> dict[str, str]:
        """Returns column and type of the table that rows of files are brought into.

        Text of CSV files stays text there, so that any loader will do.
        """
        if self.kind == "csv":
            columns = {name: "text" for files in self.files for name in files.columns}
        else:
            features = [f for f in self.concept.features.values() if f.name != self.numbered]
            columns = {self._column(f): sql_type(f, self.keys) for f in features}
        if self.numbered is not None:
            columns = {self.numbered: "bigint", **columns}
        return columns

    def _value(self, feature: Feature, dialect: str) -> exp.Expression:
        if feature.name == self.numbered:
            return row_number() if reads_files(dialect) else column(feature.name)
        name = self._column(feature)
        tree = known_text(name) if self.kind == "csv" else column(name)
        if feature.type != "key":
            raw = self.raw.get(feature.name)
            if self.kind == "csv" and raw == "zoned":
                tree = exp.cast(tree, "timestamptz")
            elif self.is_landed(dialect):
                raw = None
            tree = typed(_castable(tree, feature, raw), feature)
        elif self._is_cast(feature):
            tree = exp.cast(tree, KEY_TYPES[self.keys[feature.name]])
        is_text = sql_type(feature, self.keys) == "text"
        return in_code_order(tree, dialect) if is_text else tree

    def _is_cast(self, key: Feature) -> bool:
        """Returns whether a key is not taken as its column has it."""
        return key.name in self.recast or (self.kind == "csv" and self.keys[key.name] != "text")

    def _column(self, feature: Feature) -> str:
        return self.columns.get(feature.name, feature.name)


def _castable(tree: exp.Expression, feature: Feature, raw: RawKind | None) -> exp.Expression:
    """Prepares a column for its cast: times are those of UTC, truth values are 0 and 1."""
    if raw == "zoned" and feature.type == "time":
        return exp.AtTimeZone(this=tree, zone=text("UTC"))
    if raw == "truth" and feature.type == "numeric":
        return exp.cast(tree, "int")
    if raw == "fraction" and feature.type in ("nominal", "binary"):
        return number_text(tree)
    return tree


def sql_type(feature: Feature, keys: Mapping[str, KeyKind] | None = None) -> str:
    """Returns the SQL type of a feature."""
    if feature.type == "key":
        return KEY_TYPES[(keys or {}).get(feature.name, "whole")]
    return SQL_TYPES[feature.type]
