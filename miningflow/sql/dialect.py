"""Printing trees for an engine: quoted names, double literals, a comment above."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError

from miningflow.sql.failing import FAILS
from miningflow.sql.postgres_once import mentioned_once
from miningflow.sql.stored import stored_tables

# DuckDB before 2.0, which adds up over lists in another way.
OLDER_DUCKDB = "duckdb1.5"
DIALECTS = ("duckdb", OLDER_DUCKDB, "postgres", "spark")

# Functions that the printer passes on as they are, and that were tried on the engine; any other
# would be printed wrong, so it is refused by name.
_KNOWN = {
    "postgres": {"RANDOM", "RANK", "TANH"},
    "spark": {
        "RANK",
        "TANH",
        "RAISE_ERROR",
        "ELEMENT_AT",
        "TRANSFORM",
        "ZIP_WITH",
        "AGGREGATE",
        "STRUCT",
        "COLLECT_LIST",
        "SORT_ARRAY",
        "NAMED_STRUCT",
        "ARRAY_APPEND",
        "ARRAY_CONTAINS",
    },
}
# PostgreSQL cuts longer names off, so that two of them may become one.
_LONGEST_NAME = 63
# What PostgreSQL's tables can have, of which there is one for support vectors.
_MOST_COLUMNS = 1_600


class NotInDialect(ValueError):
    """The tree has something that an engine cannot do."""

    def __init__(self, message: str, hint: str = "use dialect 'duckdb', or another kernel") -> None:
        super().__init__(message)
        self.hint = hint


def render(tree: exp.Expression, dialect: str, comment: str = "") -> str:
    """Prints a tree; names are always quoted, numbers are doubles, the step stands above.

    The printer may change the tree, so it is not to be used again: copying each took half the time.
    """
    if not is_duckdb(dialect):
        tree = tree.transform(_FAILING[dialect], copy=False)
        for node in tree.find_all(exp.Anonymous):
            if node.name not in _KNOWN[dialect]:
                raise NotInDialect(f"{dialect} has no {node.name}")
    if dialect == "spark":
        stored_tables(tree, dialect)
    if dialect == "postgres":
        _refuse_beyond_limits(tree)
        tree = tree.transform(mentioned_once, copy=False).transform(_postgres_double, copy=False)
    try:
        sql: str = tree.sql(
            dialect=printer(dialect),
            identify=True,
            pretty=True,
            copy=False,
            unsupported_level=ErrorLevel.RAISE,
        )
    except UnsupportedError as error:
        raise NotInDialect(str(error)) from None
    return f"-- {one_line(comment)}\n{sql}" if comment else sql


def is_duckdb(dialect: str) -> bool:
    """Tells whether a dialect is that of DuckDB, of any version."""
    return dialect in ("duckdb", OLDER_DUCKDB)


def printer(dialect: str) -> str:
    """Gives sqlglot's name of a dialect."""
    return "duckdb" if is_duckdb(dialect) else dialect


def identifier(name: str, dialect: str) -> str:
    """Writes a name in the quotes of an engine."""
    return str(exp.to_identifier(name, quoted=True).sql(dialect=printer(dialect)))


def made_anew(table: exp.Table, query: exp.Expression, dialect: str) -> list[str]:
    """Gives the statements that make a table of literals, in place of one that may be there.

    Spark replaces tables only in some catalogs, but a view of literals is no worse anywhere.
    """
    kind = "VIEW" if dialect == "spark" else "TABLE"
    made = exp.Create(this=table, kind=kind, expression=query, replace=dialect != "postgres")
    if dialect == "spark":
        made.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
    first = [removed(table.copy(), dialect)] if dialect == "postgres" else []
    return [*first, render(made, dialect)]


def removed(table: exp.Table, dialect: str) -> str:
    """Gives the statement that drops what `made_anew` made."""
    kind = "VIEW" if dialect == "spark" else "TABLE"
    return render(exp.Drop(tables=[table], kind=kind, exists=True), dialect)


def one_line(comment: str) -> str:
    """Makes text safe for a SQL line comment."""
    return " ".join(comment.split())


def _refuse_beyond_limits(tree: exp.Expression) -> None:
    """Refuses what PostgreSQL would cut off or not plan."""
    for node in tree.find_all(exp.Identifier, exp.Select):
        if isinstance(node, exp.Select):
            if len(node.expressions) > _MOST_COLUMNS:
                raise NotInDialect(
                    f"postgres has at most {_MOST_COLUMNS:,} columns, and this machine needs "
                    f"{len(node.expressions):,}",
                    "use fewer features, a linear kernel, or dialect 'duckdb'",
                )
        elif len(node.name.encode()) > _LONGEST_NAME:
            raise NotInDialect(
                f"postgres has no names of more than {_LONGEST_NAME} bytes: {node.name!r}",
                "give the column a shorter name in a view",
            )


def _failing_on_spark(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Anonymous) and node.name == FAILS:
        return exp.Anonymous(this="RAISE_ERROR", expressions=[node.expressions[0].copy()])
    return node


def _failing_on_postgres(node: exp.Expression) -> exp.Expression:
    """Casts a message to a number, which fails; were it constant, that would be while planning."""
    if not isinstance(node, exp.Anonymous) or node.name != FAILS:
        return node
    random = exp.Cast(
        this=exp.Anonymous(this="RANDOM", expressions=[]), to=exp.DataType.build("text")
    )
    nothing = exp.Substring(this=random, start=exp.Literal.number(1), length=exp.Literal.number(0))
    message = exp.DPipe(this=node.expressions[0].copy(), expression=nothing)
    return exp.Cast(this=exp.Paren(this=message), to=exp.DataType.build("double"))


_FAILING = {"postgres": _failing_on_postgres, "spark": _failing_on_spark}


def _postgres_double(node: exp.Expression) -> exp.Expression:
    """Writes doubles as such; a condition becomes one by way of a whole number."""
    if isinstance(node, exp.Cast) and node.is_type(exp.DataType.Type.DOUBLE):
        condition = node.this.unnest()
        if isinstance(condition, exp.Predicate | exp.Connector | exp.Not):
            whole = exp.Cast(this=condition, to=exp.DataType(this=exp.DataType.Type.INT))
            node.set("this", whole)  # and not a new node, whose inside would be left out
    if isinstance(node, exp.Literal) and not node.is_string and "e" in node.name:
        return exp.Cast(this=node.copy(), to=exp.DataType(this=exp.DataType.Type.DOUBLE))
    return node
