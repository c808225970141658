"""Keys of tables: a column whose values are unique and never missing."""

from __future__ import annotations

from collections.abc import Callable

from miningflow.inspect.column_words import (
    KEY_WORDS,
    PARTS_OF_NAMES,
    QUANTITY_WORDS,
    singular,
    words_of,
)
from miningflow.inspect.facts import ColumnFacts, TableFacts

TRIED = 4


def find_key(table: TableFacts, is_unique: Callable[[str], bool]) -> tuple[str, str] | None:
    """Returns the key with the reason; `is_unique` looks at all values of a column."""
    ranked = sorted(
        (c for c in table.columns.values() if _may_be(table, c)),
        key=lambda c: _rank(table, c),
        reverse=True,
    )
    for facts in ranked[:TRIED]:
        if _rank(table, facts)[0] > 0 and is_unique(facts.name):
            return facts.name, "unique, never missing"
    return None


def _may_be(table: TableFacts, facts: ColumnFacts) -> bool:
    """Returns whether values may be unique; estimates of their number may be a little off."""
    if facts.missing or facts.distinct < 0.9 * table.rows or facts.longest > 100:
        return False
    if table.is_text:
        return facts.kind == "text" or (facts.kind == "number" and facts.is_whole)
    return facts.family in ("number", "text")


def _rank(table: TableFacts, facts: ColumnFacts) -> tuple[int, int]:
    """Ranks candidates by name and place; 0 for a column that is unique by chance."""
    words = words_of(facts.name)
    own = {singular(w) for w in words_of(table.name)}
    place = -list(table.columns).index(facts.name)
    if words and words[-1] in KEY_WORDS:
        is_own = len(words) == 1 or singular(words[-2]) in own
        return (4 if is_own else 3), place
    if set(words) & KEY_WORDS:
        return 2, place
    if "name" in words and set(words) & PARTS_OF_NAMES:
        return 0, place
    is_first = place == 0
    counts_rows = (
        facts.is_whole
        and facts.minimum in (0.0, 1.0)
        and facts.maximum in (float(table.rows), float(table.rows - 1))
    )
    is_quantity = bool(set(words) & QUANTITY_WORDS)
    if counts_rows or (is_first and not is_quantity and (facts.is_whole or facts.kind == "text")):
        return 1, place
    if "name" in words and facts.kind == "text":
        return 1, place
    if {singular(w) for w in words} & own and facts.kind == "text":
        return 1, place
    return 0, place
