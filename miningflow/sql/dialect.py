"""Printing trees for an engine: quoted names, double literals, a comment above."""

from __future__ import annotations

from typing import assert_never

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError

from miningflow.errors import CompileError, Diagnostic, suggestion
from miningflow.sql.dialects import DIALECTS, Dialect, NotInDialect
from miningflow.sql.dialects.spelling import spelled
from miningflow.sql.stored import stored_tables
from miningflow.visible_text import visible

__all__ = [
    "DIALECTS",
    "Dialect",
    "NotInDialect",
    "ended",
    "identifier",
    "known_dialect",
    "made_anew",
    "one_line",
    "removed",
    "render",
]


def render(tree: exp.Expression, dialect: str, comment: str = "") -> str:
    """Prints a tree; names are always quoted, numbers are doubles, the step stands above.

    The printer may change the tree, so it is not to be used again: copying each took half the time.
    """
    known = DIALECTS[dialect]
    tree = spelled(tree, known)
    if known.plain_names:
        stored_tables(tree, dialect)
    try:
        sql: str = tree.sql(
            dialect=known.printer,
            identify=True,
            pretty=True,
            copy=False,
            unsupported_level=ErrorLevel.RAISE,
        )
    except UnsupportedError as error:
        raise NotInDialect(str(error)) from None
    return f"-- {one_line(comment)}\n{sql}" if comment else sql


def known_dialect(name: str) -> str:
    """Returns a dialect by its name; refuses an unknown one."""
    if name not in DIALECTS:
        hint = suggestion(name, DIALECTS, "dialects")
        raise CompileError(Diagnostic(f"there is no dialect {name!r}", None, hint))
    return name


def identifier(name: str, dialect: str) -> str:
    """Writes a name in the quotes of an engine."""
    return str(exp.to_identifier(name, quoted=True).sql(dialect=DIALECTS[dialect].printer))


def made_anew(table: exp.Table, query: exp.Expression, dialect: str) -> list[str]:
    """Returns the statements that create a table of literals, or replace an existing one.

    Spark replaces tables only in some catalogs, but a view of literals is no worse anywhere.
    """
    way = DIALECTS[dialect].replaces
    match way:
        case "temporary view":
            made = exp.Create(this=table, kind="VIEW", expression=query, replace=True)
            made.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
            return [render(made, dialect)]
        case "replace":
            made = exp.Create(this=table, kind="TABLE", expression=query, replace=True)
            return [render(made, dialect)]
        case "drop":
            made = exp.Create(this=table, kind="TABLE", expression=query)
            return [removed(table.copy(), dialect), render(made, dialect)]
        case _:
            assert_never(way)


def removed(table: exp.Table, dialect: str) -> str:
    """Returns the statement that drops what `made_anew` made."""
    kind = "VIEW" if DIALECTS[dialect].replaces == "temporary view" else "TABLE"
    return render(exp.Drop(tables=[table], kind=kind, exists=True), dialect)


def ended(statement: str, dialect: str) -> str:
    """Ends a statement, and its batch where an engine wants one for each."""
    separator = DIALECTS[dialect].separator
    return f"{statement};\n{separator}" if separator else f"{statement};"


def one_line(comment: str) -> str:
    """Makes text safe for a SQL line comment; control characters are written out."""
    return " ".join(visible(comment).split())
