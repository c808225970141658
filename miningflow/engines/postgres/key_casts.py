"""Keys as PostgreSQL reads them."""

from __future__ import annotations

from dataclasses import replace

from miningflow.engines.engine import TypeFamily
from miningflow.engines.key_casts import KeyCasts
from miningflow.engines.key_types import EXACT_DOUBLES, WHOLE_NUMBER, KeyType

_BIGINT = "-9223372036854775808 AND 9223372036854775807"


def key_cast(
    tree: str, sql_type: str, family: TypeFamily, wanted: KeyType, zoned: bool
) -> str | None:
    """Returns an expression for a key, or None if such a column cannot be read like that."""
    return (_ZONED if zoned else _LOCAL).cast(tree, sql_type, family, wanted)


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return tree
    if family == "text":
        number = f"CAST(CAST({tree} AS text) AS numeric)"
        fits = f"CASE WHEN {number} BETWEEN {_BIGINT} THEN CAST({number} AS bigint) END"
        return f"CASE WHEN CAST({tree} AS text) ~ '{WHOLE_NUMBER}' THEN {fits} END"
    if family != "fraction":
        return None
    if sql_type.startswith("numeric"):  # its NaN is equal to itself, and infinity to its floor
        exact = f"{tree} = floor({tree}) AND abs({tree}) < 1e38"
        # the type of a CASE has no number of digits, whatever its branches have
        return f"CAST(CASE WHEN {exact} THEN {tree} END AS numeric(38, 0))"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN CAST({tree} AS bigint) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    written = f"CAST({tree} AS text)"
    return f"CASE WHEN {written} ~ '{pattern}' THEN CAST({written} AS {sql_type}) END"


_LOCAL = KeyCasts(
    integer=_integer,
    # texts of one collation can be compared, wherever they come from; `citext` ignores case
    text='CAST({} AS text) COLLATE "C"'.format,
    time="CAST({} AS timestamp)".format,
    matching=_matching,
    timestamp_type="timestamp",
)
_ZONED = replace(_LOCAL, time="({} AT TIME ZONE 'UTC')".format)
