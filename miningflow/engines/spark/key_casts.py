"""Keys as Spark reads them."""

from __future__ import annotations

from miningflow.engines.engine import TypeFamily
from miningflow.engines.key_casts import KeyCasts
from miningflow.engines.key_types import EXACT_DOUBLES, WHOLE_NUMBER, KeyType


def key_cast(tree: str, sql_type: str, family: TypeFamily, wanted: KeyType) -> str | None:
    """Returns an expression for a key, or None if such a column cannot be read like that."""
    if sql_type.startswith("char"):  # which Spark fills up with blanks
        tree = f"rtrim({tree})"
    return KEY_CASTS.cast(tree, sql_type, family, wanted)


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return tree
    if family == "text":
        return _matching(tree, WHOLE_NUMBER, "BIGINT")
    if family != "fraction":
        return None
    if sql_type.startswith("decimal"):
        return f"CASE WHEN {tree} = floor({tree}) THEN try_cast({tree} AS DECIMAL(38, 0)) END"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN try_cast({tree} AS BIGINT) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    return f"CASE WHEN {tree} RLIKE '{pattern}' THEN try_cast({tree} AS {sql_type}) END"


KEY_CASTS = KeyCasts(
    integer=_integer,
    text="CAST({} AS STRING)".format,
    time="CAST({} AS TIMESTAMP_NTZ)".format,
    matching=_matching,
    timestamp_type="TIMESTAMP_NTZ",
)
