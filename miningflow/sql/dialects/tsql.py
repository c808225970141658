"""SQL Server 2022; not tried. Looked up: how deep CASE may be nested."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference, NotInDialect
from miningflow.sql.dialects.spelling import call, called
from miningflow.sql.dialects.standard import (
    LETTERS,
    PLAIN,
    as_it_is,
    as_number,
    cast_to,
    filtered_by_case,
    hyperbolic_by_exponential,
    joined_by,
    not_recursive,
    nulls_last,
    ordered_windows,
    refuse_nan,
    without_nan,
    without_null,
)

_MOST_CASES = 10
# Where a condition may stand; anywhere else a value is wanted, and there is no type for truth.
_CONDITIONAL = (exp.Where, exp.And, exp.Or, exp.Not, exp.Join)


def _literal(node: exp.Expression) -> exp.Expression:
    """Marks texts beyond ASCII, which would be read in the code page of the database."""
    if node.is_string and not node.name.isascii():
        return exp.National(this=node.name)
    return node


def _condition(node: exp.Expression) -> exp.Expression:
    """Writes a condition as a number where a value is wanted."""
    outer: exp.Expression = node
    parent = node.parent
    while isinstance(parent, exp.Paren):
        outer, parent = parent, parent.parent
    if parent is None or isinstance(parent, _CONDITIONAL):
        return node
    if isinstance(parent, exp.If) and parent.this is outer:
        return node
    if isinstance(parent, exp.Cast):  # which writes it as a number itself
        return node
    return as_number(node)


def _either(node: exp.Expression) -> exp.Expression:
    known = without_nan(node)
    return _condition(node) if known is node else known


def _joined(node: exp.Expression) -> exp.Expression:
    """Joins texts by a plus, which is NULL if one of them is."""
    return exp.Add(this=node.this.copy(), expression=node.expression.copy())


def _days(node: exp.Expression) -> exp.Expression:
    return call("DATEDIFF", exp.Var(this="DAY"), node.expression, node.this)


def _part(node: exp.Expression) -> exp.Expression:
    return call("DATEPART", exp.Var(this=node.name.upper()), node.expression)


def _refuse_nested_cases(tree: exp.Expression) -> exp.Expression:
    for case in tree.find_all(exp.Case):
        levels, node = 1, case.parent
        while node is not None and not isinstance(node, exp.Select):
            levels += isinstance(node, exp.Case)
            node = node.parent
        if levels > _MOST_CASES:
            raise NotInDialect(
                f"tsql has no CASE within CASE beyond {_MOST_CASES} levels",
                "use a smaller tree or shorter expressions, or dialect 'duckdb'",
            )
    return refuse_nan("tsql")(tree)


TSQL = Dialect(
    name="tsql",
    makes_schemas=False,
    title="SQL Server",
    printer="tsql",
    tried="",
    needs="SQL Server 2022",
    nodes={
        **PLAIN,
        **dict.fromkeys(
            (
                exp.EQ,
                exp.NEQ,
                exp.LT,
                exp.LTE,
                exp.GT,
                exp.GTE,
                exp.Between,
                exp.In,
                exp.Is,
                exp.And,
                exp.Or,
                exp.Not,
            ),
            _condition,
        ),
        exp.Or: _either,
        exp.Literal: _literal,
        exp.With: not_recursive("tsql"),
        exp.Join: joined_by("tsql", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Order: nulls_last,
        exp.Window: ordered_windows("tsql", ranges=False),
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "FLOAT",
                exp.DType.TEXT: "NVARCHAR(4000)",
                exp.DType.TIMESTAMP: "DATETIME2",
                exp.DType.DATE: "DATE",
                exp.DType.BIGINT: "BIGINT",
                exp.DType.INT: "INT",
            }
        ),
        exp.Extract: _part,
        exp.DateDiff: _days,
        exp.Ln: called("LOG"),
        exp.Ceil: called("CEILING"),
        exp.Greatest: without_null("GREATEST"),
        exp.Least: without_null("LEAST"),
        exp.DPipe: _joined,
        exp.Lower: as_it_is,
        exp.Upper: as_it_is,
        exp.StddevSamp: called("STDEV"),
    },
    calls={"RANK": as_it_is, "TANH": hyperbolic_by_exponential},
    lacks={
        exp.MD5: "hashes texts in its own encodings, so that other rows would be drawn",
        exp.Like: "has another LIKE, by the collation of the column",
        exp.ILike: "has no ILIKE",
        exp.Length: "has no LENGTH that counts blanks at the end",
        exp.Substring: "has a SUBSTRING that depends on the collation of the column",
        exp.Trim: "was not tried with TRIM",
        exp.Replace: "has a REPLACE that depends on the collation of the column",
        exp.Boolean: "has no truth values",
        "ERROR": "has no function that ends a query with a message",
    },
    after=_refuse_nested_cases,
    keeping="put INTO scores before the last FROM",
    literal_tables="union",
    replaces="drop",
    raises_on_overflow=True,
    longest_name=128,
    most_columns=1_024,
    most_terms=2_000,
    separator="GO",
    differences=(
        LETTERS,
        Difference(
            "the usual collations take 'Yes' and 'yes' as equal, and 'a' and 'a '",
            "nominal features: groups, joins, comparisons, categories of a model",
            "give text columns the collation Latin1_General_100_BIN2; blanks at the end stay equal",
        ),
        Difference(
            "a view must be made in a separate batch, so GO stands after each statement",
            "`compile`",
            "run the script with sqlcmd or a client that knows GO",
        ),
        Difference(
            "conditions are no values, so they become 1 and 0",
            "groups by a condition",
            "nothing",
        ),
    ),
)
