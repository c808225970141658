"""Rows of two stores are compared as they stream by, in whatever pieces they come."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miningflow.compile.names import table
from miningflow.declare.concept import Concept, Feature
from miningflow.engines import open_engine
from miningflow.verbs.verify import row_comparison
from miningflow.verbs.verify.row_comparison import RowComparison, compare_rows, ordered_query

ID, SIZE, KIND = Feature("id", "key"), Feature("size", "numeric"), Feature("kind", "nominal")
KEYED = Concept("Thing", {f.name: f for f in (ID, SIZE, KIND)}, "id")
KEYLESS = Concept("Thing", {f.name: f for f in (SIZE, KIND)})
NUMBERS = Concept("Thing", {n: Feature(n, "numeric") for n in ("x", "y")})

Rows = list[tuple[Any, ...]]


def compared(concept: Concept, left: Rows, right: Rows, **options: Any) -> RowComparison:
    """Puts rows into two DuckDB stores and compares them there."""
    with ExitStack() as stack:
        sides = []
        for rows in (left, right):
            engine = open_engine("duckdb://", Path("."))
            stack.callback(engine.close)
            session = stack.enter_context(engine.session())
            schema = pa.schema([(n, _type(f)) for n, f in concept.columns.items()])
            columns = list(zip(*rows, strict=True)) or [() for _ in schema]
            arrays = [pa.array(c, t) for c, t in zip(columns, schema.types, strict=True)]
            batches = pa.table(arrays, schema=schema).to_batches()
            session.fill("thing", pa.RecordBatchReader.from_batches(schema, batches))
            sides.append((session, ordered_query(concept, table("thing"), engine.dialect)))
        return compare_rows(concept, sides[0], sides[1], **options)


def _type(feature: Feature) -> pa.DataType:
    return {"key": pa.int64(), "numeric": pa.float64()}.get(feature.type, pa.string())


def test_the_same_rows_in_another_order_are_equal() -> None:
    rows: Rows = [(i, i / 7, f"k{i % 3}") for i in range(5000)]
    found = compared(KEYED, rows, random.Random(1).sample(rows, len(rows)))
    assert (found.rows, found.differing, found.largest) == (5000, 0, 0.0)


def test_it_tells_the_first_rows_that_differ_and_counts_all() -> None:
    left: Rows = [(i, float(i), "a") for i in range(100)]
    right: Rows = [(i, i + (0.5 if i < 30 else 0.0), "b" if i == 99 else "a") for i in range(100)]
    found = compared(KEYED, left, right)
    assert found.rows == 100
    assert found.differing == 31
    assert len(found.first) == 5
    for difference in found.first:
        key = difference.key["id"]
        if key == 99:
            assert (difference.left, difference.right) == ({"kind": "a"}, {"kind": "b"})
        else:
            assert (difference.left, difference.right) == ({"size": key}, {"size": key + 0.5})


def test_rows_that_only_one_side_has_are_told_apart() -> None:
    found = compared(KEYED, [(1, 1.0, "a"), (2, 2.0, None)], [(1, 1.0, "a"), (3, None, "c")])
    assert (found.rows, found.differing) == (1, 2)
    by_key = {d.key["id"]: d for d in found.first}
    assert by_key[2].left == {"id": 2, "size": 2.0, "kind": None}
    assert by_key[2].right is None
    assert by_key[3].left is None
    assert by_key[3].right == {"id": 3, "size": None, "kind": "c"}


def test_a_side_without_rows_lacks_all() -> None:
    rows: Rows = [(i, 0.0, "") for i in range(10)]
    assert compared(KEYED, rows, []).differing == 10
    assert compared(KEYED, [], rows).differing == 10
    assert compared(KEYED, [], []).differing == 0


def test_doubles_may_differ_in_the_tenth_digit_but_not_in_the_eighth() -> None:
    found = compared(KEYED, [(1, 1.0, "a")], [(1, 1.0 + 5e-10, "a")])
    assert found.differing == 0
    assert found.largest == pytest.approx(5e-10, rel=1e-3)
    assert compared(KEYED, [(1, 1.0, "a")], [(1, 1.0 + 2e-9, "a")]).differing == 1
    assert compared(KEYED, [(1, 1.0, "a")], [(1, 1.01, "a")], tolerance=0.1).differing == 0
    # a number that should be zero has no digits to agree in
    assert compared(KEYED, [(1, 0.0, "a")], [(1, 1e-15, "a")]).differing == 0
    assert compared(KEYED, [(1, 0.0, "a")], [(1, 1e-9, "a")]).differing == 1


def test_null_nan_and_infinity_are_three_things() -> None:
    nan, inf = float("nan"), float("inf")
    for value in (None, nan, inf, -inf, 0.0):
        for other in (None, nan, inf, -inf, 0.0):
            same = value is other or repr(value) == repr(other)
            found = compared(KEYED, [(1, value, "a")], [(1, other, "a")])
            assert found.differing == (0 if same else 1), (value, other)
    assert compared(KEYED, [(1, 0.0, None)], [(1, 0.0, "")]).differing == 1


def test_rows_without_a_key_are_compared_as_a_bag() -> None:
    left: Rows = [(1.0, "a"), (1.0, "a"), (2.0, "b"), (None, None)]
    assert compared(KEYLESS, left, left[::-1]).differing == 0
    assert compared(KEYLESS, left, left[1:]).differing == 1
    assert compared(NUMBERS, [(1.0, 2.0), (3.0, 4.0)], [(3.0, 4.0), (1.0, 2.0)]).differing == 0
    assert compared(NUMBERS, [(1.0, 2.0)], [(1.0, 3.0)]).differing == 1


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_it_finds_exactly_the_rows_that_are_missing(left: list[int], right: list[int]) -> None:
    found = compared(KEYED, [(i, 1.0, "a") for i in left], [(i, 1.0, "a") for i in right])
    assert found.rows == len(set(left) & set(right))
    assert found.differing == len(set(left) ^ set(right))


def test_batches_of_any_size_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL returns other pieces than DuckDB does."""
    monkeypatch.setattr(row_comparison, "FEW", 2)
    rows = [(i, float(i), "a") for i in range(50)]
    missing = {3, 4, 17, 49}

    class Cut:
        def __init__(self, rows: Rows, size: int) -> None:
            with duckdb.connect() as connection:
                schema = pa.schema([("id", "int64"), ("size", "float64"), ("kind", "string")])
                columns = [list(c) for c in zip(*rows, strict=True)]
                connection.register("thing", pa.table(columns, schema=schema))
                ordered = ordered_query(KEYED, table("thing"), "duckdb")
                self.table = connection.sql(ordered).to_arrow_table()
            self.size = size

        def batches(self, _query: str) -> Iterator[pa.RecordBatch]:
            yield from self.table.to_batches(max_chunksize=self.size)

    kept = [row for row in rows if row[0] not in missing]
    for size in (1, 2, 7, 50):
        one, other = Cut(rows, size), Cut(kept, 5)
        found = compare_rows(KEYED, (one, ""), (other, ""))  # type: ignore[arg-type]  # all it needs
        assert {d.key["id"] for d in found.first} == missing
        assert found.rows == 46


def test_a_key_that_repeats_and_rows_that_tie_are_no_difference() -> None:
    """Rows of one key come in the order of numbers that differ in the last digit."""
    left: Rows = [(1, 0.1, "a"), (1, 0.1 + 1e-13, "b"), (2, 5.0, "a"), (1, 0.1, "c")]
    right: Rows = [(1, 0.1 + 1e-13, "a"), (1, 0.1, "b"), (2, 5.0, "a"), (1, 0.1, "c")]
    assert compared(KEYED, left, right).differing == 0
    assert compared(KEYED, left, [*right[:3], (1, 0.1, "d")]).differing == 1
    pairs: Rows = [(0.3, 1.0), (0.3 + 1e-13, 2.0)]
    assert compared(NUMBERS, pairs, [(0.3 + 1e-13, 1.0), (0.3, 2.0)]).differing == 0
    assert compared(NUMBERS, pairs, [(0.3 + 1e-13, 1.0), (0.3, 2.5)]).differing == 1


def test_a_key_that_is_a_number_may_differ_in_its_last_digit() -> None:
    features = {f.name: f for f in (SIZE, KIND)}
    concept = Concept("Group", features, "size")
    left: Rows = [(0.1 * 3, "a"), (0.5, "b"), (math.nan, "c")]
    assert compared(concept, left, [(0.3, "a"), (0.5, "b"), (math.nan, "c")]).differing == 0
    assert compared(concept, left, [(0.31, "a"), (0.5, "b"), (math.nan, "c")]).differing == 1
