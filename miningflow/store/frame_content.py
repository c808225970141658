"""The content of a frame, as a hash that does not depend on how Arrow holds the values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

# Rows that are looked at together: a copy of one column of them is in memory.
ROWS = 1 << 18


def frame_hash(table: pa.Table) -> str:
    """Hashes names, types and values in the order of the rows.

    Chunks, offsets, what is in memory behind a missing value, units and zones of times, and the
    kinds of text and categories differ from library to library, and do not count.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(f"{name!r} {_meant(column.type)} {len(column)};".encode())
        for start in range(0, len(column), ROWS):
            for part in _parts(column.slice(start, ROWS)):
                digest.update(part)
    return digest.hexdigest()


def _parts(column: pa.ChunkedArray) -> Iterator[memoryview | bytes]:
    """Returns which values of some rows are missing, and the others, as bytes."""
    meant = _meant(column.type)
    if column.type != meant:
        column = column.cast(meant, safe=False)
    values = pa.concat_arrays(column.chunks)
    yield values.null_count.to_bytes(8)
    if values.null_count:
        yield memoryview(pc.is_null(values).cast(pa.uint8()).to_numpy())
        values = values.drop_null()
    if kinds.is_boolean(meant):
        yield memoryview(values.cast(pa.uint8()).to_numpy())
    elif kinds.is_large_string(meant):
        yield memoryview(pc.binary_length(values).to_numpy())
        _, ends, text = values.buffers()
        if len(values):
            offsets = memoryview(ends).cast("q")[values.offset : values.offset + len(values) + 1]
            yield memoryview(text or b"")[offsets[0] : offsets[-1]]
    elif not kinds.is_null(meant):
        width = meant.bit_width // 8
        start = values.offset * width
        yield memoryview(values.buffers()[1] or b"")[start : start + len(values) * width]


def _meant(found: pa.DataType) -> pa.DataType:
    """Returns the type of the values, whatever their encoding is."""
    if kinds.is_dictionary(found):
        found = found.value_type
    if kinds.is_string(found) or kinds.is_string_view(found):
        return pa.large_string()
    if kinds.is_timestamp(found):  # times are read in microseconds, and those with a zone in UTC
        return pa.timestamp("us", None if found.tz is None else "UTC")
    return found
