"""The aggregates an expression may hold: sum, avg, min, max, count and stddev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.functions import Call
from miningflow.sql.fragments.values import Value, bare, described, offset_of

AGGREGATES: Final = ("sum", "avg", "min", "max", "count", "stddev")

_OF_NUMBERS: Final[Mapping[str, type[exp.Expression]]] = {
    "sum": exp.Sum,
    "avg": exp.Avg,
    # Named in full: the deviation of the sample, NULL of a single row.
    "stddev": exp.StddevSamp,
}
_OF_ORDERED: Final[Mapping[str, type[exp.Expression]]] = {"min": exp.Min, "max": exp.Max}


@dataclass(frozen=True)
class Counted:
    """How an aggregate reads its rows: distinct values only, or those of a condition only."""

    distinct: bool = False
    condition: exp.Expression | None = None


def aggregate(call: Call, counted: Counted) -> Value:
    """Translates a call of an aggregate."""
    if call.name == "count":
        # COUNT is a whole number, and numeric features are doubles.
        return call.result(exp.cast(_filtered(_count(call, counted), counted), "DOUBLE"), "numeric")
    if len(call.arguments) != 1 or counted.distinct:
        raise _usage(call, f"{call.name}(x)")
    argument = call.arguments[0]
    if call.name in _OF_NUMBERS:
        node = _OF_NUMBERS[call.name](this=call.value(0, "numeric"))
        return call.result(_filtered(node, counted), "numeric")
    if argument.type in ("boolean", "null"):
        raise FragmentError(
            f"{call.name}() wants a number, text, time or key, {described(argument)}",
            offset_of(call.source),
        )
    ordered = _OF_ORDERED[call.name](this=bare(argument.tree))
    return call.result(_filtered(ordered, counted), argument.type)


def _count(call: Call, counted: Counted) -> exp.Expression:
    if not call.arguments and not counted.distinct:
        return exp.Count(this=exp.Star())
    if len(call.arguments) != 1:
        raise _usage(call, "count(), count(x) or count(distinct x)")
    tree = bare(call.arguments[0].tree)
    return exp.Count(this=exp.Distinct(expressions=[tree]) if counted.distinct else tree)


def _filtered(node: exp.Expression, counted: Counted) -> exp.Expression:
    if counted.condition is None:
        return node
    return exp.Filter(this=node, expression=exp.Where(this=counted.condition))


def _usage(call: Call, usage: str) -> FragmentError:
    return FragmentError(
        f"{call.name}() is not written like this", offset_of(call.source), f"write {usage}"
    )
