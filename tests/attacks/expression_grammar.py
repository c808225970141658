"""Draws expressions: by the grammar of the documented language, and by changing words of others."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

KINDS = {
    "k": "key",
    "n": "numeric",
    "m": "numeric",
    "c": "text",
    "d": "text",
    "t": "time",
    "u": "time",
}
NUMBERS = ("0", "1", "2", "3", "0.5", ".25", "10", "100", "7", "1e3", "2.5", "1e-3", "365")
TEXTS = ("''", "'a'", "'B'", "' '", "'it''s'", "'%'", "'_'", "'ä'", "'north'", "'1'", "'\"'")
PATTERNS = ("'%'", "'a%'", "'%b'", "'_'", "'%ä%'", "''", "'n_rth'", "'%''%'", "'%.%'", "'A%'")
TIMES = (
    *("date '2020-02-29'", "timestamp '1999-12-31 23:59:59'", "date '1970-01-01'"),
    *("timestamp '2024-03-01 00:00:01'", "date '1969-12-31'"),
)
UNITS = ("year", "month", "day", "hour", "minute", "second")
_WORDS = """
n m c d t u k ( ) , + - * / % || = <> < <= > >= != == and or not in between like ilike is null
true false case when then else end 1 0 0.5 'x' '2020-01-01' '%' '' abs( ln( round( coalesce(
nullif( concat( year( date timestamp :: ; ^ ~ -> [ ] { } ? @ # $1 // ** <=> #> select from cast
try_cast as interval exists any all some over filter distinct collate similar to glob rlike
regexp ilike% isnull notnull div mod xor escape at zone lambda x md5( read_text( getenv(
random() now() current_date count( sum( 1e400 0x1F 1_000 \\ --
"""
WORDS = _WORDS.split()
_OF_ONE = "abs sign exp ln log10 sqrt floor ceil ceiling round"
OF_ONE = _OF_ONE.split()
TOKENS = re.compile(r"'(?:[^']|'')*'|\w+|\s+|\|\||<>|<=|>=|[^\w\s]")


def drawn(rng: random.Random, depth: int) -> str:
    """Draws an expression that has a type."""
    kind = rng.choice((_number, _number, _text, _time, _condition, _condition))
    return kind(rng, depth)


def changed(text: str, rng: random.Random) -> str:
    """Changes a few words of an expression."""
    tokens = TOKENS.findall(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        action = rng.choice(("drop", "word", "word", "before", "swap", "character"))
        if action == "drop":
            tokens[at] = ""
        elif action == "word":
            tokens[at] = rng.choice(WORDS)
        elif action == "before":
            tokens[at] = f"{rng.choice(WORDS)} {tokens[at]}"
        elif action == "swap":
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif tokens[at]:
            where = rng.randrange(len(tokens[at]))
            sign = rng.choice("'\"()%|-+.,:;_ \n\t\\\x00\u00a0é0a")
            tokens[at] = tokens[at][:where] + sign + tokens[at][where + rng.randint(0, 1) :]
    return "".join(tokens)


def _number(rng: random.Random, depth: int) -> str:
    if depth <= 0:
        return rng.choice(("n", "m", "N", '"m"', *NUMBERS))
    x = _sub(_number, rng, depth)
    y = _sub(_number, rng, depth)
    form = rng.randrange(12)
    if form < 4:
        return f"({x} {rng.choice('+-*/%')} {y})" if rng.random() < 0.7 else f"{x} + {y} * {x}"
    if form < 7:
        return f"{rng.choice(OF_ONE)}({x})"
    match form:
        case 7:
            return f"round({x}, {rng.randint(0, 6)})"
        case 8:
            return f"{rng.choice(('power', 'pow'))}({x}, {rng.choice((y, '2', '3', '-1', '0.5'))})"
        case 9:
            return f"-({x})"
        case 10:
            return _of_times(rng, depth)
    return _chosen(_number, ("greatest", "least"), rng, depth)


def _of_times(rng: random.Random, depth: int) -> str:
    a, b = _sub(_time, rng, depth), _sub(_time, rng, depth)
    form = rng.randrange(4)
    if form == 0:
        return f"{rng.choice((*UNITS, 'weekday'))}({a})"
    if form == 1:
        return f"date_diff('{rng.choice(UNITS)}', {a}, {b})"
    if form == 2:
        return f"days_between({a}, {b})"
    return f"length({_sub(_text, rng, depth)})"


def _text(rng: random.Random, depth: int) -> str:
    if depth <= 0:
        return rng.choice(("c", "d", "C", *TEXTS))
    x, y = _sub(_text, rng, depth), _sub(_text, rng, depth)
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({x} || {y})",
        lambda: f"concat({x}, {y}, {rng.choice(TEXTS)})",
        lambda: f"{rng.choice(('lower', 'upper', 'trim'))}({x})",
        lambda: f"substring({x}, {rng.randint(1, 4)}, {rng.randint(0, 4)})",
        lambda: f"substr({x}, {rng.randint(1, 4)})",
        lambda: f"replace({x}, {rng.choice(TEXTS[1:])}, {y})",
        lambda: _chosen(_text, (), rng, depth),
    )
    return rng.choice(forms)()


def _time(rng: random.Random, depth: int) -> str:
    if depth <= 1 or rng.random() < 0.5:
        return rng.choice(("t", "u", *TIMES))
    return _chosen(_time, ("greatest", "least"), rng, depth)


def _condition(rng: random.Random, depth: int) -> str:
    kind = rng.choice((_number, _number, _text, _time))
    x, y, z = (_sub(kind, rng, depth) for _ in range(3))
    negated = rng.choice(("", "not "))
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"{x} {rng.choice(('=', '<>', '<', '<=', '>', '>=', '!='))} {y}",
        lambda: f"{x} {negated}between {y} and {z}",
        lambda: f"{x} {negated}in ({y}, {z})",
        lambda: f"{x} {negated}in ({y}, null)",
        lambda: f"{x} is {negated}null",
        lambda: f"{_sub(_text, rng, depth)} {negated}like {rng.choice(PATTERNS)}",
        lambda: f"{_sub(_text, rng, depth)} {negated}ilike {rng.choice(PATTERNS)}",
        lambda: f"k {rng.choice(('=', '<>', '<', '>='))} {rng.randint(-3, 20)}",
        lambda: rng.choice(("true", "false", "t < '2020-02-29'", "'2020-01-01' <= u")),
    )
    if depth <= 1 or rng.random() < 0.5:
        return rng.choice(forms)()
    a, b = _sub(_condition, rng, depth), _sub(_condition, rng, depth)
    return rng.choice((f"({a} and {b})", f"({a} or {b})", f"not ({a})", f"({a}) = ({b})"))


def _chosen(
    kind: Callable[[random.Random, int], str], more: tuple[str, ...], rng: random.Random, depth: int
) -> str:
    x, y = _sub(kind, rng, depth), _sub(kind, rng, depth)
    name = rng.choice(("coalesce", "nullif", "case", "switch", *more))
    if name == "case":
        otherwise = rng.choice((f" else {y}", "", " else null"))
        return f"case when {_sub(_condition, rng, depth)} then {x}{otherwise} end"
    if name == "switch":
        other = rng.choice((_number, _text))
        subject, one, two = (_sub(other, rng, depth) for _ in range(3))
        return f"case {subject} when {one} then {x} when {two} then null else {y} end"
    return f"{name}({x}, {y})"


def _sub(kind: Callable[[random.Random, int], str], rng: random.Random, depth: int) -> str:
    return kind(rng, depth - rng.randint(1, 2))
