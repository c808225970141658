"""Nodes that mean the same wherever they are printed, and spellings that several dialects share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from miningflow.sql.conditions import is_null, when
from miningflow.sql.dialects.dialect import Difference, NotInDialect, Spelling
from miningflow.sql.literals import double

LETTERS = Difference(
    "a few letters have another upper or lower case, such as ß: ẞ on DuckDB, ß on MariaDB, SS on "
    "ClickHouse; others were not tried",
    "`upper`, `lower` and `ilike` of letters beyond the usual",
    "compare texts as they are",
)


def as_it_is(node: exp.Expression) -> exp.Expression:
    """Leaves a node to the printer."""
    return node


# Standard SQL that sqlglot prints without change of meaning. The tests run all of it on SQLite,
# MariaDB and ClickHouse, and on no other engine.
PLAIN: Mapping[type[exp.Expression], Spelling] = dict.fromkeys(
    (
        exp.Identifier,
        exp.Column,
        exp.Table,
        exp.TableAlias,
        exp.Alias,
        exp.Literal,
        exp.Null,
        exp.Var,
        exp.Star,
        exp.Paren,
        exp.Select,
        exp.From,
        exp.Where,
        exp.Group,
        exp.Order,
        exp.Ordered,  # NULLs come last, as on DuckDB; sqlglot knows where that has to be said
        exp.Limit,
        exp.Subquery,
        exp.Union,
        exp.CTE,
        exp.Case,
        exp.If,
        exp.Coalesce,
        exp.Nullif,
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
        exp.Add,
        exp.Sub,
        exp.Mul,
        exp.Neg,
        exp.Div,  # the compiler divides doubles only, and never by zero
        exp.Mod,  # of whole numbers
        exp.Abs,
        exp.Exp,
        exp.Ln,
        exp.Sqrt,
        exp.Floor,
        exp.Ceil,
        exp.Sign,
        exp.Pow,
        exp.Sum,
        exp.Avg,
        exp.Min,
        exp.Max,
        exp.Count,
        exp.Distinct,
        exp.RowNumber,
        exp.WindowSpec,
        exp.DataType,
        exp.Create,
        exp.Drop,
    ),
    as_it_is,
)


def replaced(tree: exp.Expression, node: exp.Expr, other: exp.Expression) -> exp.Expression:
    """Puts another node in the place of one of a tree, which may be the tree itself."""
    if node is tree:
        return other
    node.replace(other)
    return tree


def filtered_by_case(node: exp.Expression) -> exp.Expression:
    """Writes AGGREGATE(x) FILTER (WHERE condition) as AGGREGATE(CASE WHEN condition THEN x END)."""
    aggregate: exp.Expression = node.this.copy()
    condition = node.expression.this
    inner = aggregate.this
    distinct = inner if isinstance(inner, exp.Distinct) else None
    value = distinct.expressions[0] if distinct else inner
    counted = exp.Literal.number(1) if isinstance(value, exp.Star) else value.copy()
    chosen = when(condition.copy(), counted)
    if distinct:
        distinct.set("expressions", [chosen])
    else:
        aggregate.set("this", chosen)
    return aggregate


def without_null(name: str) -> Callable[[exp.Expression], exp.Expression]:
    """Spells GREATEST or LEAST where they give NULL if one argument is, and DuckDB does not."""

    def spell(node: exp.Expression) -> exp.Expression:
        trees = [node.this, *node.expressions]
        if any(isinstance(tree, exp.Literal) for tree in trees[1:]) and len(trees) == 2:
            known = [exp.Coalesce(this=trees[0].copy(), expressions=[trees[1].copy()]), trees[1]]
        else:
            known = [_first_known(trees, i) for i in range(len(trees))]
        return exp.Anonymous(this=name, expressions=[tree.copy() for tree in known])

    return spell


def _first_known(trees: list[exp.Expression], first: int) -> exp.Expression:
    others = [tree.copy() for i, tree in enumerate(trees) if i != first]
    return exp.Coalesce(this=trees[first].copy(), expressions=others)


def is_condition(tree: exp.Expression) -> bool:
    """Returns whether an expression is true or false."""
    return isinstance(tree.unnest(), exp.Predicate | exp.Connector | exp.Not)


def as_number(condition: exp.Expression) -> exp.Expression:
    """Writes a condition as 1 or 0, or NULL where it is unknown."""
    known = condition.unnest()
    yes = exp.If(this=known.copy(), true=double(1))
    no = exp.If(this=exp.Not(this=exp.Paren(this=known.copy())), true=double(0))
    return exp.Case(ifs=[yes, no])


def cast_to(types: Mapping[exp.DType, str]) -> Callable[[exp.Expression], exp.Expression]:
    """Spells casts to the types of the compiler, by the dialect's own words for them."""

    def spell(node: exp.Expression) -> exp.Expression:
        kind = node.args["to"].this
        if kind == exp.DType.DOUBLE and is_condition(node.this):
            return as_number(node.this)
        if kind not in types:
            raise NotInDialect(f"no cast to {kind.value} was tried")
        to = exp.DataType(this=exp.DType.USERDEFINED, kind=types[kind])
        return exp.Cast(this=node.this.copy(), to=to)

    return spell


def not_recursive(name: str) -> Callable[[exp.Expression], exp.Expression]:
    """Refuses a WITH RECURSIVE: the compiler's reads itself in a subquery."""

    def spell(node: exp.Expression) -> exp.Expression:
        if node.args.get("recursive"):
            raise NotInDialect(
                f"{name} has no recursive query that reads itself in a subquery",
                "make this step's intervals elsewhere, or use dialect 'duckdb'",
            )
        return node

    return spell


def joined_by(name: str, *sides: str) -> Callable[[exp.Expression], exp.Expression]:
    """Lets only some kinds of joins through; laterals are none of them."""

    def spell(node: exp.Expression) -> exp.Expression:
        side = node.args.get("side") or node.args.get("kind")
        if side not in sides:
            raise NotInDialect(f"{name} has no {side} JOIN", "use dialect 'duckdb'")
        return node

    return spell


def nulls_last(node: exp.Expression) -> exp.Expression:
    """Puts NULLs last by a separate key, where there are no words for it.

    A window over a range of values has one key only; NULLs are in no range of numbers, so they may
    stand where the engine has them.
    """
    keys: list[exp.Expression] = []
    window = node.parent
    frame = window.args.get("spec") if isinstance(window, exp.Window) else None
    ranges = frame is not None and frame.args.get("kind") == "RANGE"
    for key in node.expressions:
        missing = is_null(key.this.copy())
        last = when(missing, exp.Literal.number(1), exp.Literal.number(0))
        if not ranges:
            keys.append(exp.Ordered(this=last, nulls_first=True))
        key.set("nulls_first", True)
        keys.append(key)
    node.set("expressions", keys)
    return node


def ordered_windows(name: str, ranges: bool) -> Callable[[exp.Expression], exp.Expression]:
    """Refuses windows over a range of values where those were not tried."""

    def spell(node: exp.Expression) -> exp.Expression:
        frame = node.args.get("spec")
        if frame is None or frame.args.get("kind") != "RANGE":
            return node
        if not ranges:
            raise NotInDialect(
                f"{name} has no window over a range of values", "use dialect 'duckdb'"
            )
        return node

    return spell


def hyperbolic_by_exponential(node: exp.Expression) -> exp.Expression:
    """Returns 1 - 2 / (exp(2x) + 1), which there is no function for."""
    x = exp.Paren(this=node.expressions[0].copy())
    grown = exp.Exp(this=double(2) * x)
    share = exp.Div(
        this=double(2),
        expression=exp.Paren(this=grown + double(1)),
        typed=True,
        safe=False,
    )
    large = x > double(300)
    curve = exp.Sub(this=double(1), expression=share)
    return when(large, double(1), curve)


def ignoring_case(node: exp.Expression) -> exp.Expression:
    """Writes ILIKE with a pattern in quotes as LIKE of lower case."""
    pattern = exp.Literal.string(node.expression.name.lower())
    return exp.Like(this=exp.Lower(this=node.this.copy()), expression=pattern)


def is_nan_literal(tree: exp.Expression) -> bool:
    """Returns whether a tree is the compiler's NaN, which is a text that is cast."""
    return isinstance(tree, exp.Cast) and tree.this.is_string and tree.this.name == "NaN"


def nan_by(function: str) -> Callable[[exp.Expression], exp.Expression]:
    """Asks by a function whether a number is NaN, where NaN does not equal itself."""

    def spell(node: exp.Expression) -> exp.Expression:
        if not is_nan_literal(node.expression):
            return node
        return exp.Anonymous(this=function, expressions=[node.this.copy()])

    return spell


def without_nan(node: exp.Expression) -> exp.Expression:
    """Takes the question for NaN out of `x is NULL or x is NaN`, where no number is: as a text that
    is cast it would be 0.
    """
    for asked, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(asked, exp.EQ) and is_nan_literal(asked.expression):
            known: exp.Expression = other.copy()
            return known
    return node


def refuse_nan(name: str) -> Callable[[exp.Expression], exp.Expression]:
    """Refuses a cast of NaN that is left, which would be 0."""

    def spell(tree: exp.Expression) -> exp.Expression:
        if any(is_nan_literal(cast) for cast in tree.find_all(exp.Cast)):
            raise NotInDialect(f"{name} has no NaN", "use dialect 'duckdb'")
        return tree

    return spell
