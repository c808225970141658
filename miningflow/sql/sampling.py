"""Repeatable randomness: rows are chosen by a hash of their key, equal on every engine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.sql.literals import column, text

Order = list[exp.Expression]


def key_hash(key: str, seed: int) -> exp.Expression:
    """Hashes a key with a seed to 32 hexadecimal digits.

    Hexadecimal text sorts alike everywhere, so that no engine needs to read it as a number.
    """
    return hashed(exp.Cast(this=column(key), to=exp.DataType.build("text")), seed)


def hashed(words: exp.Expression, seed: int) -> exp.Expression:
    """Hashes a text with a seed."""
    return exp.MD5(this=exp.DPipe(this=words, expression=text(f":{seed}")))


def draw_hash(key: str | None, columns: Sequence[str], purpose: str, seed: int) -> exp.Expression:
    """Hashes a key for a purpose of its own, or all columns where there is no key.

    Without the purpose, a step with the seed of a holdout would draw held-out rows first.
    """
    if key is None:
        words = _joined(columns)
    else:
        words = exp.Cast(this=column(key), to=exp.DataType.build("text"))
    return hashed(exp.DPipe(this=words, expression=text(f":{purpose}")), seed)


def draw_order(key: str | None, columns: Sequence[str], purpose: str, seed: int) -> Order:
    """Orders rows by their hash for a purpose; equal hashes are told apart by the key."""
    first = draw_hash(key, columns, purpose, seed)
    return [first] if key is None else [first, column(key)]


def drawn(
    chance: exp.Expression, outcomes: Sequence[tuple[exp.Expression, float]]
) -> tuple[list[exp.If], exp.Expression]:
    """Draws an outcome by a hash, each by its share: gives the branches of a CASE and its ELSE.

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


def rows_hash(columns: Sequence[str], seed: int) -> exp.Expression:
    """Hashes whole rows, for concepts without a key; NULL counts as empty text."""
    return hashed(_joined(columns), seed)


def _joined(columns: Sequence[str]) -> exp.Expression:
    """Writes a row as a text; the bar tells (1, NULL) from (NULL, 1)."""
    joined: exp.Expression | None = None
    for name in columns:
        cast = exp.Cast(this=column(name), to=exp.DataType.build("text"))
        word = exp.Coalesce(this=cast, expressions=[text("")])
        if joined is None:
            joined = word
        else:
            barred = exp.DPipe(this=joined, expression=text("|"))
            joined = exp.DPipe(this=barred, expression=word)
    assert joined is not None, "a concept has features"
    return joined
