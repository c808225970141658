"""The hash of a frame: that of its values, however a library holds them."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from miningflow.store.frame_content import ROWS, frame_hash

TABLE = pa.table(
    {
        "id": [1, 2, None, 4],
        "x": [0.5, None, float("nan"), -0.0],
        "text": ["a", "", None, "ää"],
        "truth": [True, None, False, True],
        "seen": [datetime(2025, 1, 1), None, datetime(2025, 1, 2), datetime(2025, 1, 3)],
        "none": pa.nulls(4),
    }
)


def _changed(name: str, values: list[object]) -> pa.Table:
    at = TABLE.column_names.index(name)
    return TABLE.set_column(at, name, pa.array(values, TABLE.schema.field(name).type))


def _dirty(table: pa.Table) -> pa.Table:
    """Puts a number into the memory behind a missing value."""
    values = pa.array([1, 2, 77, 4], pa.int64()).buffers()[1]
    mask = pa.array([1, 1, None, 1]).buffers()[0]
    return table.set_column(0, "id", pa.Array.from_buffers(pa.int64(), 4, [mask, values]))


@pytest.mark.parametrize(
    "same",
    [
        pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1, 0), TABLE.slice(1)]),
        pa.concat_tables([TABLE.slice(3), TABLE, TABLE]).slice(1, 4),
        TABLE.set_column(2, "text", TABLE["text"].cast(pa.string_view())),
        TABLE.set_column(2, "text", TABLE["text"].cast(pa.large_string())),
        TABLE.set_column(2, "text", TABLE["text"].dictionary_encode()),
        TABLE.set_column(4, "seen", TABLE["seen"].cast(pa.timestamp("ns"))),
        _dirty(TABLE),
    ],
    ids=["chunks", "offset", "views", "large", "dictionary", "nanoseconds", "behind NULL"],
)
def test_the_layout_does_not_count(same: pa.Table) -> None:
    assert frame_hash(same) == frame_hash(TABLE)


@pytest.mark.parametrize(
    "other",
    [
        _changed("id", [1, 2, 3, 4]),
        _changed("id", [None, 1, 2, 4]),
        _changed("x", [0.5, None, None, -0.0]),
        _changed("x", [0.5, None, float("nan"), 0.0]),
        _changed("text", ["a", None, "", "ää"]),
        _changed("text", ["aä", "", None, "ä"]),
        _changed("truth", [True, None, False, None]),
        TABLE.take([1, 0, 2, 3]),
        TABLE.slice(0, 3),
        TABLE.rename_columns(["id", "y", "text", "truth", "seen", "none"]),
        TABLE.set_column(0, "id", TABLE["id"].cast(pa.float64())),
        TABLE.set_column(4, "seen", pc.assume_timezone(TABLE["seen"], "UTC")),
    ],
)
def test_every_value_counts(other: pa.Table) -> None:
    assert frame_hash(other) != frame_hash(TABLE)


def test_a_value_in_the_last_of_many_rows_counts() -> None:
    numbers = list(range(ROWS + 2))
    table = pa.table({"n": numbers})
    assert frame_hash(table) == frame_hash(
        pa.table({"n": pa.chunked_array([numbers[:9], numbers[9:]])})
    )
    assert frame_hash(table) != frame_hash(pa.table({"n": [*numbers[:-1], 0]}))


def test_no_rows_are_a_content() -> None:
    assert frame_hash(TABLE.slice(0, 0)) == frame_hash(TABLE.schema.empty_table())
