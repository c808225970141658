"""Rows in and out of PostgreSQL by COPY, as Arrow, many at once and never all.

COPY goes through the very session that a task has, so that it sees its temporary tables and can be
cancelled with it; as CSV, because Arrow reads and writes that in C++, whatever the types are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv as pc

from miningflow.errors import Diagnostic, EngineError

# Bytes of text of one batch.
BATCH = 4_000_000

_ARROW = {
    "boolean": pa.bool_(),
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "real": pa.float32(),
    "double precision": pa.float64(),
    "numeric": pa.float64(),
    "date": pa.date32(),
    "timestamp without time zone": pa.timestamp("us"),
    "timestamp with time zone": pa.timestamp("us", "UTC"),
}
_SIZE = re.compile(r"\([^)]*\)")
# Texts are compared byte by byte, as DuckDB does, whatever the collation of the database is.
TEXT = 'text COLLATE "C"'


@dataclass(frozen=True)
class Column:
    """A column of a query: its name, and its type as PostgreSQL writes it."""

    name: str
    type: str


def without_size(sql_type: str) -> str:
    """Returns a type without its size: `timestamp(3) with time zone` is a time all the same."""
    return _SIZE.sub("", sql_type)


def is_whole(sql_type: str) -> bool:
    """Returns whether a type is a `numeric` without digits behind the point, as some keys are."""
    return sql_type.startswith("numeric(") and sql_type.endswith(",0)")


def schema_of(columns: Iterable[Column]) -> pa.Schema:
    """Returns the Arrow types of columns; what Arrow has no type for is text."""
    return pa.schema([(column.name, _arrow_type(column.type)) for column in columns])


def copied_out(
    connection: psycopg.Connection[Any], query: str, columns: list[Column]
) -> Iterator[pa.RecordBatch]:
    """Streams the rows of a query; there is at least one batch, if only an empty one."""
    schema = schema_of(columns)
    statement = f"COPY (\n{query}\n) TO STDOUT (FORMAT csv)"
    buffer = io.BytesIO()
    is_first = True
    with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        for row in copy:  # a whole row at a time, so that a batch ends with one
            buffer.write(row)
            if buffer.tell() >= BATCH:
                yield from _parsed(buffer, schema)
                buffer, is_first = io.BytesIO(), False
    if buffer.tell() or is_first:
        yield from _parsed(buffer, schema)


def copied_in(
    connection: psycopg.Connection[Any], target: str, batches: Iterable[pa.RecordBatch]
) -> None:
    """Adds rows to a table."""
    options = pc.WriteOptions(include_header=False)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {target} FROM STDIN (FORMAT csv)".encode()) as copy,
    ):
        for batch in batches:
            sink = pa.BufferOutputStream()
            pc.write_csv(batch, sink, options)
            copy.write(memoryview(sink.getvalue()))


def column_types(schema: pa.Schema) -> dict[str, str]:
    """Returns the PostgreSQL type of each Arrow column."""
    return {field.name: _sql_type(field) for field in schema}


def _arrow_type(sql_type: str) -> pa.DataType:
    if is_whole(sql_type):
        digits = int(sql_type.partition("(")[2].partition(",")[0])
        return pa.decimal128(digits, 0) if digits <= 38 else pa.float64()
    return _ARROW.get(without_size(sql_type), pa.string())


def _sql_type(field: pa.Field) -> str:
    kind = field.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind):
        return TEXT
    if pa.types.is_integer(kind):
        if pa.types.is_uint64(kind):
            return "numeric(20, 0)"
        bits = kind.bit_width * (2 if pa.types.is_unsigned_integer(kind) else 1)
        return "smallint" if bits <= 16 else "integer" if bits == 32 else "bigint"
    if pa.types.is_floating(kind):
        return "double precision"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    message = f"column {field.name!r} is of type {kind}, which PostgreSQL cannot be given"
    raise EngineError(Diagnostic(message, None, "make it a number, a text or a time in the file"))


def _parsed(buffer: io.BytesIO, schema: pa.Schema) -> list[pa.RecordBatch]:
    if not buffer.tell():
        return [pa.RecordBatch.from_pylist([], schema)]
    numbers = [str(i) for i in range(len(schema))]  # two columns may have one name
    try:
        table = pc.read_csv(
            pa.BufferReader(buffer.getvalue()),
            pc.ReadOptions(column_names=numbers, block_size=buffer.tell() + 1),
            pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            pc.ConvertOptions(
                column_types=dict(zip(numbers, schema.types, strict=True)),
                null_values=[""],
                true_values=["t"],
                false_values=["f"],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise EngineError(
            Diagnostic(
                f"a value that PostgreSQL gave cannot be read: {str(error).splitlines()[0]}",
                None,
                "is it a time that is infinite, or before our era?",
            )
        ) from None
    batches: list[pa.RecordBatch] = table.rename_columns(schema.names).to_batches()
    return batches
