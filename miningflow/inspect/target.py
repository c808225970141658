"""The column that a model is to predict: which it is, its classes, and what gives it away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from miningflow.errors import Diagnostic, RunError, listed, suggestion
from miningflow.inspect.facts import ColumnFacts
from miningflow.inspect.finding import Finding
from miningflow.inspect.looked import value_of
from miningflow.inspect.looking import Inspected

Task = Literal["two classes", "classes", "number"]
MOST_CLASSES = 50
MOST_WHOLE_CLASSES = 10
POSITIVE = (
    "yes",
    "true",
    "1",
    "y",
    "t",
    "ja",
    "positive",
    "pos",
    "bad",
    "spam",
    "churned",
    "lapsed",
)
FEWEST_ROWS = 100
"""With fewer rows, a column may separate the classes by chance."""
PURE = 0.999
CORRELATED = 0.9999


@dataclass(frozen=True)
class Target:
    """What is to be predicted."""

    table: str
    column: str
    task: Task
    classes: tuple[tuple[str, int], ...] = ()
    """The classes with their numbers of rows in the sample, the most frequent first."""
    positive: str | None = None
    why_positive: str = ""


def find_target(word: str, tables: Sequence[Inspected]) -> tuple[Inspected, ColumnFacts]:
    """Finds `COLUMN` or `TABLE.COLUMN`; a name of a column may contain points itself."""
    found = [(t, c) for t in tables for c in t.facts.columns.values() if c.name == word]
    if not found:
        table, point, column = word.partition(".")
        meant = [t for t in tables if point and _is_called(t, table)]
        found = [(t, c) for t in meant for c in t.facts.columns.values() if c.name == column]
        if not found and meant:
            hint = suggestion(column, meant[0].facts.columns, "columns")
            raise _refused(f"{meant[0].facts.name} has no column {column!r}", hint)
    if not found:
        known = [c for t in tables for c in t.facts.columns]
        raise _refused(f"there is no column {word!r}", suggestion(word, known, "columns"))
    if len(found) > 1:
        names = [f"{t.facts.name}.{word}" for t, _ in found]
        raise _refused(f"{len(found)} tables have a column {word!r}", f"write {listed(names)}")
    return found[0]


def described_target(table: Inspected, facts: ColumnFacts, positive: str | None) -> Target:
    """Returns what kind of target a column is, and refuses one that cannot be learned."""
    name, column = table.facts.name, facts.name
    if facts.known == 0 or facts.distinct < 2:
        only = facts.frequent[0][0] if facts.frequent else "none"
        message = f"the target {name}.{column} has one value only: {only}"
        raise _refused(message, "name a column that differs between rows")
    if column == table.facts.key or (facts.kind == "text" and facts.is_nearly_unique):
        message = f"the target {name}.{column} has a different value in nearly every row"
        raise _refused(message, "it identifies rows; name a column that many rows share values of")
    if facts.kind in ("time", "other"):
        message = f"the target {name}.{column} is neither a number nor a class"
        raise _refused(message, "name another column")
    few = facts.distinct <= MOST_WHOLE_CLASSES and facts.is_whole
    if facts.kind == "number" and not few and not facts.has_leading_zeros:
        if positive is not None:
            raise _refused(f"{name}.{column} is a number and has no class {positive!r}", "")
        return Target(name, column, "number")
    classes = facts.frequent
    if facts.distinct > MOST_CLASSES:
        message = f"the target {name}.{column} has {facts.distinct:,} classes"
        raise _refused(message, f"at most {MOST_CLASSES} can be learned; group them first")
    rare = min(count for _, count in classes)
    if rare < 2:
        few_rows = [value for value, count in classes if count < 2]
        message = f"classes of {name}.{column} with a single row: {listed(few_rows, 3)}"
        raise _refused(message, "leave such rows out, or name another column")
    values = [value for value, _ in classes]
    if positive is not None:
        if positive not in values:
            hint = suggestion(positive, values, "values")
            raise _refused(f"{name}.{column} has no value {positive!r}", hint)
        if facts.distinct > 2:
            hint = "leave --positive out, or make two classes of them first"
            raise _refused(f"{name}.{column} has {facts.distinct} classes, not two", hint)
        return Target(name, column, "two classes", classes, positive, "as asked for")
    if facts.distinct > 2:
        return Target(name, column, "classes", classes)
    usual = [v for v in values if v.casefold() in POSITIVE]
    if len(usual) == 1:
        return Target(name, column, "two classes", classes, usual[0], "by its name")
    return Target(name, column, "two classes", classes, values[-1], "the rarer class")


def giveaways(table: Inspected, target: Target, findings: Sequence[Finding]) -> dict[str, str]:
    """Returns columns that say the target by themselves, each with the reason."""
    facts = table.facts.columns[target.column]
    if facts.known < FEWEST_ROWS:
        return {}
    found: dict[str, str] = {}
    for finding in findings:
        if finding.column == target.column or finding.facts is None:
            continue
        if finding.facts.kind == "other" or finding.facts.known == 0:
            continue
        why = (
            _says_number(table, facts, finding.facts)
            if target.task == "number"
            else _says_class(table, facts, finding, target)
        )
        if why:
            found[finding.column] = why
    return found


def _says_class(table: Inspected, target: ColumnFacts, finding: Finding, known: Target) -> str:
    """Looks for values that belong to one class each, for gaps and for a threshold."""
    facts, looked = finding.facts, table.looked
    assert facts is not None
    label, value = _label(table, target), value_of(table.looked, facts, table.facts.reading)
    read = f"(SELECT {label} AS y, {value} AS v FROM {table.facts.sample}) r WHERE y IS NOT NULL"
    usual = known.classes[0][1] / sum(n for _, n in known.classes)
    if facts.missing:
        gaps = looked.rows(
            f"SELECT sum(most), sum(times) FROM (SELECT max(n) AS most, sum(n) AS times FROM ("
            f"SELECT y, v IS NULL AS gap, count(*) AS n FROM {read} GROUP BY y, v IS NULL) c "
            "GROUP BY gap) g"
        )[0]
        if gaps[0] >= PURE * gaps[1] and usual < PURE:
            return "it is missing for one class and known for the other"
    if facts.distinct <= max(MOST_CLASSES, 0.05 * facts.known) and facts.distinct > 1:
        pure = looked.rows(
            f"SELECT sum(most), sum(times) FROM (SELECT max(n) AS most, sum(n) AS times FROM ("
            f"SELECT y, v, count(*) AS n FROM {read} AND v IS NOT NULL GROUP BY y, v) c "
            "GROUP BY v) g"
        )[0]
        if pure[1] and pure[0] >= PURE * pure[1] and usual < 0.99:
            return "each of its values belongs to one class"
    if facts.kind == "number" and known.task == "two classes" and finding.type == "numeric":
        ranges = looked.rows(
            f"SELECT y, min(v), max(v) FROM {read} AND v IS NOT NULL GROUP BY y ORDER BY min(v)"
        )
        if len(ranges) == 2 and ranges[0][2] < ranges[1][1]:
            return f"a threshold near {float(ranges[1][1]):.4g} separates the classes"
    return ""


def _says_number(table: Inspected, target: ColumnFacts, facts: ColumnFacts) -> str:
    if facts.kind != "number" or facts.distinct < 2:
        return ""
    reading = table.facts.reading
    y, v = value_of(table.looked, target, reading), value_of(table.looked, facts, reading)
    found = table.looked.rows(
        f"SELECT corr(y, v) FROM (SELECT CAST({y} AS DOUBLE PRECISION) AS y, "
        f"CAST({v} AS DOUBLE PRECISION) AS v FROM {table.facts.sample}) r"
        if table.looked.dialect == "postgres"
        else f"SELECT corr(y, v) FROM (SELECT {y} AS y, {v} AS v FROM {table.facts.sample}) r"
    )[0][0]
    if found is not None and abs(found) >= CORRELATED:
        return f"its correlation with the target is {found:.5f}"
    return ""


def _label(table: Inspected, target: ColumnFacts) -> str:
    session = table.looked.session
    if table.facts.is_text:
        return table.facts.reading.known(session.quoted(target.name))
    return session.typed(target.name, target.sql_type, "text")


def _is_called(table: Inspected, name: str) -> bool:
    from miningflow.inspect.column_words import concept_name

    return (
        name.casefold()
        in {
            table.facts.name.casefold(),
            table.source.name.casefold(),
        }
        or concept_name(name).casefold() == table.facts.name.casefold()
    )


def _refused(message: str, hint: str) -> RunError:
    return RunError(Diagnostic(message, None, hint))
