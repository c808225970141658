"""What differs between the rows that a test expects and those that a step made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from miningflow.errors import Place
from miningflow.resolve import Presence
from miningflow.resolve.bound import BoundTest, Row

Made = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """One row that is not as expected."""

    said: str
    place: Place
    row: Mapping[str, Any]
    """The row: its key, or the features that the test names."""
    expected: Mapping[str, Any]
    """Feature → value; empty if the row was not expected at all."""
    found: Mapping[str, Any]
    """Feature → value; empty if the row is missing."""


def differences(test: BoundTest, presence: Presence, made: Sequence[Made]) -> Iterator[Difference]:
    """Compares rows by key if every expected row has one, and in any order otherwise."""
    concept = presence.concept
    lost = {name for row in test.expect for name in row.values} - set(concept.features)
    for name in sorted(lost):
        cause = presence.deselected[name]
        row = next(row for row in test.expect if name in row.values)
        said = f"{name!r} was deselected in step {cause.step!r}: {cause.reason}"
        yield Difference(said, row.place, {}, {name: row.values[name]}, {})
    if lost:
        return
    if concept.key and all(row.values.get(concept.key) is not None for row in test.expect):
        yield from _by_key(test, concept.key, made)
    else:
        yield from _in_any_order(test, made)


def _by_key(test: BoundTest, key: str, made: Sequence[Made]) -> Iterator[Difference]:
    rows = {str(row[key]): row for row in made}
    for expected in test.expect:
        row = rows.pop(str(expected.values[key]), None)
        where = {key: expected.values[key]}
        if row is None:
            yield Difference("a row is missing", expected.place, where, expected.values, {})
            continue
        wrong = [n for n, v in expected.values.items() if not _alike(v, row[n], test.tolerance)]
        if wrong:
            yield Difference(
                f"{', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} not as expected",
                expected.place,
                where,
                {name: expected.values[name] for name in wrong},
                {name: row[name] for name in wrong},
            )
    for row in rows.values():
        yield Difference("a row was not expected", test.place, {key: row[key]}, {}, row)


def _in_any_order(test: BoundTest, made: Sequence[Made]) -> Iterator[Difference]:
    left = list(made)
    for expected in test.expect:
        fitting = next((r for r in left if _fits(expected, r, test.tolerance)), None)
        if fitting is None:
            said = "no row matches this one"
            yield Difference(said, expected.place, {}, expected.values, {})
        else:
            left.remove(fitting)
    named = dict.fromkeys(name for row in test.expect for name in row.values)
    for row in left:
        shown = {name: row[name] for name in named} or dict(row)
        yield Difference("a row was not expected", test.place, {}, {}, shown)


def _fits(expected: Row, made: Made, tolerance: float) -> bool:
    return all(_alike(v, made[name], tolerance) for name, v in expected.values.items())


def _alike(expected: Any, found: Any, tolerance: float) -> bool:
    if expected is None or found is None:
        return expected is None and found is None
    if isinstance(expected, float):
        return math.isclose(expected, float(found), rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(expected, datetime):
        return bool(expected == found)
    return str(expected) == str(found)
