"""Spark, with ANSI mode on."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.standard import as_it_is, replaced
from miningflow.sql.failing import FAILS
from miningflow.sql.literals import double


def _failing(tree: exp.Expression) -> exp.Expression:
    """Raises with a message, by Spark's own function."""

    def failing(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Anonymous) and node.name == FAILS:
            return exp.Anonymous(this="RAISE_ERROR", expressions=[node.expressions[0].copy()])
        return node

    return tree.transform(failing, copy=False)


def _whole(tree: exp.Expression) -> exp.Expression:
    """Leaves large numbers, which are whole, as they are: Spark makes a BIGINT of any other."""
    for node in reversed(list(tree.find_all(exp.Floor, exp.Ceil))):
        x = node.this
        small = exp.Abs(this=x.copy()) < double(2.0**52)
        known = when(small, node.copy(), x.copy())
        tree = replaced(tree, node, known)
    return tree


def _before(tree: exp.Expression) -> exp.Expression:
    return _whole(_failing(tree))


SPARK = Dialect(
    name="spark",
    defines_tables=True,
    title="Spark",
    printer="spark",
    tried="Spark 4.3",
    store="local[*], spark://host or sc://host",
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
    before=_before,
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
            "schemas, tables and functions have names of letters, digits and _, without case",
            "names of cases, concepts, steps and predictions",
            "nothing: others are stored under a plain name, and shown as you wrote them",
        ),
        Difference(
            "there are no transactions: views are swapped one after the other, at the end",
            "readers in the moment of publishing",
            "nothing: what was built is whole, and the next run ends what was begun",
        ),
        Difference(
            "Java's logarithm differs from C's in the last digit, now and then",
            "machines that learn from logarithms agree to fewer digits",
            "take over what was learned elsewhere: `miningflow move`",
        ),
        Difference(
            "`upper` of ß is SS, and `lower` of İ has two characters",
            "texts with these letters",
            "replace them first",
        ),
    ),
)
