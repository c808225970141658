"""Keys as DuckDB reads them."""

from __future__ import annotations

from miningflow.engines.engine import TypeFamily
from miningflow.engines.key_casts import KeyCasts
from miningflow.engines.key_types import EXACT_DOUBLES, WHOLE_NUMBER

# Beside BIGINT these would be compared in a type that cannot hold both.
_WIDENED = ("UBIGINT", "DECIMAL", "UHUGEINT")


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return f"CAST({tree} AS HUGEINT)" if sql_type.startswith(_WIDENED) else tree
    if family == "text":
        return _matching(tree, WHOLE_NUMBER, "BIGINT")
    if family != "fraction":
        return None
    if sql_type.startswith("DECIMAL"):
        return f"CASE WHEN {tree} = floor({tree}) THEN TRY_CAST({tree} AS HUGEINT) END"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN TRY_CAST({tree} AS BIGINT) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    return f"CASE WHEN regexp_matches({tree}, '{pattern}') THEN TRY_CAST({tree} AS {sql_type}) END"


KEY_CASTS = KeyCasts(
    integer=_integer,
    text="CAST({} AS VARCHAR)".format,
    time="CAST({} AS TIMESTAMP)".format,
    matching=_matching,
    timestamp_type="TIMESTAMP",
)
