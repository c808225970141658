"""From the parsed tree to a checked one: every node is on a list here, or it is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from miningflow.sql.fragments.aggregates import AGGREGATES, Counted, aggregate
from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.functions import Call, call_function
from miningflow.sql.fragments.numbers import divided, remainder
from miningflow.sql.fragments.texts import beside
from miningflow.sql.fragments.values import (
    Value,
    bare,
    fit,
    offset_of,
    operand,
    quoted,
    time_literal,
    unify,
    within_limit,
)
from miningflow.sql.fragments.words import CALL_MARK
from miningflow.sql.literals import column, double


@dataclass(frozen=True)
class Scope:
    """What a part may use: the features, and whether they need an aggregate around them."""

    features: Mapping[str, str]
    aggregating: bool = False


def rewrite(node: exp.Expression, scope: Scope) -> Value:
    """Checks a part of an expression and writes it so that all engines agree on it."""
    handler = _HANDLERS.get(type(node))
    if handler is None or not _is_understood(node):
        raise _refused(node)
    return handler(node, scope)


def _is_understood(node: exp.Expression) -> bool:
    """Returns whether the node carries nothing its handler would leave out."""
    known = _ARGUMENTS | _MORE_ARGUMENTS.get(type(node), frozenset())
    return all(name in known for name, argument in node.args.items() if argument)


def _refused(node: exp.Expression) -> FragmentError:
    name = "a list" if isinstance(node, exp.Tuple) else type(node).__name__.upper()
    return FragmentError(f"{name} is not allowed in expressions here", offset_of(node))


def _paren(node: exp.Expression, scope: Scope) -> Value:
    inner = rewrite(bare(node), scope)
    return Value(exp.Paren(this=bare(inner.tree)), inner.type, node)


def _column(node: exp.Expression, scope: Scope) -> Value:
    if not node.this.quoted:
        # Every feature left the gate quoted: this is a keyword where a value should stand.
        raise FragmentError(f"'{node.name}' stands where a value should", offset_of(node))
    if scope.aggregating:
        raise FragmentError(
            f"'{node.name}' stands outside of an aggregate",
            offset_of(node),
            f"write for example avg({node.name})",
        )
    return Value(column(node.name), scope.features[node.name], node)


def _literal(node: exp.Expression, scope: Scope) -> Value:
    if node.is_string:
        return Value(exp.Literal.string(node.this), "nominal", node)
    try:
        return Value(double(float(node.this)), "numeric", node)
    except ValueError:
        raise FragmentError(
            f"{node.this} is not a number of double size", offset_of(node)
        ) from None


def _null(node: exp.Expression, scope: Scope) -> Value:
    return Value(exp.null(), "null", node)


def _boolean(node: exp.Expression, scope: Scope) -> Value:
    return Value(exp.Boolean(this=bool(node.this)), "boolean", node)


def _time(node: exp.Expression, scope: Scope) -> Value:
    # The gate lets no cast pass: what sqlglot calls one here is date '…' or timestamp '…'.
    if not isinstance(node.this, exp.Literal) or not node.this.is_string:
        raise _refused(node)
    return Value(time_literal(node.this), "time", node)


def _negated(node: exp.Expression, scope: Scope) -> Value:
    tree = fit(rewrite(node.this, scope), "numeric", "'-'")
    return Value(exp.Neg(this=tree), "numeric", node)


def _spine(node: exp.Expression) -> list[exp.Expression]:
    """Lists a chain such as `a + b - c` from its innermost operation outwards."""
    chain = [node]
    while type(chain[-1].this) in _CHAINED:
        chain.append(chain[-1].this)
    return chain[::-1]


def _chain(node: exp.Expression, scope: Scope) -> Value:
    # In a loop, because a long sum is a deep tree and Python's stack is not.
    chain = _spine(node)
    total = rewrite(chain[0].this, scope)
    for link in chain:
        total = _CHAINED[type(link)](link, total, rewrite(link.expression, scope))
    within_limit(total.tree)
    return total


def _arithmetic(node: exp.Expression, left: Value, right: Value) -> Value:
    sign = _SIGNS[type(node)]
    first, second = fit(left, "numeric", sign), fit(right, "numeric", sign)
    if isinstance(node, exp.Div):
        tree = divided(first, second)
    elif isinstance(node, exp.Mod):
        tree = within_limit(remainder(first, second))
    else:
        tree = type(node)(this=first, expression=second)
    return Value(tree, "numeric", node)


def _joined(node: exp.Expression, left: Value, right: Value) -> Value:
    tree = beside(fit(left, "nominal", "'||'"), fit(right, "nominal", "'||'"))
    return Value(tree, "nominal", node)


def _connected(node: exp.Expression, left: Value, right: Value) -> Value:
    word = type(node).__name__.upper()
    tree = type(node)(this=fit(left, "boolean", word), expression=fit(right, "boolean", word))
    return Value(tree, "boolean", node)


def _not(node: exp.Expression, scope: Scope) -> Value:
    return Value(exp.Not(this=fit(rewrite(node.this, scope), "boolean", "NOT")), "boolean", node)


def _side(node: exp.Expression, scope: Scope) -> Value:
    """Checks one side of a comparison; engines read `a = b IS NULL` in different ways."""
    if isinstance(node, exp.Predicate | exp.Not | exp.Connector) and not isinstance(node, exp.Case):
        raise FragmentError(
            f"{quoted(node)} needs parentheses around it", offset_of(node), f"({quoted(node)})"
        )
    return rewrite(node, scope)


def _compared(node: exp.Expression, scope: Scope) -> Value:
    left, right = _side(node.this, scope), _side(node.expression, scope)
    kind, trees = unify([left, right], "compared")
    if kind == "boolean" and not isinstance(node, exp.EQ | exp.NEQ):
        raise FragmentError(
            f"{quoted(node)} puts conditions in order", offset_of(node), "use = or <>"
        )
    return Value(type(node)(this=_beside(trees[0]), expression=_beside(trees[1])), "boolean", node)


def _beside(tree: exp.Expression) -> exp.Expression:
    return operand(tree) if isinstance(tree, exp.DPipe) else tree


def _in(node: exp.Expression, scope: Scope) -> Value:
    members = node.args.get("expressions") or []
    if not members:
        raise FragmentError("IN wants a list", offset_of(node), "write it as x in ('one', 'two')")
    values = [_side(node.this, scope), *(rewrite(member, scope) for member in members)]
    _, trees = unify(values, "compared")
    return Value(exp.In(this=_beside(trees[0]), expressions=trees[1:]), "boolean", node)


def _between(node: exp.Expression, scope: Scope) -> Value:
    bounds = [node.args["low"], node.args["high"]]
    kind, trees = unify([_side(part, scope) for part in (node.this, *bounds)], "compared")
    if kind == "boolean":
        raise FragmentError(f"{quoted(node)} puts conditions in order", offset_of(node))
    first, low, high = (_beside(tree) for tree in trees)
    return Value(exp.Between(this=first, low=low, high=high), "boolean", node)


def _is(node: exp.Expression, scope: Scope) -> Value:
    if not isinstance(node.expression, exp.Null):
        raise FragmentError(
            "IS is allowed only as IS NULL and IS NOT NULL", offset_of(node), "compare with ="
        )
    value = _side(node.this, scope)
    return Value(exp.Is(this=_beside(value.tree), expression=exp.null()), "boolean", node)


def _like(node: exp.Expression, scope: Scope) -> Value:
    text, pattern = _side(node.this, scope), _side(node.expression, scope)
    tree = fit(text, "nominal", type(node).__name__.upper())
    literal = pattern.literal
    if literal is None or not literal.is_string or "\\" in literal.this:
        # A backslash escapes on PostgreSQL and Spark, and stands for itself on DuckDB.
        raise FragmentError(
            "LIKE wants a pattern in quotes, without backslash", offset_of(node.expression)
        )
    like = type(node)(this=_beside(tree), expression=exp.Literal.string(literal.this))
    tree = exp.Not(this=like) if node.args.get("negate") else like
    return Value(tree, "boolean", node)


def _case(node: exp.Expression, scope: Scope) -> Value:
    branches: list[exp.Expression] = node.args["ifs"]
    whens = [branch.this for branch in branches]
    subject: exp.Expression | None = None
    if node.this is None:
        conditions = [fit(rewrite(when, scope), "boolean", "WHEN") for when in whens]
    else:
        parts = [rewrite(node.this, scope), *(_side(when, scope) for when in whens)]
        _, (subject, *conditions) = unify(parts, "compared")
    default = node.args.get("default")
    results = [branch.args["true"] for branch in branches] + ([default] if default else [])
    kind, trees = unify([rewrite(result, scope) for result in results], "mixed")
    ifs = [
        exp.If(this=when, true=then)
        for when, then in zip(conditions, trees[: len(whens)], strict=True)
    ]
    otherwise = trees[len(whens)] if default else None
    return Value(exp.Case(this=subject, ifs=ifs, default=otherwise), kind, node)


def _call(node: exp.Expression, scope: Scope) -> Value:
    name = str(node.this).removeprefix(CALL_MARK)
    if name in AGGREGATES:
        return _aggregate(node, scope, None)
    arguments = [rewrite(argument, scope) for argument in node.expressions]
    value = call_function(Call(name, arguments, node))
    within_limit(value.tree)
    return value


def _aggregate(node: exp.Expression, scope: Scope, where: exp.Expression | None) -> Value:
    name = str(node.this).removeprefix(CALL_MARK)
    if not scope.aggregating:
        raise FragmentError(f"{name}() stands inside another aggregate", offset_of(node))
    inside = replace(scope, aggregating=False)
    arguments: list[exp.Expression] = node.expressions
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = arguments[0].expressions
    values = [rewrite(argument, inside) for argument in arguments]
    condition = fit(rewrite(where, inside), "boolean", "WHERE") if where is not None else None
    return aggregate(Call(name, values, node), Counted(distinct, condition))


def _filter(node: exp.Expression, scope: Scope) -> Value:
    called, where = node.this, node.expression
    is_call = (
        isinstance(called, exp.Anonymous) and called.name.removeprefix(CALL_MARK) in AGGREGATES
    )
    if not is_call or not isinstance(where, exp.Where):
        raise FragmentError("FILTER is allowed only after an aggregate", offset_of(node))
    return _aggregate(called, scope, where.this)


_ARGUMENTS: Final = frozenset(
    {"this", "expression", "expressions", "is_string", "low", "high", "ifs", "default", "to"}
)
_MORE_ARGUMENTS: Final[Mapping[type[exp.Expression], frozenset[str]]] = {
    exp.Div: frozenset({"typed", "safe"}),
    exp.DPipe: frozenset({"safe"}),
    exp.Like: frozenset({"negate"}),
    exp.ILike: frozenset({"negate"}),
    exp.In: frozenset({"field"}),
}

_Handler = Callable[[exp.Expression, Scope], Value]
_Link = Callable[[exp.Expression, Value, Value], Value]

_SIGNS: Final[Mapping[type[exp.Expression], str]] = {
    exp.Add: "'+'",
    exp.Sub: "'-'",
    exp.Mul: "'*'",
    exp.Div: "'/'",
    exp.Mod: "'%'",
}

_CHAINED: Final[Mapping[type[exp.Expression], _Link]] = {
    **dict.fromkeys(_SIGNS, _arithmetic),
    exp.DPipe: _joined,
    exp.And: _connected,
    exp.Or: _connected,
}

_HANDLERS: Final[Mapping[type[exp.Expression], _Handler]] = {
    exp.Paren: _paren,
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Boolean: _boolean,
    exp.Cast: _time,
    exp.Neg: _negated,
    exp.Not: _not,
    **dict.fromkeys(_CHAINED, _chain),
    **dict.fromkeys([exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE], _compared),
    exp.In: _in,
    exp.Between: _between,
    exp.Is: _is,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Case: _case,
    exp.Anonymous: _call,
    exp.Filter: _filter,
}
