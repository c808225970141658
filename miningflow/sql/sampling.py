"""Repeatable randomness: rows are chosen by a hash of their key, equal on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double, text

Order = list[exp.Expression]
Types = Mapping[str, str]
"""Column → feature type, which decides how a value is written."""

# Whole doubles below that are whole numbers of 64 bits.
_LARGE = 9e18


def key_hash(key: str, seed: int, kind: str = "key") -> exp.Expression:
    """Hashes a key with a seed to 32 hexadecimal digits; `kind` is its feature type.

    Hexadecimal text sorts alike everywhere, so that no engine needs to read it as a number.
    """
    return hashed(written(key, kind), seed)


def written(name: str, kind: str) -> exp.Expression:
    """Writes a value as a text that is the same on every engine.

    Engines write doubles in different ways (`21`, `21.0`), so these are written as whole numbers:
    that below the value and, if it is not whole, the fraction in units of 2⁻⁵³. Of numbers that no
    whole number of 64 bits holds, only the sign is written.
    """
    if kind != "numeric":
        return _text(column(name))
    is_large = exp.GTE(this=exp.Abs(this=column(name)), expression=double(_LARGE))
    # DuckDB may cast rows for which a condition around the cast does not hold
    value = when(is_large, double(0), column(name))
    below = exp.Floor(this=value)
    fraction = exp.Paren(this=exp.Sub(this=value.copy(), expression=below.copy()))
    units = exp.Floor(this=exp.Mul(this=fraction, expression=double(2.0**53)))
    known = exp.Nullif(this=_whole(units), expression=text("0"))
    behind = exp.DPipe(this=text("."), expression=known)
    number = exp.DPipe(
        this=_whole(below), expression=exp.Coalesce(this=behind, expressions=[text("")])
    )
    is_negative = exp.LT(this=column(name), expression=double(0))
    sign = when(is_negative, text("-large"), text("large"))
    return exp.DPipe(this=number, expression=when(is_large.copy(), sign, text("")))


def hashed(words: exp.Expression, seed: int) -> exp.Expression:
    """Hashes a text with a seed."""
    return exp.MD5(this=exp.DPipe(this=words, expression=text(f":{seed}")))


def draw_hash(key: str | None, types: Types, purpose: str, seed: int) -> exp.Expression:
    """Hashes the key, or all columns where there is no key, differently for each purpose.

    Without the purpose, a step with the seed of a holdout would draw held-out rows first.
    """
    words = _joined(types) if key is None else written(key, types[key])
    return hashed(exp.DPipe(this=words, expression=text(f":{purpose}")), seed)


def draw_order(key: str | None, types: Types, purpose: str, seed: int) -> Order:
    """Orders rows by their hash for a purpose; the key decides between equal hashes."""
    first = draw_hash(key, types, purpose, seed)
    return [first] if key is None else [first, column(key)]


def drawn(
    chance: exp.Expression, outcomes: Sequence[tuple[exp.Expression, float]]
) -> tuple[list[exp.If], exp.Expression]:
    """Draws an outcome by a hash, each by its share; returns the branches of a CASE and its ELSE.

    The shares add up to 1 but for rounding, which the ELSE takes.
    """
    branches: list[exp.If] = []
    total = 0.0
    for outcome, share in outcomes[:-1]:
        total += share
        limit = round(total * 16**8)
        if limit < 16**8:
            below = exp.LT(this=chance.copy(), expression=text(format(limit, "08x")))
            branches.append(exp.If(this=below, true=outcome))
    return branches, outcomes[-1][0]


def in_share(key: str, seed: int, share: float) -> exp.Expression:
    """Holds for the given share of all keys."""
    threshold = format(min(round(share * 16**8), 16**8 - 1), "08x")
    return exp.LT(this=key_hash(key, seed), expression=text(threshold))


def rows_hash(types: Types, seed: int) -> exp.Expression:
    """Hashes whole rows, for concepts without a key; NULL counts as empty text."""
    return hashed(_joined(types), seed)


def _joined(types: Types) -> exp.Expression:
    """Writes a row as a text; the bar makes (1, NULL) differ from (NULL, 1)."""
    joined: exp.Expression | None = None
    for name, kind in types.items():
        word = exp.Coalesce(this=written(name, kind), expressions=[text("")])
        if joined is None:
            joined = word
        else:
            barred = exp.DPipe(this=joined, expression=text("|"))
            joined = exp.DPipe(this=barred, expression=word)
    assert joined is not None, "a concept has features"
    return joined


def _text(tree: exp.Expression) -> exp.Expression:
    return exp.Cast(this=tree, to=exp.DataType.build("text"))


def _whole(tree: exp.Expression) -> exp.Expression:
    return _text(exp.Cast(this=tree, to=exp.DataType.build("bigint")))
