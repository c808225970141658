"""Sources: where each concept lies, and which version of its data is there."""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlglot import exp
from sqlglot.errors import SqlglotError

from miningflow.engines.opening import default_schema
from miningflow.errors import Mistake, RunError, suggestion
from miningflow.plan import SourceVersion
from miningflow.read import ConnectionText, Scalar, SourceText
from miningflow.resolve import BoundCase
from miningflow.run.store import Store, check_inside
from miningflow.sql.dialect import render
from miningflow.sql.stored import stored_name


@dataclass(frozen=True)
class SourceLocation:
    """Where the rows of a concept lie: files, or a table of the store."""

    concept: str
    scalar: Scalar
    paths: tuple[Path, ...] = ()
    table: exp.Table | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    numbered: str | None = None
    """The key feature that is no column, but the number of the row."""
    may_be_empty: bool = False

    @property
    def shown(self) -> str:
        """Names the location in messages."""
        return self.scalar.text

    def column(self, feature: str) -> str:
        """Names the column of a feature."""
        return self.columns.get(feature, feature)


def locate_sources(bound: BoundCase, connection: ConnectionText) -> dict[str, SourceLocation]:
    """Finds the source of every concept; nothing is opened yet."""
    mistakes: list[Mistake] = []
    found: dict[str, SourceLocation] = {}
    for name, text in connection.sources.items():
        if name not in bound.sources:
            hint = suggestion(name, bound.sources, "concepts")
            mistakes.append(Mistake(f"the case has no concept {name!r}", text.concept.place, hint))
            continue
        for feature, column in text.columns.items():
            if feature not in bound.sources[name].features:
                hint = suggestion(feature, bound.sources[name].features, "features")
                mistakes.append(Mistake(f"{name!r} has no feature {feature!r}", column.place, hint))
        numbered = text.number_rows
        if numbered is not None and numbered.text != bound.sources[name].key:
            hint = f"its key is {bound.sources[name].key!r}"
            message = f"{numbered.text!r} is not the key of {name!r}"
            mistakes.append(Mistake(message, numbered.place, hint))
        try:
            found[name] = _locate(text, connection)
        except RunError as error:
            mistakes += error.mistakes
    for name in bound.sources:
        if name not in connection.sources:
            mistakes.append(
                Mistake(
                    f"the connection does not say where concept {name!r} lies",
                    connection.place,
                    f"add `{name}: {{file: …}}` or `{name}: {{table: …}}` to its concepts",
                )
            )
    if mistakes:
        raise RunError(*mistakes)
    return found


def source_versions(
    locations: Mapping[str, SourceLocation], store: Store | None
) -> dict[str, SourceVersion]:
    """Finds out which version of its data each source has now."""
    mistakes: list[Mistake] = []
    found: dict[str, SourceVersion] = {}
    for name, location in locations.items():
        try:
            marker = (
                _file_marker(location, store) if location.paths else _table_marker(location, store)
            )
            found[name] = SourceVersion(location.shown, marker, loaded=bool(location.paths))
        except RunError as error:
            mistakes += error.mistakes
    if mistakes:
        raise RunError(*mistakes)
    return found


def _locate(text: SourceText, connection: ConnectionText) -> SourceLocation:
    columns = {feature: column.text for feature, column in text.columns.items()}
    delimiter = text.delimiter.text if text.delimiter else None
    name = text.concept.text
    if text.table is not None:
        assert connection.store is not None
        table = parse_table(text.table, default_schema(connection.store.text))
        return SourceLocation(name, text.table, table=table, columns=columns)
    assert text.file is not None
    check_inside(connection, text.file, connection.folder / text.file.text)
    paths = find_files(connection.folder, text.file)
    for path in paths:  # a glob may find a link that leads elsewhere
        check_inside(connection, text.file, path)
    numbered = text.number_rows.text if text.number_rows else None
    return SourceLocation(name, text.file, paths, None, columns, delimiter, numbered)


def find_files(folder: Path, scalar: Scalar) -> tuple[Path, ...]:
    """Finds the file, or the files of a glob."""
    pattern = str(folder / scalar.text)
    exact = Path(pattern)
    try:
        if exact.is_file():
            return (exact,)
        found = sorted(glob.glob(pattern, recursive=True))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(Mistake(f"this is no path: {reason}", scalar.place)) from None
    paths = tuple(Path(p) for p in found if Path(p).is_file())
    if not paths and exact.is_dir():
        hint = f"write for example '{scalar.text.rstrip('/')}/*.parquet' for the files in it"
        raise RunError(Mistake(f"{scalar.text!r} is a folder", scalar.place, hint))
    if not paths:
        parent = exact.parent
        near = sorted(p.name for p in parent.iterdir())[:200] if parent.is_dir() else []
        hint = suggestion(exact.name, near, f"files in {parent}") if near else f"no folder {parent}"
        raise RunError(Mistake(f"there is no file {scalar.text!r}", scalar.place, hint))
    return paths


def parse_table(scalar: Scalar, default_schema: str) -> exp.Table:
    """Reads a table name; anything else, such as a function that reads files, is refused."""
    try:
        table = exp.to_table(scalar.text, dialect="duckdb")
    except SqlglotError:
        table = None
    parts = table.parts if isinstance(table, exp.Table) else []
    if not parts or not all(isinstance(p, exp.Identifier) for p in parts) or len(parts) > 2:
        raise RunError(
            Mistake(
                f"{scalar.text!r} is not the name of a table",
                scalar.place,
                "write `table`, `schema.table`, or quote odd names: '\"my table\"'",
            )
        )
    names = [exp.to_identifier(p.name, quoted=True) for p in parts]
    schema = names[0] if len(names) == 2 else exp.to_identifier(default_schema, quoted=True)
    return exp.Table(this=names[-1], db=schema)


def _file_marker(location: SourceLocation, store: Store | None) -> str:
    """Hashes the content of files, unless size and time say that nothing changed."""
    stats = [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in location.paths]
    stamp = hashlib.blake2b(json.dumps(stats).encode(), digest_size=12).hexdigest()
    key = json.dumps([str(p.resolve()) for p in location.paths])
    known = store.repository.file_version(key) if store else None
    if known and known[0] == stamp:
        return _marker(location, known[1])
    digest = hashlib.blake2b(digest_size=16)
    for path in location.paths:
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    if store and not store.repository.read_only:
        store.repository.save_file_version(key, stamp, digest.hexdigest())
    return _marker(location, digest.hexdigest())


def _table_marker(location: SourceLocation, store: Store | None) -> str:
    assert location.table is not None
    if store is None:
        raise RunError(
            Mistake(
                f"there is no table {location.shown!r}: the store does not exist yet",
                location.scalar.place,
            )
        )
    columns = table_columns(location, store)
    table = render(location.table, store.engine.dialect)
    return _marker(location, store.engine.table_marker(table, list(columns)))


def table_columns(location: SourceLocation, store: Store) -> dict[str, str]:
    """Tells the columns of a table of the store, which must exist as such.

    Asking the catalog first matters: DuckDB would read a file called like the table.
    """
    assert location.table is not None
    objects = store.engine.objects(location.table.db)
    if stored_name(location.table.name, store.engine.dialect) not in objects:
        raise RunError(
            Mistake(
                f"there is no table {location.shown!r} in the store",
                location.scalar.place,
                suggestion(location.table.name, objects, "tables"),
            )
        )
    with store.engine.session() as session:
        return session.columns(f"SELECT * FROM {render(location.table, store.engine.dialect)}")


def _marker(location: SourceLocation, content: str) -> str:
    return json.dumps([content, dict(location.columns), location.delimiter, location.numbered])
