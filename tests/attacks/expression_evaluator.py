"""Evaluates expressions in Python by the rules of docs/case_language.md.

A node becomes a kind and a function of a row. All parts are evaluated, even those that a CASE does
not choose, since an engine may do so too: a number beyond the range of doubles raises `Beyond`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attacks.expression_functions import (
    ARITHMETIC,
    CHOSEN,
    COMPARED,
    NUMBERS,
    TEXTS,
    UNITS,
    boundaries,
    cased,
    checked,
    days,
)
from attacks.expression_parser import Node, NotInLanguage

Row = Mapping[str, Any]
Compiled = tuple[str, Callable[[Row], Any]]


class NotAKey(Exception):
    """A key that is a number is compared with a text, which an engine refuses."""


def compiled(node: Node, kinds: Mapping[str, str]) -> Compiled:
    """Returns the kind of an expression, and a function that evaluates it for a row."""
    match node:
        case ("number", number, _):
            return "numeric", lambda row: number
        case ("text", text):
            return "text", lambda row: text
        case ("time", text):
            moment = datetime.fromisoformat(text)
            return "time", lambda row: moment
        case ("null",):
            return "null", lambda row: None
        case ("true" | "false" as word,):
            return "boolean", lambda row: word == "true"
        case ("feature", name):
            if name not in kinds:
                raise NotInLanguage(f"no feature {name!r}")
            return kinds[name], lambda row: row[name]
        case ("negative", part):
            return _mapped("numeric", lambda x: -x, [compiled(part, kinds)])
        case ("and" | "or" as word, left, right):
            sides = [compiled(left, kinds)[1], compiled(right, kinds)[1]]
            decisive = word == "or"
            return "boolean", lambda row: _connected([side(row) for side in sides], decisive)
        case ("not", part):
            return _mapped("boolean", lambda x: not x, [compiled(part, kinds)])
        case ("is null", part):
            value = compiled(part, kinds)[1]
            return "boolean", lambda row: value(row) is None
        case ("call", name, arguments):
            return _call(name, arguments, kinds)
        case ("case", subject, branches, otherwise):
            return _case(subject, branches, otherwise, kinds)
        case ("in", left, members):
            return _in(left, members, kinds)
        case ("between", value, low, high):
            bounds = _alike([compiled(part, kinds) for part in (value, low, high)])[1]
            return "boolean", lambda row: _between(*(part(row) for part in bounds))
        case ("like" | "ilike" as word, left, ("text", pattern)):
            fits = _pattern(pattern, word == "ilike")
            return _mapped("boolean", fits, [compiled(left, kinds)])
        case ("||", left, right):
            parts = [compiled(left, kinds), compiled(right, kinds)]
            return _mapped("text", lambda x, y: x + y, parts)
        case ("+" | "-" | "*" | "/" | "%" as sign, left, right):
            parts = [compiled(left, kinds), compiled(right, kinds)]
            return _mapped("numeric", ARITHMETIC[sign], parts)
        case (sign, left, right) if sign in COMPARED:
            kind, alike = _alike([compiled(left, kinds), compiled(right, kinds)])
            return _mapped("boolean", COMPARED[sign], [(kind, part) for part in alike])
    raise NotInLanguage(str(node)[:80])


def _mapped(kind: str, function: Callable[..., Any], parts: Sequence[Compiled]) -> Compiled:
    """Applies a function to values, none of which may be NULL."""
    inner = [part for _, part in parts]

    def evaluate(row: Row) -> Any:
        values = [part(row) for part in inner]
        if any(value is None for value in values):
            return None
        found = function(*values)
        return checked(found) if isinstance(found, float) else found

    return kind, evaluate


def _alike(parts: Sequence[Compiled]) -> tuple[str, list[Callable[[Row], Any]]]:
    """Converts literals to the kind of the others, as the language does with times and keys."""
    found = {kind for kind, _ in parts} - {"null"}
    kind = next((k for k in ("time", "key") if k in found), min(found, default="null"))
    return kind, [_converted(part, own, kind) for own, part in parts]


def _converted(part: Callable[[Row], Any], own: str, kind: str) -> Callable[[Row], Any]:
    if kind == "time" and own == "text":
        return lambda row: datetime.fromisoformat(part(row))
    if kind == "key" and own in ("text", "numeric"):
        return lambda row: _key(part(row))
    return part


def _key(value: Any) -> int:
    try:
        return int(value)
    except ValueError:
        raise NotAKey from None


def _connected(values: Sequence[Any], decisive: bool) -> Any:
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _in(left: Node, members: Sequence[Node], kinds: Mapping[str, str]) -> Compiled:
    parts = _alike([compiled(part, kinds) for part in (left, *members)])[1]

    def evaluate(row: Row) -> Any:
        value, *others = (part(row) for part in parts)
        if value is None:
            return None
        known = [other for other in others if other is not None]
        return True if value in known else None if len(known) < len(others) else False

    return "boolean", evaluate


def _between(value: Any, low: Any, high: Any) -> Any:
    above = None if value is None or low is None else value >= low
    below = None if value is None or high is None else value <= high
    return _connected([above, below], decisive=False)


def _pattern(pattern: str, folded: bool) -> Callable[[str], bool]:
    signs = {"%": ".*", "_": "."}
    given = cased(pattern, str.lower) if folded else pattern
    expression = re.compile("".join(signs.get(c) or re.escape(c) for c in given), re.DOTALL)

    def fits(text: str) -> bool:
        return bool(expression.fullmatch(cased(text, str.lower) if folded else text))

    return fits


def _case(
    subject: Node | None, branches: Sequence[tuple[Node, Node]], otherwise: Node, kinds: Any
) -> Compiled:
    whens = [compiled(when, kinds) for when, _ in branches]
    if subject is not None:
        first, *others = _alike([compiled(subject, kinds), *whens])[1]
    else:
        first, others = (lambda row: True), [when for _, when in whens]
    thens = [compiled(then, kinds) for _, then in branches]
    kind, results = _alike([*thens, compiled(otherwise, kinds)])

    def evaluate(row: Row) -> Any:
        wanted, values = first(row), [result(row) for result in results]
        matches = [other(row) for other in others]
        for match, value in zip(matches, values, strict=False):
            if wanted is not None and match is not None and match == wanted:
                return value
        return values[-1]

    return kind, evaluate


def _call(name: str, arguments: Sequence[Node], kinds: Mapping[str, str]) -> Compiled:
    if name == "date_diff":
        unit = str(arguments[0][1]).lower()
        return _mapped("numeric", lambda a, b: boundaries(unit, a, b), _times(arguments[1:], kinds))
    if name == "days_between":
        return _mapped("numeric", days, _times(arguments, kinds))
    if name in UNITS:
        return _mapped("numeric", lambda t: float(getattr(t, name)), _times(arguments, kinds))
    if name == "weekday":
        return _mapped("numeric", lambda t: float(t.isoweekday()), _times(arguments, kinds))
    parts = [compiled(argument, kinds) for argument in arguments]
    if name in ("coalesce", "greatest", "least", "nullif"):
        kind, alike = _alike(parts)
        return kind, lambda row: CHOSEN[name]([part(row) for part in alike])
    if name == "concat":
        texts = [part for _, part in parts]
        return "text", lambda row: "".join(text(row) or "" for text in texts)
    if name in TEXTS:
        return _mapped("text", TEXTS[name], parts)
    if name in NUMBERS:
        return _mapped("numeric", NUMBERS[name], parts)
    raise NotInLanguage(f"no function {name!r}")


def _times(arguments: Sequence[Node], kinds: Mapping[str, str]) -> list[Compiled]:
    parts = [compiled(argument, kinds) for argument in arguments]
    return [("time", _converted(part, own, "time")) for own, part in parts]
