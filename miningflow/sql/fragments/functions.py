"""The functions an expression may call: a name, how many arguments, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from miningflow.sql.fragments import numbers, texts, times
from miningflow.sql.fragments.fragment_error import FragmentError, did_you_mean
from miningflow.sql.fragments.values import Value, bare, fit, offset_of, quoted, unify

LONGEST_SUBSTRING = 2**31 - 1


@dataclass(frozen=True)
class Call:
    """A call of a function with its checked arguments."""

    name: str
    arguments: Sequence[Value]
    source: exp.Expression

    def value(self, index: int, wanted: str) -> exp.Expression:
        """Returns the argument as a value of the wanted type."""
        return bare(fit(self.arguments[index], wanted, f"{self.name}()"))

    def result(self, tree: exp.Expression, kind: str) -> Value:
        """Returns the outcome of the call."""
        return Value(tree, kind, self.source)


@dataclass(frozen=True)
class Function:
    """A function as it is written, and its translation."""

    usage: str
    fewest: int
    most: int | None
    translate: Callable[[Call], Value]


def call_function(call: Call) -> Value:
    """Translates a call, or raises an error that shows how the function is written."""
    function = FUNCTIONS[call.name]
    count = len(call.arguments)
    if count < function.fewest or (function.most is not None and count > function.most):
        raise FragmentError(
            f"{call.name}() does not take {count} argument{'' if count == 1 else 's'}",
            offset_of(call.source),
            f"write {function.usage}",
        )
    return function.translate(call)


def _of_one(
    wanted: str, kind: str, build: Callable[[exp.Expression], exp.Expression]
) -> Callable[[Call], Value]:
    return lambda call: call.result(build(call.value(0, wanted)), kind)


def _round(call: Call) -> Value:
    digits = 0
    if len(call.arguments) == 2:
        digits = numbers.whole_literal(call.arguments[1], "the number of digits", 0, 15)
    return call.result(numbers.rounded(call.value(0, "numeric"), digits), "numeric")


def _power(call: Call) -> Value:
    base, exponent = call.value(0, "numeric"), call.value(1, "numeric")
    return call.result(numbers.power(base, call.arguments[1], exponent), "numeric")


def _extreme(node: type[exp.Greatest] | type[exp.Least]) -> Callable[[Call], Value]:
    def translate(call: Call) -> Value:
        kind, trees = unify(call.arguments, "mixed")
        if kind not in ("numeric", "time"):
            # Text order depends on the collation of the engine.
            raise FragmentError(
                f"{call.name}() wants numeric or time arguments, not {quoted(call.source)}",
                offset_of(call.source),
            )
        # All engines leave NULLs out of GREATEST and LEAST; so does this.
        tree = node(this=trees[0], expressions=trees[1:], ignore_nulls=True)
        return call.result(tree, kind)

    return translate


def _coalesce(call: Call) -> Value:
    kind, trees = unify(call.arguments, "mixed")
    return call.result(exp.Coalesce(this=trees[0], expressions=trees[1:]), kind)


def _nullif(call: Call) -> Value:
    kind, trees = unify(call.arguments, "compared")
    if kind == "null":
        return call.result(exp.null(), "null")
    return call.result(exp.Nullif(this=trees[0], expression=trees[1]), kind)


def _substring(call: Call) -> Value:
    sizes = [
        numbers.whole_literal(argument, what, lowest, LONGEST_SUBSTRING)
        for argument, what, lowest in zip(
            call.arguments[1:], ("the start", "the length"), (1, 0), strict=False
        )
    ]
    size = sizes[1] if len(sizes) == 2 else None
    return call.result(texts.part(call.value(0, "nominal"), sizes[0], size), "nominal")


def _replace(call: Call) -> Value:
    old = call.arguments[1].literal
    if old is None or not old.is_string or not old.this:
        # Engines disagree on an empty text to replace.
        raise FragmentError(
            "replace() wants a text in quotes, not empty, to look for",
            offset_of(call.arguments[1].source),
        )
    tree = texts.replaced(call.value(0, "nominal"), str(old.this), call.value(2, "nominal"))
    return call.result(tree, "nominal")


def _concat(call: Call) -> Value:
    parts = [call.value(index, "nominal") for index in range(len(call.arguments))]
    return call.result(texts.joined(parts), "nominal")


def _time_part(unit: str) -> Callable[[Call], Value]:
    return lambda call: call.result(times.part_of_time(unit, call.value(0, "time")), "numeric")


def _date_diff(call: Call) -> Value:
    literal = call.arguments[0].literal
    unit = str(literal.this).lower() if literal is not None and literal.is_string else ""
    if unit not in times.PARTS:
        raise FragmentError(
            f"date_diff() wants a unit first{did_you_mean(unit, times.PARTS)}",
            offset_of(call.arguments[0].source),
            "units are: " + ", ".join(f"'{part}'" for part in times.PARTS),
        )
    tree = times.difference(unit, call.value(1, "time"), call.value(2, "time"))
    return call.result(tree, "numeric")


def _days_between(call: Call) -> Value:
    return call.result(times.days_between(call.value(0, "time"), call.value(1, "time")), "numeric")


def _numeric(name: str, build: Callable[[exp.Expression], exp.Expression]) -> Function:
    return Function(f"{name}(x)", 1, 1, _of_one("numeric", "numeric", build))


_POWER: Final = Function("power(x, y)", 2, 2, _power)
_SUBSTRING: Final = Function("substring(text, start, length)", 2, 3, _substring)
_CEILING: Final = _numeric("ceil", numbers.ceiling)

FUNCTIONS: Final[Mapping[str, Function]] = {
    "abs": _numeric("abs", numbers.absolute),
    "exp": _numeric("exp", numbers.exponential),
    "ln": _numeric("ln", numbers.logarithm),
    "log10": _numeric("log10", numbers.decimal_logarithm),
    "sqrt": _numeric("sqrt", numbers.square_root),
    "power": _POWER,
    "pow": _POWER,
    "round": Function("round(x) or round(x, digits)", 1, 2, _round),
    "floor": _numeric("floor", numbers.floor),
    "ceil": _CEILING,
    "ceiling": _CEILING,
    "sign": _numeric("sign", numbers.sign),
    "greatest": Function("greatest(x, y, …)", 2, None, _extreme(exp.Greatest)),
    "least": Function("least(x, y, …)", 2, None, _extreme(exp.Least)),
    "coalesce": Function("coalesce(x, y, …)", 2, None, _coalesce),
    "nullif": Function("nullif(x, y)", 2, 2, _nullif),
    "lower": Function("lower(text)", 1, 1, _of_one("nominal", "nominal", texts.lowered)),
    "upper": Function("upper(text)", 1, 1, _of_one("nominal", "nominal", texts.uppered)),
    "trim": Function("trim(text)", 1, 1, _of_one("nominal", "nominal", texts.trimmed)),
    "length": Function("length(text)", 1, 1, _of_one("nominal", "numeric", texts.length)),
    "substring": _SUBSTRING,
    "substr": _SUBSTRING,
    "concat": Function("concat(text, text, …)", 2, None, _concat),
    "replace": Function("replace(text, 'old', 'new')", 3, 3, _replace),
    **{unit: Function(f"{unit}(time)", 1, 1, _time_part(unit)) for unit in times.PARTS},
    "weekday": Function("weekday(time)", 1, 1, _of_one("time", "numeric", times.weekday)),
    "date_diff": Function("date_diff('day', start, end)", 3, 3, _date_diff),
    "days_between": Function("days_between(start, end)", 2, 2, _days_between),
}
