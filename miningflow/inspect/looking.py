"""Opens the tables that a user named, and looks at each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from miningflow.engines.column_names import matching_columns
from miningflow.engines.csv_reading import CsvReading
from miningflow.engines.engine import Engine, FileError, Session
from miningflow.engines.file_access import access_to
from miningflow.engines.files import files_query, parquet_columns
from miningflow.engines.opening import open_engine
from miningflow.errors import Diagnostic, EngineError, RunError
from miningflow.inspect.csv_shape import csv_shape
from miningflow.inspect.facts import TableFacts
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.in_parts import is_unique
from miningflow.inspect.keys import find_key
from miningflow.inspect.looked import Looked
from miningflow.inspect.measuring import measure
from miningflow.inspect.sampling import sample_of

MOST_COLUMNS = 10_000
CSV_BUFFER = 4_000_000
"""DuckDB's 32 MB, of which each thread holds several, are more than what the rest needs."""
_NOT_UTF8 = ("not utf-8 encoded", "Invalid unicode", "invalid UTF")


@dataclass
class Inspected:
    """A table with its statistics, open for further questions."""

    facts: TableFacts
    source: GivenSource
    looked: Looked
    table: tuple[str, str] | None = None
    """The schema and name of a table of a database."""


@dataclass(frozen=True)
class Declared:
    """What a case says of a table already, so that it is not inferred."""

    columns: Collection[str] | None = None
    """The columns to look at; None: all."""
    key: str | None = None
    delimiter: str | None = None
    reading: CsvReading | None = None
    times: Collection[str] = ()
    """Columns whose values are times."""


@contextmanager
def scratch_engine(files: Sequence[Path]) -> Iterator[tuple[Engine, Path]]:
    """Opens a database in a temporary folder, which reads the given files and no others."""
    with TemporaryDirectory(prefix="miningflow-") as name:
        folder = Path(name)
        url = f"duckdb:///{folder / 'looked_at.duckdb'}?threads=2"
        engine = open_engine(url, folder, access=access_to(files, [folder]))
        try:
            yield engine, folder
        finally:
            engine.close()


def check_width(source: GivenSource) -> None:
    """Refuses a file that has too many columns, or no header."""
    path = source.paths[0]
    is_parquet = ".parquet" in path.name.lower()
    types = parquet_columns(path) if is_parquet else csv_shape(path, source.called).columns
    _refuse_wide(source, len(types))


def inspect_files(
    session: Session,
    engine: Engine,
    source: GivenSource,
    number: int,
    declared: Declared | None = None,
) -> Inspected:
    """Looks at the table of one or several files."""
    is_text = ".parquet" not in source.paths[0].name.lower()
    encoding = "utf-8"
    delimiter: str | None = ","
    if is_text and declared is not None:
        encoding = declared.reading.encoding if declared.reading else encoding
        delimiter = declared.delimiter  # DuckDB finds one that is not given
    elif is_text:
        shape = csv_shape(source.paths[0], source.called)
        encoding, delimiter = shape.encoding, shape.delimiter
    try:
        if is_text:
            relation, encoding = _loaded(session, source, delimiter, encoding, number)
        else:
            relation = files_query(source.paths, None)
        types = session.columns(f"SELECT * FROM {relation}")
    except (EngineError, FileError) as error:
        said = error.diagnostics[0]
        raise RunError(
            Diagnostic(f"{source.shown} cannot be read: {said.message}", None, said.hint)
        ) from None
    facts = TableFacts(source.name, relation, "", 0, {}, delimiter or ",", is_text=is_text)
    return _inspected(session, engine, source, facts, types, number, encoding, declared)


def inspect_table(
    session: Session,
    engine: Engine,
    source: GivenSource,
    table: tuple[str, str],
    number: int,
    declared: Declared | None = None,
) -> Inspected:
    """Looks at a table of a database."""
    relation = ".".join(session.quoted(part) for part in table)
    try:
        types = session.columns(f"SELECT * FROM {relation}")
    except EngineError as error:
        said = error.diagnostics[0]
        raise RunError(
            Diagnostic(f"the table {table[1]!r} cannot be read: {said.message}", None, said.hint)
        ) from None
    facts = TableFacts(source.name, relation, "", 0, {})
    found = _inspected(session, engine, source, facts, types, number, "utf-8", declared)
    return replace(found, table=table)


def _loaded(
    session: Session, source: GivenSource, delimiter: str | None, encoding: str, number: int
) -> tuple[str, str]:
    """Loads CSV files as text; a byte that is not UTF-8 may come late in a file."""
    table = session.quoted(f"file {number}")
    try:
        query = files_query(source.paths, delimiter, encoding, CSV_BUFFER)
        _keep(session, table, query)
    except EngineError as error:
        if encoding != "utf-8" or not any(each in str(error.__cause__) for each in _NOT_UTF8):
            raise
        encoding = "latin-1"
        query = files_query(source.paths, delimiter, encoding, CSV_BUFFER)
        _keep(session, table, query)
    return table, encoding


def _keep(session: Session, table: str, query: str) -> None:
    session.frugal(lambda: session.execute(f"CREATE TABLE {table} AS SELECT * FROM {query}"))


def _refuse_wide(source: GivenSource, columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise RunError(
            Diagnostic(
                f"{source.shown} has {columns:,} columns, and a case has at most {MOST_COLUMNS:,}",
                None,
                "turn columns into rows, with a column for the name and one for the value",
            )
        )


def _inspected(
    session: Session,
    engine: Engine,
    source: GivenSource,
    facts: TableFacts,
    types: dict[str, str],
    number: int,
    encoding: str,
    declared: Declared | None,
) -> Inspected:
    _refuse_wide(source, len(types))
    if declared is not None and declared.columns is not None:
        wanted = {each for name in declared.columns for each in matching_columns(name, types)}
        types = {name: kind for name, kind in types.items() if name in wanted}
    counted = f"SELECT count(*) FROM {facts.relation}"
    rows = int(session.frugal(lambda: session.rows(counted))[0][0])
    if rows == 0 and declared is None:
        raise RunError(Diagnostic(f"{source.shown} has no rows", None, "a case needs rows"))
    sample = sample_of(session, engine, facts.relation, list(types), rows, number)
    looked = Looked(
        session, facts.relation, sample, facts.is_text, engine.dialect, engine.approximates
    )
    if declared is not None and facts.is_text:
        given = {c for name in declared.times for c in matching_columns(name, types)}
        columns, reading = measure(looked, rows, types, encoding, declared.reading, given)
    else:
        columns, reading = measure(looked, rows, types, encoding)
    facts = replace(facts, sample=sample, rows=rows, columns=columns, reading=reading)
    if declared is not None:
        named = matching_columns(declared.key, types) if declared.key else ()
        return Inspected(replace(facts, key=named[0] if len(named) == 1 else None), source, looked)
    key = find_key(facts, lambda column: is_unique(looked, column, rows, reading))
    if key is not None:
        facts = replace(facts, key=key[0], key_why=key[1])
    return Inspected(facts, source, looked)
