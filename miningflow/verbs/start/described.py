"""What was inferred about tables, as plain data for programs, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from miningflow.inspect.finding import Finding
from miningflow.inspect.relations import Relation

if TYPE_CHECKING:
    import pandas as pd


def columns_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """Returns a row for each column: what it became, and why."""
    import pandas as pd

    columns = ["table", "column", "type", "why", "warnings"]
    rows = [[f.table, f.column, f.type or "", f.why, "; ".join(f.warnings)] for f in findings]
    return pd.DataFrame(rows, columns=columns)


def column_json(finding: Finding) -> dict[str, Any]:
    """Returns what was inferred about a column."""
    facts = finding.facts
    return {
        "concept": finding.table,
        "column": finding.column,
        "type": finding.type,
        "why": finding.given_away or finding.why,
        "warnings": list(finding.warnings),
        "gives_target_away": bool(finding.given_away),
        "missing": facts.missing if facts else None,
        "distinct": facts.distinct if facts else None,
    }


def relation_json(relation: Relation) -> dict[str, Any]:
    """Returns a relation, with how many rows match."""
    return {
        "name": relation.name,
        "from": f"{relation.from_table}.{relation.from_column}",
        "to": f"{relation.to_table}.{relation.to_column}",
        "through": list(relation.through) if relation.through else None,
        "rows": relation.rows,
        "matched": relation.matched,
        "why": relation.why,
    }
