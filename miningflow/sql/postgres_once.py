"""Expressions for PostgreSQL that mention a value once: it computes every mention again."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.literals import double

# No value that is still computed with is as large as this bound, so none is equal to it.
FAR_AWAY = 1e100


def mentioned_once(node: exp.Expression) -> exp.Expression:
    """Rewrites a CASE that only asks whether a value is finite, or on which side of zero.

    Other ranges are those of a user: their bounds belong to them, which `in_range` leaves out.
    """
    if not isinstance(node, exp.Case) or node.this is not None or node.args.get("default"):
        return node
    ranges = [_range(choice) for choice in node.args["ifs"]]
    known = [r for r in ranges if r is not None]
    if len(known) != len(ranges) or any(value != known[0][0] for value, _, _ in known):
        return node
    value = known[0][0]
    is_finite = len(known) == 1 and all(map(_is_far_away, known[0][1:]))
    if is_finite and node.args["ifs"][0].args["true"] == value:
        return in_range(value, known[0][1], known[0][2])
    if len(known) == 2 and sorted(_side(low, high) for _, low, high in known) == [-1, 1]:
        return _by_sign(node, value, known)
    return node


def in_range(value: exp.Expression, low: exp.Expression, high: exp.Expression) -> exp.Expression:
    """Returns a value, and NULL for one that is NULL, NaN, a bound or not between the bounds.

    GREATEST and LEAST leave NULL out, and NaN is the greatest of all.
    """
    above = exp.Greatest(this=value.copy(), expressions=[low.copy()], ignore_nulls=True)
    within = exp.Least(this=above, expressions=[high.copy()], ignore_nulls=True)
    below = exp.Nullif(this=within, expression=high.copy())
    return exp.Nullif(this=below, expression=low.copy())


def _range(
    choice: exp.Expression,
) -> tuple[exp.Expression, exp.Expression, exp.Expression] | None:
    condition = choice.this
    if not isinstance(condition, exp.Between):
        return None
    return condition.this, condition.args["low"], condition.args["high"]


def _side(low: exp.Expression, high: exp.Expression) -> int:
    """Returns 1 for all numbers from zero up, -1 for those down from zero, 0 for other ranges."""
    if _is_zero(low) and _is_far_away(high):
        return 1
    return -1 if _is_zero(high) and _is_far_away(low) else 0


def _is_zero(tree: exp.Expression) -> bool:
    return isinstance(tree, exp.Literal) and not tree.is_string and float(tree.name) == 0


def _is_far_away(tree: exp.Expression) -> bool:
    bare = tree.this if isinstance(tree, exp.Neg) else tree
    is_number = isinstance(bare, exp.Literal) and not bare.is_string
    return is_number and float(bare.name) >= FAR_AWAY


def _by_sign(
    node: exp.Case,
    value: exp.Expression,
    known: list[tuple[exp.Expression, exp.Expression, exp.Expression]],
) -> exp.Expression:
    results = {
        _side(low, high): choice.args["true"]
        for (_, low, high), choice in zip(known, node.args["ifs"], strict=True)
    }
    first = node.args["ifs"][0].args["true"]  # which zero goes to
    lowest = next(low for _, low, high in known if _side(low, high) < 0)
    highest = next(high for _, low, high in known if _side(low, high) > 0)
    sign = exp.Sign(this=in_range(value, lowest, highest))
    cases = {1: results[1], 0: first, -1: results[-1]}
    return exp.Case(
        this=sign,
        ifs=[exp.If(this=double(number), true=result.copy()) for number, result in cases.items()],
    )
