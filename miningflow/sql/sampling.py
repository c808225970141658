"""Repeatable randomness: rows are chosen by a hash of their key, equal on every engine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.sql.literals import column, text


def key_hash(key: str, seed: int) -> exp.Expression:
    """Hashes a key with a seed to 32 hexadecimal digits.

    Hexadecimal text sorts alike everywhere, so that no engine needs to read it as a number.
    """
    return hashed(exp.Cast(this=column(key), to=exp.DataType.build("text")), seed)


def hashed(words: exp.Expression, seed: int) -> exp.Expression:
    """Hashes a text with a seed."""
    return exp.MD5(this=exp.DPipe(this=words, expression=text(f":{seed}")))


def in_share(key: str, seed: int, share: float) -> exp.Expression:
    """Holds for the given share of all keys."""
    threshold = format(min(round(share * 16**8), 16**8 - 1), "08x")
    return exp.LT(this=key_hash(key, seed), expression=text(threshold))


def rows_hash(columns: Sequence[str], seed: int) -> exp.Expression:
    """Hashes whole rows, for concepts without a key; NULL counts as empty text."""
    texts: list[exp.Expression] = [
        exp.Coalesce(
            this=exp.Cast(this=column(name), to=exp.DataType.build("text")), expressions=[text("")]
        )
        for name in columns
    ]
    joined = texts[0]
    for other in texts[1:]:
        joined = exp.DPipe(this=joined, expression=other)
    return hashed(joined, seed)
