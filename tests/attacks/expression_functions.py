"""What the functions and signs of expressions compute, by the rules of docs/case_language.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

UNITS = ("year", "month", "day", "hour", "minute", "second")


class Beyond(Exception):
    """A number left the range in which all engines compute alike."""


class Rounding:
    """Errors that stand for those of another library of transcendental functions."""

    size = 0.0
    calls = 0

    @classmethod
    def of(cls, number: float) -> float:
        """Returns the number with an error, now up, now down."""
        cls.calls += 1
        return number * (1 + cls.size * (1 if cls.calls % 3 else -2))


def checked(number: float) -> float:
    """Refuses numbers that an engine may take for an overflow or an underflow."""
    if not abs(number) < 1e300 or 0 < abs(number) < 1e-290:
        raise Beyond
    return number


def boundaries(unit: str, start: datetime, end: datetime) -> float:
    """Counts how often the unit changes between two times."""
    if unit == "year":
        return float(end.year - start.year)
    if unit == "month":
        return float((end.year - start.year) * 12 + end.month - start.month)
    smaller = dict.fromkeys(("hour", "minute", "second")[UNITS.index(unit) - 2 :], 0)
    cut = [moment.replace(microsecond=0, **smaller) for moment in (start, end)]  # type: ignore[arg-type]
    size = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}[unit]
    return float((cut[1] - cut[0]).total_seconds() // size)


def days(start: datetime, end: datetime) -> float:
    return boundaries("second", start, end) / 86_400


def _product(x: float, y: float) -> float:
    if x and y and not x * y:
        raise Beyond
    return x * y


def _remainder(x: float, y: float) -> float | None:
    if y == 0:
        return None
    rest = abs(x) - abs(y) * math.floor(checked(abs(x) / abs(y)))
    return math.copysign(1, x) * rest if x else 0.0


def _round(x: float, digits: float = 0) -> float:
    scale = 10.0**digits
    if abs(x) >= 2.0**52 / scale:
        return x
    whole = math.floor(abs(x) * scale + 0.5)
    return math.copysign(whole / scale, x)


def _exp(x: float) -> float | None:
    return 0.0 if x < -600 else None if x > 700 else Rounding.of(math.exp(x))


def _power(x: float, y: float) -> float | None:
    if (x == 0 and y < 0) or (x < 0 and y != math.floor(y)):
        return None
    size = y * math.log(abs(x)) if x else 0.0
    return 0.0 if size < -600 else None if size > 700 else Rounding.of(math.pow(x, y))


def _ln(x: float) -> float | None:
    return Rounding.of(math.log(x)) if x > 0 else None


def _log10(x: float) -> float | None:
    return Rounding.of(math.log10(x)) if x > 0 else None


def cased(text: str, change: Callable[[str], str]) -> str:
    """Changes letters one by one; one that would become two stays, such as ß."""
    return "".join(change(c) if len(change(c)) == 1 else c for c in text)


def _substring(text: str, start: float, size: float = 2**31) -> str:
    return text[int(start) - 1 : int(start) - 1 + int(size)]


def _first(values: Sequence[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _extreme(choose: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda values: choose(k) if (k := [v for v in values if v is not None]) else None


ARITHMETIC: dict[str, Callable[[float, float], float | None]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": _product,
    "/": lambda x, y: x / y if y else None,
    "%": _remainder,
}
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda x, y: x == y,
    "<>": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}
CHOSEN: dict[str, Callable[[Sequence[Any]], Any]] = {
    "coalesce": _first,
    "greatest": _extreme(max),
    "least": _extreme(min),
    "nullif": lambda values: None if values[0] == values[1] else values[0],
}
TEXTS: dict[str, Callable[..., str]] = {
    "lower": lambda x: cased(x, str.lower),
    "upper": lambda x: cased(x, str.upper),
    "trim": lambda x: x.strip(" "),
    "substring": _substring,
    "substr": _substring,
    "replace": lambda x, old, new: x.replace(old, new),
}
NUMBERS: dict[str, Callable[..., float | None]] = {
    "length": lambda x: float(len(x)),
    "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "exp": _exp,
    "ln": _ln,
    "log10": _log10,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else None,
    "power": _power,
    "pow": _power,
    "round": _round,
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
    "ceiling": lambda x: float(math.ceil(x)),
}
