"""Spark, with ANSI mode on."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.standard import as_it_is
from miningflow.sql.failing import FAILS


def _failing(tree: exp.Expression) -> exp.Expression:
    """Raises with a message, by Spark's own function."""

    def failing(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Anonymous) and node.name == FAILS:
            return exp.Anonymous(this="RAISE_ERROR", expressions=[node.expressions[0].copy()])
        return node

    return tree.transform(failing, copy=False)


SPARK = Dialect(
    name="spark",
    defines_tables=True,
    title="Spark",
    printer="spark",
    tried="Spark 4.3",
    needs="ANSI mode, which is the default of Spark 4",
    # tried on the engine; the printer passes them on as they are
    calls=dict.fromkeys(
        (
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
        ),
        as_it_is,
    ),
    before=_failing,
    kernels="folds",
    functions="spark",
    named_by="lists",
    recursion="fold",
    replaces="temporary view",
    plain_names=True,
    differences=(
        Difference(
            "a function cannot read a table, so a kernel machine with support vectors is none",
            "`compile --functions`",
            "use the scoring script",
        ),
        Difference(
            "names of functions have letters, digits and underscores only",
            "`compile --functions`",
            "others become underscores",
        ),
    ),
)
