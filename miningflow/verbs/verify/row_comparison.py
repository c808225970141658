"""Compares the rows of two tables on different engines, without holding all of them in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from miningflow.declare.concept import Concept
from miningflow.engines import Session
from miningflow.sql.dialect import render
from miningflow.sql.literals import column
from miningflow.sql.sampling import key_hash, rows_hash

TOLERANCE = 1e-9
"""How much doubles may differ, relative to the larger one."""
FIRST = 5
# How many rows are compared at first where keys did not agree; it doubles as long as they do.
FEW = 64
# Rows that share a place in the order and differ are compared with each other, if there are few.
MOST_ALIKE = 200

Row = Mapping[str, Any]


@dataclass(frozen=True)
class RowDifference:
    """A row that is not the same on both sides; one side is None if the row is missing there."""

    key: Row
    left: Row | None
    right: Row | None

    def as_json(self) -> dict[str, Any]:
        """Returns the difference as plain data for programs."""
        sides = {"left": self.left, "right": self.right}
        return {"key": dict(self.key)} | {n: row and dict(row) for n, row in sides.items()}


@dataclass
class RowComparison:
    """The result of comparing two tables."""

    rows: int = 0
    """How many rows both have."""
    differing: int = 0
    largest: float = 0.0
    """The largest relative difference of two doubles that count as equal."""
    first: list[RowDifference] = field(default_factory=list)

    def note(self, difference: RowDifference) -> None:
        """Counts a row that differs, and keeps it if it is one of the first."""
        self.differing += 1
        if len(self.first) < FIRST:
            self.first.append(difference)


def ordered_query(concept: Concept, table: exp.Expression, dialect: str) -> str:
    """Reads the rows of a concept in an order that is the same on every engine.

    That is the order of a hash of the key, or else of all that must be equal to the letter; what
    has the same hash is in the order of its numbers.
    """
    numbers = [f.name for f in concept.of_type("numeric")]
    exact = [name for name in concept.columns if name not in numbers]
    repeated = any(s.repeats for s in concept.segmentations)
    # a key that is a number may differ in its last digit
    numbers.sort(key=lambda name: name != concept.key)
    if concept.key is not None and concept.key in exact and not repeated:
        hashed = key_hash(concept.key, 0)
    elif exact:
        hashed = rows_hash({name: concept.columns[name].type for name in exact}, 0)
    else:
        hashed = exp.Literal.string("")
    mark = order_column(concept)
    marked = exp.Alias(this=hashed, alias=exp.to_identifier(mark, quoted=True))
    order = [exp.Ordered(this=column(n), nulls_first=True) for n in (mark, *numbers)]
    inner = exp.Select(
        expressions=[marked, *(column(n) for n in concept.columns)], from_=exp.From(this=table)
    )
    named = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("compared")))
    query = exp.Select(
        expressions=[column(n) for n in (mark, *concept.columns)],
        from_=exp.From(this=named),
        order=exp.Order(expressions=order),
    )
    return render(query, dialect)


def order_column(concept: Concept) -> str:
    """Returns a name for the column of the order that no feature has."""
    name = "row order"
    while name in concept.columns:
        name += "_"
    return name


def compare_rows(
    concept: Concept,
    left: tuple[Session, str],
    right: tuple[Session, str],
    tolerance: float = TOLERANCE,
) -> RowComparison:
    """Compares the rows of two queries in the same order, each with its session."""
    found = RowComparison()
    sides = tuple(_Side(concept, *side) for side in (left, right))
    one, other = sides
    few = 1 << 30
    while one.fill() and other.fill():
        alike = one.agreeing(other, few)
        if alike:
            _compare_columns(concept, one.part(alike), other.part(alike), tolerance, found)
            one.advance(alike)
            other.advance(alike)
            few = min(few * 2, 1 << 30)
            continue
        few = FEW
        behind = one if one.mark < other.mark else other
        found.note(_missing(concept, behind.part(1), behind is one))
        behind.advance(1)
    for side in sides:
        while side.fill():
            found.note(_missing(concept, side.part(1), side is one))
            side.advance(1)
    return found


class _Side:
    """The rows of one side that were read and not yet compared."""

    def __init__(self, concept: Concept, session: Session, query: str) -> None:
        self.concept = concept
        self._batches: Iterator[pa.RecordBatch] = session.batches(query)
        self._order = order_column(concept)
        self._batch: pa.RecordBatch | None = None
        self._marks: np.ndarray[Any, Any] = np.empty(0, dtype=object)
        self._at = 0

    def fill(self) -> bool:
        """Reads on if everything was compared; returns whether there is a row."""
        while self._at >= len(self._marks):
            batch = next(self._batches, None)
            if batch is None:
                return False
            self._batch, self._at = batch, 0
            self._marks = np.array(batch.column(self._order).to_pylist(), dtype=object)
        return True

    @property
    def mark(self) -> str:
        """Returns the place of the next row in the order; a key that is missing comes first."""
        return self._marks[self._at] or ""

    def agreeing(self, other: _Side, most: int) -> int:
        """Counts the next rows that have the same place in the order."""
        count = min(len(self._marks) - self._at, len(other._marks) - other._at, most)
        same = (
            self._marks[self._at : self._at + count]
            == (other._marks[other._at : other._at + count])
        )
        return count if bool(np.all(same)) else int(np.argmin(same))

    def part(self, count: int) -> pa.RecordBatch:
        """Returns the next rows."""
        assert self._batch is not None
        return self._batch.slice(self._at, count)

    def advance(self, count: int) -> None:
        """Skips rows that were compared."""
        self._at += count


def _compare_columns(
    concept: Concept,
    left: pa.RecordBatch,
    right: pa.RecordBatch,
    tolerance: float,
    found: RowComparison,
) -> None:
    """Compares rows of the same order, column by column."""
    found.rows += left.num_rows
    wrong, largest = _unlike(concept, left, right, tolerance)
    if wrong:
        right = _rearranged(concept, left, right, wrong, tolerance)
        wrong, largest = _unlike(concept, left, right, tolerance)
    found.largest = max(found.largest, largest)
    if not wrong:
        return
    for row in np.flatnonzero(np.any(list(wrong.values()), axis=0)):
        names = [name for name, bad in wrong.items() if bad[row]]
        one, other = _values(left, int(row)), _values(right, int(row))
        key = _key(concept, one)
        found.note(RowDifference(key, {n: one[n] for n in names}, {n: other[n] for n in names}))


def _unlike(
    concept: Concept, left: pa.RecordBatch, right: pa.RecordBatch, tolerance: float
) -> tuple[dict[str, np.ndarray[Any, Any]], float]:
    """Returns which rows differ in which columns, and the largest difference of the others."""
    greatest = 0.0
    wrong: dict[str, np.ndarray[Any, Any]] = {}
    for name, feature in concept.columns.items():
        pair = left.column(name), right.column(name)
        if feature.type == "numeric":
            bad, largest = _unlike_numbers(*pair, tolerance)
            greatest = max(greatest, largest)
        else:
            bad = _unlike_words(*pair)
        if bad.any():
            wrong[name] = bad
    return wrong, greatest


def _rearranged(
    concept: Concept,
    left: pa.RecordBatch,
    right: pa.RecordBatch,
    wrong: Mapping[str, np.ndarray[Any, Any]],
    tolerance: float,
) -> pa.RecordBatch:
    """Puts rows that share a place in the order beside those that they are equal to.

    The order among them is that of their numbers, and these may differ in the last digit.
    """
    marks = np.array(left.column(order_column(concept)).to_pylist(), dtype=object)
    rows = np.flatnonzero(np.any(list(wrong.values()), axis=0))
    places = np.arange(left.num_rows)
    for mark in dict.fromkeys(marks[rows]):
        group = [int(row) for row in rows if marks[row] == mark]
        if not 1 < len(group) <= MOST_ALIKE:
            continue
        free, matched = list(group), dict[int, int]()
        for row in group:
            one = left.slice(row, 1)
            alike = (r for r in free if not _unlike(concept, one, right.slice(r, 1), tolerance)[0])
            match = next(alike, None)
            if match is not None:
                free.remove(match)
                matched[row] = match
        matched.update(zip([row for row in group if row not in matched], free, strict=True))
        places[list(matched)] = list(matched.values())
    return right.take(pa.array(places))


def _unlike_numbers(
    left: pa.Array, right: pa.Array, tolerance: float
) -> tuple[np.ndarray[Any, Any], float]:
    """Returns which numbers differ, and the largest difference of the rest."""
    void = np.asarray(left.is_null()), np.asarray(right.is_null())
    one, other = (np.asarray(pc.fill_null(side.cast(pa.float64()), 0.0)) for side in (left, right))
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    size = np.maximum(np.abs(one), np.abs(other))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other) / size)
        close = same | (apart <= tolerance) | (np.abs(one - other) <= tolerance * 1e-3)
    bad = (void[0] != void[1]) | ~close
    largest = apart[~bad & (apart <= tolerance)]
    return bad, float(largest.max()) if len(largest) else 0.0


def _unlike_words(left: pa.Array, right: pa.Array) -> np.ndarray[Any, Any]:
    """Returns which keys, categories or times differ when written as text."""
    void = np.asarray(left.is_null()), np.asarray(right.is_null())
    one, other = (np.asarray(pc.fill_null(_written(side), "")) for side in (left, right))
    return np.asarray((void[0] != void[1]) | (one != other))


def _written(values: pa.Array) -> pa.Array:
    """Writes values as texts, so that the types that engines give to keys do not matter."""
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.timestamp("us"))
    return values.cast(pa.string())


def _missing(concept: Concept, row: pa.RecordBatch, is_left: bool) -> RowDifference:
    values = _values(row, 0)
    own = {name: values[name] for name in concept.columns}
    return RowDifference(_key(concept, values), own if is_left else None, None if is_left else own)


def _key(concept: Concept, values: Row) -> Row:
    """Returns what identifies a row: its key, or everything that is not a number."""
    if concept.key is not None:
        return {concept.key: values[concept.key]}
    return {n: values[n] for n, f in concept.columns.items() if f.type != "numeric"}


def _values(rows: pa.RecordBatch, row: int) -> Row:
    found: Row = rows.slice(row, 1).to_pylist()[0]
    return found
