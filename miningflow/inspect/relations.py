"""Relations between tables: columns whose values are keys of another table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from miningflow.engines.key_types import KeyType
from miningflow.inspect.column_words import POINTING_WORDS, plural, singular, snake, words_of
from miningflow.inspect.facts import ColumnFacts
from miningflow.inspect.in_parts import parts
from miningflow.inspect.looking import Inspected

NAMED_SHARE = 0.8
FEWEST_VALUES = 5
CODED_SHARE = 0.95
FEWEST_CODES = 3
"""Codes such as JFK are keys of another table by chance less easily than small numbers."""
MOST_APART = 500_000
"""Different values of two columns that are compared here, if no database holds both."""


@dataclass(frozen=True)
class Relation:
    """A column that points to the key of a table, or two that make a cross table."""

    name: str
    from_table: str
    from_column: str
    to_table: str
    to_column: str
    rows: int
    """How many rows point somewhere."""
    matched: int
    """How many of them point to a row that exists."""
    why: str
    is_one_to_one: bool = False
    through: tuple[str, str, str] | None = None
    """The cross table, and its columns that point to `from` and to `to`."""


def find_relations(tables: Sequence[Inspected], described: Collection[str] = ()) -> list[Relation]:
    """Finds relations by names and by inclusion of values; then cross tables.

    Between two tables that are `described` already, none are looked for.
    """
    found: list[Relation] = []
    for child in tables:
        old = child.facts.name in described
        parents = [t for t in tables if not (old and t.facts.name in described)]
        for facts in child.facts.columns.values():
            best = _best(child, facts, parents)
            if best is not None and not _is_reverse(best, found):
                found.append(best)
    named = _with_names(found)
    return [*named, *_cross_tables(named, tables)]


def key_type_of_column(table: Inspected, column: str) -> KeyType | None:
    """Returns what a column is read as where it is a key, as a run would find."""
    facts = table.facts.columns[column]
    if table.facts.is_text:
        whole = facts.kind == "number" and facts.is_whole and not facts.has_leading_zeros
        return "integer" if whole else "text"
    return "integer" if facts.family == "number" else "text" if facts.family == "text" else None


def _best(child: Inspected, facts: ColumnFacts, tables: Sequence[Inspected]) -> Relation | None:
    """Returns the relation of a column to the table that fits best."""
    candidates: list[tuple[tuple[int, float, int], Relation]] = []
    for parent in tables:
        key = parent.facts.key
        if key is None or (parent is child and facts.name == key):
            continue
        if not _comparable(child, facts):
            continue
        named = _name_match(facts.name, parent, key)
        if parent is child:
            named = 0
        coded = _may_be_codes(child, facts, parent, key)
        if not named and not coded and not _may_point(facts, child):
            continue
        matched, rows, reached = _inclusion(child, facts, parent, key)
        by_codes = coded and matched >= CODED_SHARE * rows and reached >= FEWEST_CODES
        if not rows or not (by_codes or _convincing(named, matched, rows, parent, reached)):
            continue
        one = facts.name == child.facts.key
        if one and parent.facts.rows < child.facts.rows:
            continue
        why = "the names match" if named else "its values are keys there"
        relation = Relation(
            "", child.facts.name, facts.name, parent.facts.name, key, rows, matched, why, one
        )
        candidates.append(((named, matched / rows, -parent.facts.rows), relation))
    return max(candidates, key=lambda each: each[0])[1] if candidates else None


def _comparable(child: Inspected, facts: ColumnFacts) -> bool:
    if facts.known == 0 or facts.longest > 100:
        return False
    if child.facts.is_text:
        return facts.kind == "text" or (facts.kind == "number" and facts.is_whole)
    return facts.family in ("number", "text")


def _name_match(column: str, parent: Inspected, key: str) -> int:
    """Returns how well a column is called like a key or its table: from 0 to 3."""
    own = {singular(word) for word in words_of(parent.facts.name)}
    words = [singular(word) for word in words_of(column)]
    key_words = [singular(word) for word in words_of(key)]
    if column.casefold() == key.casefold() and key_words not in (["id"], ["key"], ["code"]):
        return 3
    meaning = [word for word in words if word not in POINTING_WORDS]
    if meaning and set(meaning) <= own:
        return 3
    if len(key_words) > 1 and words[-len(key_words) :] == key_words:
        return 2
    if meaning and words[-1] in POINTING_WORDS and set(meaning) & own:
        return 2
    return 0


def _may_point(facts: ColumnFacts, child: Inspected) -> bool:
    words = words_of(facts.name)
    named = bool(words) and words[-1] in POINTING_WORDS
    return named and facts.name != child.facts.key


def _may_be_codes(child: Inspected, facts: ColumnFacts, parent: Inspected, key: str) -> bool:
    """Returns whether a text column may hold the text keys of another table."""
    keys = parent.facts.columns[key]
    if parent is child or facts.name == child.facts.key or facts.kind != "text":
        return False
    fits = facts.longest <= keys.longest and facts.distinct <= keys.distinct
    return keys.kind == "text" and fits and facts.distinct >= FEWEST_CODES


def _inclusion(
    child: Inspected, facts: ColumnFacts, parent: Inspected, key: str
) -> tuple[int, int, int]:
    """Counts rows that point to a key that exists, all that point, and the keys pointed to."""
    column, other = _text_of(child, facts.name), _text_of(parent, key)
    if parent.looked.session is not child.looked.session:
        if max(facts.distinct, parent.facts.columns[key].distinct) > MOST_APART:
            return 0, 0, 0
        return _inclusion_apart(child, column, parent, other)
    values = f"SELECT {column} AS v FROM {child.facts.relation}"
    keys = f"SELECT {other} AS k FROM {parent.facts.relation}"
    matched = rows = reached = 0
    for of_value, of_key in parts(child.looked, parent.facts.rows, "v", "k"):
        found = child.looked.rows(
            "SELECT count(p.k), count(c.v), count(DISTINCT p.k) "
            f"FROM (SELECT v FROM ({values}) r WHERE {of_value}) c "
            f"LEFT JOIN (SELECT DISTINCT k FROM ({keys}) s WHERE {of_key}) p ON p.k = c.v"
        )[0]
        matched, rows, reached = matched + found[0], rows + found[1], reached + found[2]
    return matched, rows, reached


def _inclusion_apart(
    child: Inspected, column: str, parent: Inspected, other: str
) -> tuple[int, int, int]:
    """Counts the same for tables of two databases."""
    values = child.looked.rows(
        f"SELECT {column} AS v, count(*) AS n FROM {child.facts.relation} GROUP BY 1"
    )
    found = parent.looked.rows(f"SELECT DISTINCT {other} AS k FROM {parent.facts.relation}")
    keys = {key for (key,) in found if key is not None}
    counts = {value: int(count) for value, count in values if value is not None}
    reached = [value for value in counts if value in keys]
    return sum(counts[value] for value in reached), sum(counts.values()), len(reached)


def _text_of(table: Inspected, column: str) -> str:
    session = table.looked.session
    quoted = session.quoted(column)
    if table.facts.is_text:
        return table.facts.reading.known(quoted)
    return session.typed(column, table.facts.columns[column].sql_type, "text")


def _convincing(named: int, matched: int, rows: int, parent: Inspected, reached: int) -> bool:
    if named:
        return matched >= NAMED_SHARE * rows
    # small whole numbers are keys of any table that counts from 1
    return matched == rows and reached >= FEWEST_VALUES and reached >= 0.5 * parent.facts.rows


def _is_reverse(relation: Relation, found: Sequence[Relation]) -> bool:
    """Returns whether two keys that point to each other are a relation already."""
    return any(
        (each.from_table, each.from_column) == (relation.to_table, relation.to_column)
        and (each.to_table, each.to_column) == (relation.from_table, relation.from_column)
        for each in found
    )


def _with_names(relations: Sequence[Relation]) -> list[Relation]:
    named: list[Relation] = []
    taken: set[str] = set()
    for each in relations:
        base = f"{plural(snake(each.from_table))}_of_{snake(each.to_table)}"
        name = base if base not in taken else f"{base}_by_{snake(each.from_column)}"
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        named.append(replace(each, name=name))
    return named


def _cross_tables(relations: Sequence[Relation], tables: Sequence[Inspected]) -> list[Relation]:
    """Finds tables without a key that point to two others, and whose rows nothing points to."""
    found: list[Relation] = []
    for table in tables:
        name = table.facts.name
        leads = [r for r in relations if r.from_table == name and r.to_table != name]
        if table.facts.key is not None or len(leads) != 2:
            continue
        first, second = leads
        if first.to_table == second.to_table:
            continue
        found.append(
            Relation(
                f"{snake(first.to_table)}_{plural(snake(second.to_table))}",
                first.to_table,
                first.to_column,
                second.to_table,
                second.to_column,
                table.facts.rows,
                min(first.matched, second.matched),
                f"{name} is a cross table",
                through=(name, first.from_column, second.from_column),
            )
        )
    return found
