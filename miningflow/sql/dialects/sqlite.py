"""SQLite: no types for times, no schemas, no MD5, letters of ASCII only."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference, NotInDialect
from miningflow.sql.dialects.spelling import call
from miningflow.sql.dialects.standard import (
    PLAIN,
    as_it_is,
    as_number,
    filtered_by_case,
    is_condition,
    joined_by,
    not_recursive,
    ordered_windows,
    refuse_nan,
    without_nan,
    without_null,
)

# A time is a text in this form, which sorts as time does.
MOMENT = "%Y-%m-%d %H:%M:%S"
_PARTS = {
    "YEAR": "%Y",
    "MONTH": "%m",
    "DAY": "%d",
    "HOUR": "%H",
    "MINUTE": "%M",
    "SECOND": "%S",
}
_TYPES = {
    exp.DType.DOUBLE: "REAL",
    exp.DType.TEXT: "TEXT",
    exp.DType.BIGINT: "INTEGER",
    exp.DType.INT: "INTEGER",
}


def _cast(node: exp.Expression) -> exp.Expression:
    """Casts to what SQLite has; TIMESTAMP there would be a number, 2020 of a day in that year."""
    kind, value = node.args["to"].this, node.this
    if kind == exp.DType.DOUBLE and is_condition(value):
        return as_number(value)
    if kind == exp.DType.TIMESTAMP:
        return call("STRFTIME", exp.Literal.string(MOMENT), value)
    if kind == exp.DType.DATE:
        return call("DATE", value)
    if kind not in _TYPES:
        raise NotInDialect(f"sqlite has no {kind.value} that was tried")
    return exp.Cast(
        this=value.copy(), to=exp.DataType(this=exp.DType.USERDEFINED, kind=_TYPES[kind])
    )


def _extract(node: exp.Expression) -> exp.Expression:
    part = exp.Literal.string(_PARTS[node.name.upper()])
    to = exp.DataType(this=exp.DType.USERDEFINED, kind="INTEGER")
    return exp.Cast(this=call("STRFTIME", part, node.expression), to=to)


def _days(node: exp.Expression) -> exp.Expression:
    """Counts days between dates: the Julian day of a date ends in .5, so this is exact."""
    ends = [call("JULIANDAY", tree) for tree in (node.this, node.expression)]
    return exp.Paren(this=exp.Sub(this=ends[0], expression=ends[1]))


def _like(node: exp.Expression) -> exp.Expression:
    """Writes a pattern for GLOB, since LIKE takes 'A' and 'a' as equal."""
    glob = "".join(_globbed(character) for character in node.expression.name)
    return exp.Glob(this=node.this.copy(), expression=exp.Literal.string(glob))


def _globbed(character: str) -> str:
    wild = {"%": "*", "_": "?"}
    return wild.get(character) or (f"[{character}]" if character in "*?[" else character)


def _table(node: exp.Expression) -> exp.Expression:
    """Writes the schema into the name: a view could not read tables of another database file."""
    schema = node.args.get("db")
    if schema is None:
        return node
    name = exp.to_identifier(f"{schema.name}_{node.name}", quoted=True)
    alias = node.args.get("alias")
    return exp.Table(this=name, alias=alias.copy() if alias else None)


def _create(node: exp.Expression) -> exp.Expression:
    if node.args.get("replace"):
        raise NotInDialect("sqlite has no CREATE OR REPLACE")
    return node


SQLITE = Dialect(
    name="sqlite",
    makes_schemas=False,
    title="SQLite",
    printer="sqlite",
    tried="SQLite 3.40",
    needs="SQLite 3.39 with its mathematical functions (SQLITE_ENABLE_MATH_FUNCTIONS)",
    materializes=True,
    nodes={
        **PLAIN,
        exp.Or: without_nan,
        exp.With: not_recursive("sqlite"),
        exp.Join: joined_by("sqlite", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Window: ordered_windows("sqlite", ranges=True),
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: _cast,
        exp.Extract: _extract,
        exp.DateDiff: _days,
        exp.Greatest: without_null("MAX"),
        exp.Least: without_null("MIN"),
        exp.DPipe: as_it_is,
        exp.Length: as_it_is,
        exp.Substring: as_it_is,
        exp.Trim: as_it_is,
        exp.Replace: as_it_is,
        exp.Like: _like,
        exp.Boolean: as_it_is,
        exp.Table: _table,
        exp.Create: _create,
        exp.Values: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": as_it_is},
    lacks={
        exp.MD5: "has no MD5, by which rows are drawn",
        exp.Lower: "has no LOWER for letters beyond ASCII",
        exp.Upper: "has no UPPER for letters beyond ASCII",
        exp.ILike: "has no ILIKE for letters beyond ASCII",
        exp.StddevSamp: "has no standard deviation",
        "ERROR": "has no function that ends a query with a message",
    },
    after=refuse_nan("sqlite"),
    literal_tables="columns",
    replaces="drop",
    most_columns=2_000,
    differences=(
        Difference(
            "there are no schemas: `<case>_results.step` is the table `<case>_results_step`",
            "names of tables and views",
            "read and make them by that name",
        ),
        Difference(
            "times are texts such as '2020-01-31 12:00:00'; fractions of a second are cut off",
            "features of type time",
            "store them in this form; other ISO forms only where the scoring script casts them",
        ),
        Difference(
            "a text that is no number is read as 0 instead of stopping the query",
            "numeric features of the tables that a scoring script reads",
            "look at them before: `typeof(x)` tells",
        ),
        Difference(
            "NaN is NULL",
            "numeric features",
            "nothing: machines give NULL for both",
        ),
        Difference(
            "texts are compared byte by byte, unless a column was made with another collation",
            "nominal features",
            "make text columns without COLLATE NOCASE",
        ),
    ),
)
