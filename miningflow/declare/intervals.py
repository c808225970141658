"""Intervals as people write them: '[0, 18)', a square bracket where the end belongs to it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

End = float | str | None


@dataclass(frozen=True)
class Interval:
    """An interval with a label; an end is a number or a time as text, and None where it is open."""

    label: str
    low: End
    high: End
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True)
class Intervals:
    """Intervals that do not overlap."""

    items: tuple[Interval, ...]


_INTERVAL = re.compile(r"\s*([\[(])([^,\[\]()]*),([^,\[\]()]*)([\])])\s*")


class IntervalError(ValueError):
    """A text is not an interval; the message says why."""


def parse_interval(label: str, written: str, types: Sequence[str]) -> Interval:
    """Reads an interval of numbers or times; without an end it is open to that side."""
    found = _INTERVAL.fullmatch(written)
    if found is None:
        raise IntervalError(f"{written[:40]!r} is not an interval")
    read = _number if "numeric" in types else _time
    low, high = read(found[2].strip()), read(found[3].strip())
    interval = Interval(label, low, high, found[1] == "[", found[4] == "]")
    if _is_empty(interval):
        raise IntervalError(f"the interval {written!r} is empty")
    return interval


def overlap(one: Interval, other: Interval) -> bool:
    """Returns whether some value lies in both intervals."""
    return not _ends_before(one, other) and not _ends_before(other, one)


def _ends_before(one: Interval, other: Interval) -> bool:
    if one.high is None or other.low is None:
        return False
    if one.high == other.low:
        return not (one.high_closed and other.low_closed)
    return _less(one.high, other.low)


def _is_empty(interval: Interval) -> bool:
    if interval.low is None or interval.high is None:
        return False
    if interval.low == interval.high:
        return not (interval.low_closed and interval.high_closed)
    return _less(interval.high, interval.low)


def _less(one: float | str, other: float | str) -> bool:
    if isinstance(one, str) and isinstance(other, str):  # times in ISO form sort as text
        return one < other
    return float(one) < float(other)


def _number(written: str) -> End:
    if not written:
        return None
    try:
        value = float(written.replace("_", ""))
    except ValueError:
        raise IntervalError(f"the end {written[:40]!r} of an interval is not a number") from None
    if not math.isfinite(value):
        raise IntervalError("the end of an interval must be finite, or left out")
    return value


def _time(written: str) -> End:
    if not written:
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise IntervalError(f"the end {written[:40]!r} of an interval is not a time") from None
    if moment.tzinfo is not None:
        raise IntervalError(f"the end {written[:40]!r} of an interval has a time zone")
    return moment.isoformat(" ")
