"""Number functions of expressions, guarded so that every engine returns the same value."""

from __future__ import annotations

import math

from sqlglot import exp

from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.values import Value, bare, cases, offset_of, operand
from miningflow.sql.literals import double

# Below, EXP underflows on PostgreSQL with an error; above, it overflows everywhere.
SMALLEST_EXPONENT = -600.0
LARGEST_EXPONENT = 700.0
# From here on a double has no fraction left to round.
ALL_WHOLE = 2.0**52


def divided(dividend: exp.Expression, divisor: exp.Expression) -> exp.Expression:
    """Divides doubles; NULL where the divisor is zero."""
    # typed and safe keep sqlglot from adding casts: these are doubles, and guarded already.
    return exp.Div(this=dividend, expression=nonzero(divisor), typed=True, safe=False)


def nonzero(tree: exp.Expression) -> exp.Expression:
    """Turns zero into NULL."""
    core = bare(tree)
    if isinstance(core, exp.Literal) and float(core.this) != 0:
        return tree
    if isinstance(core, exp.Nullif) and core.expression == double(0):
        return tree
    return exp.Nullif(this=core.copy(), expression=double(0))


def remainder(dividend: exp.Expression, divisor: exp.Expression) -> exp.Expression:
    """Takes the remainder with the sign of the dividend; PostgreSQL has no % for doubles."""
    size = _abs(divisor)
    quotient = exp.Floor(this=divided(_abs(dividend), size.copy()))
    rest = exp.Sub(this=_abs(dividend), expression=exp.Mul(this=size, expression=quotient))
    sign = exp.Sign(this=dividend.copy())
    return exp.Paren(this=sign * exp.Paren(this=rest))


def _abs(tree: exp.Expression) -> exp.Expression:
    core = bare(tree)
    return core.copy() if isinstance(core, exp.Literal) else exp.Abs(this=core.copy())


def absolute(x: exp.Expression) -> exp.Expression:
    """ABS."""
    return exp.Abs(this=x)


def exponential(x: exp.Expression) -> exp.Expression:
    """EXP; 0 below -600 and NULL above 700, where engines underflow or overflow."""
    return cases(
        (exp.LT(this=x.copy(), expression=double(SMALLEST_EXPONENT)), double(0)),
        (exp.GT(this=x.copy(), expression=double(LARGEST_EXPONENT)), exp.null()),
        otherwise=exp.Exp(this=x),
    )


def logarithm(x: exp.Expression) -> exp.Expression:
    """The natural logarithm; NULL unless x is positive."""
    return cases((exp.GT(this=x.copy(), expression=double(0)), exp.Ln(this=x)))


def decimal_logarithm(x: exp.Expression) -> exp.Expression:
    """LN(x) / LN(10): LOG means base 10 on one engine and e on another."""
    return exp.Paren(this=divided(logarithm(x), double(math.log(10))))


def square_root(x: exp.Expression) -> exp.Expression:
    """SQRT; NULL of a negative number."""
    return cases((exp.GTE(this=x.copy(), expression=double(0)), exp.Sqrt(this=x)))


def floor(x: exp.Expression) -> exp.Expression:
    """FLOOR as a double; Spark returns a whole number."""
    return exp.cast(exp.Floor(this=x), "DOUBLE")


def ceiling(x: exp.Expression) -> exp.Expression:
    """CEIL as a double; Spark returns a whole number."""
    return exp.cast(exp.Ceil(this=x), "DOUBLE")


def sign(x: exp.Expression) -> exp.Expression:
    """SIGN as a double; DuckDB returns a TINYINT."""
    return exp.cast(exp.Sign(this=x), "DOUBLE")


def rounded(x: exp.Expression, digits: int = 0) -> exp.Expression:
    """Rounds half away from zero; PostgreSQL's own ROUND goes half to even on doubles."""
    scale = 10.0**digits
    scaled = exp.Mul(this=operand(x), expression=double(scale)) if digits else operand(x)
    up = floor(exp.Add(this=scaled, expression=double(0.5)))
    down = ceiling(exp.Sub(this=scaled.copy(), expression=double(0.5)))
    whole = cases(
        (exp.Abs(this=x.copy()) >= double(ALL_WHOLE / scale), x.copy()),
        (exp.LT(this=x.copy(), expression=double(0)), _unscaled(down, scale)),
        otherwise=_unscaled(up, scale),
    )
    return whole


def _unscaled(tree: exp.Expression, scale: float) -> exp.Expression:
    return tree if scale == 1 else divided(tree, double(scale))


def power(x: exp.Expression, y: Value, exponent: exp.Expression) -> exp.Expression:
    """POWER; NULL for 0 to a negative power and for a fractional power of a negative number.

    As with EXP, a result below e^-600 is 0 and one above e^700 is NULL.
    """
    constant = _constant(y.source)
    if constant in (2.0, 3.0) and isinstance(bare(x), exp.Column):
        # Some engines compute POWER(x, 2) through logarithms; a product is exact and faster.
        square = exp.Mul(this=x.copy(), expression=x.copy())
        product = square if constant == 2 else exp.Mul(this=square, expression=x.copy())
        return exp.Paren(this=product)
    result = exp.Pow(this=x.copy(), expression=exponent.copy())
    refused: list[tuple[exp.Expression, exp.Expression]] = []
    if constant is None or constant < 0:
        zero = exp.EQ(this=x.copy(), expression=double(0))
        below = exp.LT(this=exponent.copy(), expression=double(0))
        refused.append((zero if constant else _both(zero, below), exp.null()))
    if constant is None or constant != math.floor(constant):
        negative = exp.LT(this=x.copy(), expression=double(0))
        broken = exp.NEQ(this=exponent.copy(), expression=exp.Floor(this=exponent.copy()))
        refused.append((negative if constant else _both(negative, broken), exp.null()))
    size = exp.Ln(this=nonzero(exp.Abs(this=x.copy())))
    logarithm_of_result = exp.Mul(this=operand(exponent), expression=size)
    low = exp.LT(this=logarithm_of_result, expression=double(SMALLEST_EXPONENT))
    high = exp.GT(this=logarithm_of_result.copy(), expression=double(LARGEST_EXPONENT))
    return cases(*refused, (low, double(0)), (high, exp.null()), otherwise=result)


def _both(first: exp.Expression, second: exp.Expression) -> exp.Expression:
    return exp.And(this=first, expression=second)


def _constant(source: exp.Expression) -> float | None:
    core = bare(source)
    if isinstance(core, exp.Neg):
        inner = _constant(core.this)
        return None if inner is None else -inner
    return float(core.this) if isinstance(core, exp.Literal) and not core.is_string else None


def whole_literal(value: Value, what: str, lowest: int, highest: int) -> int:
    """Reads a whole number that must stand literally in the expression."""
    literal = value.literal
    if literal is not None and not literal.is_string and str(literal.this).isdecimal():
        number = int(literal.this)
        if lowest <= number <= highest:
            return number
    raise FragmentError(
        f"{what} must be a whole number from {lowest} to {highest}, written out",
        offset_of(value.source),
    )
