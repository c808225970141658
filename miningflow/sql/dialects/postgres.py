"""PostgreSQL: doubles are cast, overflow and underflow raise, names are cut at 63 bytes."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.spelling import refuse_long
from miningflow.sql.dialects.standard import as_it_is, is_condition, replaced
from miningflow.sql.failing import FAILS
from miningflow.sql.postgres_once import mentioned_once


def _failing(node: exp.Expression) -> exp.Expression:
    """Casts a message to a number, which fails; were it constant, that would be while planning."""
    if not isinstance(node, exp.Anonymous) or node.name != FAILS:
        return node
    random = exp.Cast(
        this=exp.Anonymous(this="RANDOM", expressions=[]), to=exp.DataType.build("text")
    )
    nothing = exp.Substring(this=random, start=exp.Literal.number(1), length=exp.Literal.number(0))
    message = exp.DPipe(this=node.expressions[0].copy(), expression=nothing)
    return exp.Cast(this=exp.Paren(this=message), to=exp.DataType.build("double"))


def _double(node: exp.Expression) -> exp.Expression:
    """Writes doubles as such; a condition becomes one by way of a whole number."""
    is_double = isinstance(node, exp.Cast) and node.is_type(exp.DataType.Type.DOUBLE)
    if is_double and is_condition(node.this):
        whole = exp.Cast(this=node.this.unnest(), to=exp.DataType.build("int"))
        node.set("this", whole)  # and not a new node, whose inside would be left out
    if isinstance(node, exp.Literal) and not node.is_string and "e" in node.name:
        return exp.Cast(this=node.copy(), to=exp.DataType(this=exp.DataType.Type.DOUBLE))
    return node


def _cased(tree: exp.Expression) -> exp.Expression:
    """Lets letters change case by the rules of the database; by those of bytes ä has none.

    The result is again one that is compared byte by byte.
    """
    for node in reversed(list(tree.find_all(exp.Upper, exp.Lower, exp.ILike))):
        node.set("this", _collated(node.this, "default"))
        if not isinstance(node, exp.ILike):
            bytewise = _collated(node.copy(), "C")
            if isinstance(node.parent, exp.Between):  # its bounds take no COLLATE of their own
                bytewise = exp.Paren(this=bytewise)
            tree = replaced(tree, node, bytewise)
    return tree


def _collated(tree: exp.Expr, collation: str) -> exp.Expression:
    simple = isinstance(tree, exp.Column | exp.Func | exp.Paren)
    return exp.Collate(
        this=tree.copy() if simple else exp.Paren(this=tree.copy()),
        expression=exp.to_identifier(collation, quoted=True),
    )


def _before(tree: exp.Expression) -> exp.Expression:
    return _cased(tree.transform(_failing, copy=False))


def _after(tree: exp.Expression) -> exp.Expression:
    refuse_long(tree, POSTGRES)
    return tree.transform(mentioned_once, copy=False).transform(_double, copy=False)


POSTGRES = Dialect(
    name="postgres",
    defines_tables=True,
    title="PostgreSQL",
    printer="postgres",
    tried="PostgreSQL 18",
    needs="PostgreSQL 14",
    store="postgresql://user@host/database",
    calls=dict.fromkeys(("RANDOM", "RANK", "TANH"), as_it_is),
    before=_before,
    after=_after,
    kernels="lateral",
    functions="postgres",
    literal_tables="typed values",
    computes_again=True,
    materializes=True,
    raises_on_overflow=True,
    replaces="drop",
    folds_case=False,
    longest_name=63,  # it cuts longer ones off, so that two of them may become one
    most_columns=1_600,
    differences=(
        Difference(
            "names have at most 63 bytes; those of steps and concepts at most 55 in a store",
            "names of cases, concepts, steps and features",
            "longer ones are refused: choose shorter ones",
        ),
        Difference("a result has at most 1,600 columns", "wide concepts", "use fewer features"),
        Difference(
            "it raises where a product of doubles overflows or underflows",
            "machines: inputs beyond 1e100 give NULL there, those below 1e-100 count as 0",
            "nothing, unless your numbers are that large",
        ),
        Difference(
            "texts that a step makes are compared by the collation of the database",
            "`<`, `min`, `max` of texts",
            "make the database with `LOCALE 'C.UTF-8'`",
        ),
        Difference(
            "`upper`, `lower` and `ilike` know the letters that the database knows: those of ASCII "
            "only with `LOCALE 'C'`, and ß stays ß",
            "texts with other letters",
            "make the database with `LOCALE 'C.UTF-8'`",
        ),
    ),
)
