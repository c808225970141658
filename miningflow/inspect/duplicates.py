"""Columns that repeat another column of their table."""

from __future__ import annotations

from collections import defaultdict

from miningflow.inspect.facts import ColumnFacts
from miningflow.inspect.looked import same_values
from miningflow.inspect.looking import Inspected


def duplicate_columns(table: Inspected) -> dict[str, str]:
    """Returns each column that has the values of an earlier one, with that column."""
    alike: dict[tuple[object, ...], list[ColumnFacts]] = defaultdict(list)
    for facts in table.facts.columns.values():
        if facts.distinct > 1:
            alike[_mark(facts)].append(facts)
    found: dict[str, str] = {}
    for same in alike.values():
        for i, facts in enumerate(same):
            for earlier in same[:i]:
                if earlier.name not in found and same_values(
                    table.looked, earlier.name, facts.name
                ):
                    found[facts.name] = earlier.name
                    break
    return found


def _mark(facts: ColumnFacts) -> tuple[object, ...]:
    """Returns statistics that equal columns share."""
    return (
        facts.sql_type, facts.kind, facts.known, facts.distinct, str(facts.minimum),
        str(facts.maximum), facts.mean, facts.longest, facts.frequent[:5],
    )  # fmt: skip
