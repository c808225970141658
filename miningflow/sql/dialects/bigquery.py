"""BigQuery; not tried. Looked up: NULL in GREATEST."""

from __future__ import annotations

import re

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference, NotInDialect
from miningflow.sql.dialects.spelling import call, called
from miningflow.sql.dialects.standard import (
    LETTERS,
    PLAIN,
    as_it_is,
    cast_to,
    filtered_by_case,
    ignoring_case,
    joined_by,
    nan_by,
    not_recursive,
    nulls_last,
    ordered_windows,
    without_null,
)

# Characters that no name of a column may have, and a backslash, which escapes.
_FORBIDDEN = re.compile(r"""[!"$()*,./;?@\[\]^`{}~\\\n]""")


def _refuse_names(tree: exp.Expression) -> exp.Expression:
    for node in tree.find_all(exp.Identifier):
        if _FORBIDDEN.search(node.name):
            raise NotInDialect(
                f"bigquery has no names with such characters: {node.name!r}",
                "give the column or the step another name",
            )
    return tree


def _table(node: exp.Expression) -> exp.Expression:
    """Writes a dot in a name, as tables of literals have one, as an underscore."""
    node.this.set("this", node.name.replace(".", "_"))
    return node


def _hash(node: exp.Expression) -> exp.Expression:
    return call("TO_HEX", call("MD5", node.this))


def _days(node: exp.Expression) -> exp.Expression:
    return call("DATE_DIFF", node.this, node.expression, exp.Var(this="DAY"))


def _trim(node: exp.Expression) -> exp.Expression:
    """Takes off spaces only; without them it would be all white space."""
    return call("TRIM", node.this, exp.Literal.string(" "))


def _remainder(node: exp.Expression) -> exp.Expression:
    return call("MOD", node.this.unnest(), node.expression.unnest())


BIGQUERY = Dialect(
    name="bigquery",
    title="BigQuery",
    printer="bigquery",
    tried="",
    nodes={
        **PLAIN,
        exp.EQ: nan_by("IS_NAN"),
        exp.With: not_recursive("bigquery"),
        exp.Table: _table,
        exp.Join: joined_by("bigquery", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Order: nulls_last,
        exp.Window: ordered_windows("bigquery", ranges=False),
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "FLOAT64",
                exp.DType.TEXT: "STRING",
                exp.DType.TIMESTAMP: "DATETIME",
                exp.DType.DATE: "DATE",
                exp.DType.BIGINT: "INT64",
                exp.DType.INT: "INT64",
            }
        ),
        exp.Extract: as_it_is,
        exp.DateDiff: _days,
        exp.Mod: _remainder,
        exp.Greatest: without_null("GREATEST"),
        exp.Least: without_null("LEAST"),
        exp.DPipe: as_it_is,
        exp.MD5: _hash,
        exp.Length: called("CHAR_LENGTH"),
        exp.Substring: called("SUBSTR"),
        exp.Trim: _trim,
        exp.Replace: called("REPLACE"),
        exp.Lower: as_it_is,
        exp.Upper: as_it_is,
        exp.Like: as_it_is,
        exp.ILike: ignoring_case,
        exp.StddevSamp: called("STDDEV_SAMP"),
        exp.Boolean: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": as_it_is, "ERROR": as_it_is},
    after=_refuse_names,
    literal_tables="union",
    replaces="replace",
    raises_on_overflow=True,
    longest_name=300,
    most_columns=10_000,
    differences=(
        LETTERS,
        Difference("a schema is a dataset", "`<case>_results`", "CREATE SCHEMA before"),
        Difference(
            'names have no `!"$()*,./;?@[]^{}~`, quotes or backslashes; a dot in the name of a '
            "table of literals becomes an underscore",
            "names of concepts, steps and features",
            "others are refused: choose other ones",
        ),
        Difference(
            "times are DATETIME, without a zone",
            "features of type time",
            "convert TIMESTAMP columns in a view",
        ),
        Difference(
            "it groups by doubles, but has no windows over groups of them",
            "windows and series whose groups are numeric; BigQuery itself refuses them",
            "group by nominal features or keys",
        ),
        Difference(
            "NaN is neither greater nor less than a number, and on DuckDB the greatest of all",
            "comparisons and intervals of numeric features",
            "nothing for machines, which give NULL; elsewhere keep NaN out",
        ),
    ),
)
