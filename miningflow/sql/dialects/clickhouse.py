"""ClickHouse: settings make it read NULLs and names as other databases do."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.spelling import call, called
from miningflow.sql.dialects.standard import (
    LETTERS,
    PLAIN,
    as_it_is,
    cast_to,
    filtered_by_case,
    joined_by,
    nan_by,
    not_recursive,
    ordered_windows,
    without_null,
)

# Outer joins give NULL and not 0, aggregates of no rows NULL, and a name means the column that is
# read before it means the one that is made.
SETTINGS = {
    "join_use_nulls": 1,
    "aggregate_functions_null_for_empty": 1,
    "prefer_column_name_to_alias": 1,
}


def _hash(node: exp.Expression) -> exp.Expression:
    return call("lower", call("hex", call("MD5", node.this)))


def _days(node: exp.Expression) -> exp.Expression:
    return call("dateDiff", exp.Literal.string("day"), node.expression, node.this)


def _lag(node: exp.Expression) -> exp.Expression:
    """Reads a row before, within a frame of all rows.

    Of a column without NULLs it would give 0 before the first row.
    """
    offset = node.args.get("offset") or exp.Literal.number(1)
    assert isinstance(node.parent, exp.Window)
    everything = exp.WindowSpec(
        kind="ROWS",
        start="UNBOUNDED",
        start_side="PRECEDING",
        end="UNBOUNDED",
        end_side="FOLLOWING",
    )
    node.parent.set("spec", everything)
    return call("lagInFrame", call("toNullable", node.this), offset)


def _deviation(node: exp.Expression) -> exp.Expression:
    """Returns NULL for a single row, and not NaN."""
    several = exp.Count(this=node.this.copy()) > exp.Literal.number(1)
    return when(several, call("stddevSamp", node.this))


def _trim(node: exp.Expression) -> exp.Expression:
    return call("trimBoth", node.this)


def _select(node: exp.Expression) -> exp.Expression:
    """Names every column: one that two tables have would be called `table.column`."""
    columns = [
        exp.alias_(tree, tree.name, quoted=True)
        if isinstance(tree, exp.Column) and tree.table
        else tree
        for tree in node.expressions
    ]
    node.set("expressions", columns)
    return node


def _create(node: exp.Expression) -> exp.Expression:
    """Names an engine for tables; one without order is the plainest that is kept on disk."""
    if node.args["kind"] == "TABLE":
        engine = exp.EngineProperty(this=exp.Var(this="MergeTree"))
        order = exp.Order(expressions=[exp.Ordered(this=exp.Tuple(expressions=[]))])
        node.set("properties", exp.Properties(expressions=[engine, order]))
    return node


def _with_settings(tree: exp.Expression) -> exp.Expression:
    query = tree.expression if isinstance(tree, exp.Create) else tree
    if isinstance(query, exp.Select):
        query.set(
            "settings",
            [exp.Var(this=name).eq(exp.Literal.number(value)) for name, value in SETTINGS.items()],
        )
    return tree


CLICKHOUSE = Dialect(
    name="clickhouse",
    title="ClickHouse",
    printer="clickhouse",
    tried="ClickHouse 26.9 (chDB)",
    nodes={
        **PLAIN,
        exp.EQ: nan_by("isNaN"),
        exp.Select: _select,
        exp.Create: _create,
        exp.With: not_recursive("clickhouse"),
        exp.Join: joined_by("clickhouse", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Window: ordered_windows("clickhouse", ranges=True),
        exp.Lag: _lag,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "Float64",
                exp.DType.TEXT: "String",
                exp.DType.TIMESTAMP: "DateTime64(6)",
                exp.DType.DATE: "Date32",
                exp.DType.BIGINT: "Int64",
                exp.DType.INT: "Int32",
            }
        ),
        exp.Extract: as_it_is,
        exp.DateDiff: _days,
        exp.Greatest: without_null("greatest"),
        exp.Least: without_null("least"),
        exp.DPipe: as_it_is,
        exp.MD5: _hash,
        exp.Length: called("lengthUTF8"),
        exp.Substring: called("substringUTF8"),
        exp.Trim: _trim,
        exp.Replace: called("replaceAll"),
        exp.Lower: called("lowerUTF8"),
        exp.Upper: called("upperUTF8"),
        exp.Like: as_it_is,
        exp.StddevSamp: _deviation,
        exp.Boolean: as_it_is,
        exp.Values: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": called("tanh")},
    lacks={
        exp.ILike: "has no ILIKE for letters beyond ASCII",
        "ERROR": "has no function of any type that ends a query with a message",
    },
    after=_with_settings,
    keeping="CREATE TABLE scores ENGINE = MergeTree ORDER BY tuple() AS <this statement>",
    literal_tables="union",
    replaces="drop",
    folds_case=False,
    differences=(
        LETTERS,
        Difference(
            "each query ends in SETTINGS, which make it read NULLs as other databases do",
            "views keep them; a user who may change no settings cannot run the scripts",
            "allow join_use_nulls, aggregate_functions_null_for_empty, prefer_column_name_to_alias",
        ),
        Difference(
            "a text that is no number is read as NULL instead of stopping the query",
            "numeric features of the tables that a scoring script reads",
            "look at them before",
        ),
        Difference(
            "a column that is not Nullable returns 0 or an empty text where a row has no value",
            "tables that you fill, not what the script computes",
            "make columns with missing values Nullable",
        ),
        Difference(
            "a query has at most 256 KiB unless max_query_size allows more",
            "kernel machines with many support vectors",
            "refused beyond 1,500 terms",
        ),
        Difference(
            "quoted names that differ in case are different columns",
            "names of features",
            "name the columns of your views exactly as the case does",
        ),
        Difference(
            "NaN is neither greater nor less than a number, and on DuckDB the greatest of all",
            "comparisons and intervals of numeric features",
            "nothing for machines, which give NULL; elsewhere keep NaN out",
        ),
    ),
    most_terms=1_500,  # a query has at most 256 KiB unless max_query_size says otherwise
)
