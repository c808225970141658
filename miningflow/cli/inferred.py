"""Prints what was inferred about tables: their columns and relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from miningflow.cli.output import table
from miningflow.cli.tables import print_table

if TYPE_CHECKING:
    from miningflow.inspect.finding import Finding
    from miningflow.inspect.relations import Relation


def print_inferred(findings: Sequence[Finding], relations: Sequence[Relation]) -> None:
    """Prints a table of columns, and one of relations."""
    made = table("concept", "column", "type", "why", "what looks odd")
    for each in findings:
        odd = "; ".join(each.warnings)
        why = f"gives the target away: {each.given_away}" if each.given_away else each.why
        made.add_row(each.table, each.column, each.type or "left out", why, odd)
    print_table(made)
    if relations:
        made = table("relation", "from", "to", ">rows", ">match", "why")
        for relation in relations:
            made.add_row(
                relation.name,
                f"{relation.from_table}.{relation.from_column}",
                f"{relation.to_table}.{relation.to_column}",
                f"{relation.rows:,}",
                f"{relation.matched:,}",
                relation.why,
            )
        print_table(made)
