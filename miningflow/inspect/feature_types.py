"""Types of features, from the statistics of their columns, each with the reason."""

from __future__ import annotations

from datetime import date, datetime

from miningflow.inspect.column_words import (
    CODE_WORDS,
    POINTING_WORDS,
    QUANTITY_WORDS,
    words_of,
)
from miningflow.inspect.facts import ColumnFacts, TableFacts
from miningflow.inspect.families import types_of_families
from miningflow.inspect.finding import Finding, Type

MANY_KEYS = 100
"""A code with more values than this points to rows of a table, rather than to kinds."""
FEW_CODES = 50
ESTIMATED_WITHIN = 0.1
"""How far the estimated number of different values may be off."""
OUTLIER = 1000
FEWEST_ROWS = 20
"""With fewer rows, two different numbers do not make a category."""


def findings_of(table: TableFacts) -> dict[str, Finding]:
    """Infers the type of every column of a table."""
    alone = {name: _finding(table, facts) for name, facts in table.columns.items()}
    return alone | types_of_families(alone)


def _finding(table: TableFacts, facts: ColumnFacts) -> Finding:
    if table.key == facts.name:
        return Finding(table.name, facts.name, "key", table.key_why, (), facts)
    kind, why = _type(table, facts)
    return Finding(table.name, facts.name, kind, why, _warnings(facts, kind), facts)


def _type(table: TableFacts, facts: ColumnFacts) -> tuple[Type | None, str]:
    if facts.kind == "other":
        return None, f"{facts.sql_type} is no number, text or time"
    if facts.known == 0:
        return "nominal", "no values"
    if facts.kind == "time":
        return "time", f"{_day(facts.minimum)} to {_day(facts.maximum)}"
    if facts.kind == "truth":
        return "binary", "Boolean"
    words = words_of(facts.name)
    if _points_somewhere(table, facts):
        return "key", f"its name says that it points to something, {facts.distinct:,} values"
    if facts.distinct == 2 and not (facts.kind == "number" and _is_quantity(facts, words)):
        return "binary", "two values: " + " and ".join(_shown(v) for v, _ in facts.frequent[:2])
    if facts.kind == "text":
        return "nominal", _values(facts)
    if _numbers_things(table, facts):
        last = _plain(facts.maximum)
        return "key", f"it numbers something: every number up to {last}, some of them repeatedly"
    code = _code_reason(facts, words)
    if code:
        return "nominal", code
    return "numeric", f"{_plain(facts.minimum)} to {_plain(facts.maximum)}"


def _points_somewhere(table: TableFacts, facts: ColumnFacts) -> bool:
    """Returns whether a column is called like a key, and has too many values for a category."""
    words = words_of(facts.name)
    if not words or words[-1] not in {"id", "uuid", "guid", "key", "fk"}:
        return False
    return facts.distinct > MANY_KEYS and _can_be_key(table, facts)


def _numbers_things(table: TableFacts, facts: ColumnFacts) -> bool:
    """Returns whether a column, and all before it but the key, count from 0 or 1 without a gap.

    Quantities have gaps where they are large; numbers of documents or people do not. Such columns
    come first in a table.
    """
    for each in table.columns.values():
        if each.name != table.key and not _is_without_gap(each):
            return False
        if each is facts:
            return True
    return False


def _is_without_gap(facts: ColumnFacts) -> bool:
    if not facts.is_whole or facts.minimum not in (0.0, 1.0) or facts.missing:
        return False
    if facts.distinct <= MANY_KEYS or set(words_of(facts.name)) & QUANTITY_WORDS:
        return False
    numbers = float(str(facts.maximum)) - float(str(facts.minimum)) + 1
    return abs(facts.distinct - numbers) <= ESTIMATED_WITHIN * numbers


def _can_be_key(table: TableFacts, facts: ColumnFacts) -> bool:
    if table.is_text:
        return facts.kind == "text" or facts.is_whole
    return facts.family in ("number", "text")


def _is_quantity(facts: ColumnFacts, words: tuple[str, ...]) -> bool:
    if not facts.is_whole:
        return True
    values = {facts.minimum, facts.maximum}
    if values in ({0.0, 1.0}, {-1.0, 1.0}):
        return False
    return facts.known < FEWEST_ROWS or bool(set(words) & QUANTITY_WORDS)


def _code_reason(facts: ColumnFacts, words: tuple[str, ...]) -> str:
    """Says why numbers are names of things, if they are."""
    if facts.has_leading_zeros:
        return f"a code, not a quantity: leading zeros; {_values(facts)}"
    if not facts.is_whole or facts.minimum is None or float(str(facts.minimum)) < 0:
        return ""
    meaning = [w for w in words if w in CODE_WORDS]
    quantity = [w for w in words if w in QUANTITY_WORDS]
    strong = words and words[-1] in (POINTING_WORDS - {"no", "number", "key", "nr"})
    if meaning and not quantity and (strong or facts.distinct <= FEW_CODES):
        return f"a code, not a quantity: '{meaning[0]}' in its name; {_values(facts)}"
    if words and words[-1] in ("zip", "zipcode", "plz", "postcode", "phone", "telephone", "fips"):
        return f"a code, not a quantity: '{words[-1]}' in its name; {_values(facts)}"
    return ""


def _warnings(facts: ColumnFacts, kind: Type | None) -> tuple[str, ...]:
    """Says what looks wrong with a column."""
    found: list[str] = []
    if kind is None:
        return ()
    if facts.known == 0:
        return ("all values are missing",)
    if facts.missing:
        found.append(f"{_share(facts.missing, facts.rows)} missing")
    if facts.is_constant:
        found.append("constant")
    if kind == "nominal" and facts.is_nearly_unique:
        found.append("nearly unique, so it says little about other rows")
    if facts.looks_like and facts.misfits:
        shown = ", ".join(_shown(value) for value in facts.misfits)
        what = "numbers" if facts.looks_like == "number" else "times"
        found.append(f"mixed types: mostly {what}, but also {shown}")
    if facts.other_date_format:
        found.append(
            f"dates fit {facts.date_format} and {facts.other_date_format}: check which is meant"
        )
    if facts.not_finite:
        found.append(f"{facts.not_finite:,} values are NaN or infinite")
    if kind == "numeric" and _has_outliers(facts):
        usual, largest = _plain(facts.large), _plain(_size(facts))
        found.append(f"outliers: 99 % are within {usual}, the largest is {largest}")
    return tuple(found)


def _size(facts: ColumnFacts) -> float:
    return max(abs(float(str(v))) for v in (facts.minimum, facts.maximum) if v is not None)


def _has_outliers(facts: ColumnFacts) -> bool:
    if not facts.large or facts.minimum is None:
        return False
    return _size(facts) > OUTLIER * facts.large


def _values(facts: ColumnFacts) -> str:
    shown = ", ".join(_shown(value) for value, _ in facts.frequent[:3])
    more = ", …" if facts.distinct > 3 else ""
    return f"{facts.distinct:,} values: {shown}{more}" if facts.distinct != 1 else f"only {shown}"


def _shown(value: str) -> str:
    return value if len(value) <= 20 else value[:19] + "…"


def _day(value: object) -> str:
    if isinstance(value, datetime) and (value.hour or value.minute or value.second):
        return value.isoformat(" ", "minutes")
    return value.isoformat()[:10] if isinstance(value, date) else str(value)


def _plain(value: object) -> str:
    return f"{float(str(value)):.6g}" if value is not None else "?"


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 1 else f"{part:,} of {whole:,} rows"
