"""SQL expressions of a case: parsed, checked against the features, never pasted.

An expression is split into tokens (`tokens`), parsed by sqlglot as one expression, and
rewritten node by node (`rewrite`). What is not on a list is refused, so no expression
reaches outside the concept it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects import DuckDB
from sqlglot.errors import ParseError

from miningflow.sql.fragments.aggregates import AGGREGATES
from miningflow.sql.fragments.fragment_error import FragmentError
from miningflow.sql.fragments.functions import FUNCTIONS
from miningflow.sql.fragments.rewrite import Scope, rewrite
from miningflow.sql.fragments.tokens import (
    DEEPEST_NESTING,
    CleanTokens,
    Gate,
    read_tokens,
    too_deep,
)
from miningflow.sql.fragments.values import bare, described, within_limit
from miningflow.sql.fragments.words import CALL_MARK

__all__ = ["Fragment", "FragmentError", "parse_aggregate", "parse_condition", "parse_expression"]


@dataclass(frozen=True)
class Fragment:
    """A safe expression: its tree for every engine, its type, and the features it uses."""

    text: str
    tree: exp.Expression
    type: str
    features: tuple[str, ...]


def parse_expression(text: str, features: Mapping[str, str]) -> Fragment:
    """Reads an expression over the features of one row, of any type."""
    return _parse(text, features, aggregating=False)


def parse_condition(text: str, features: Mapping[str, str]) -> Fragment:
    """Reads an expression that is true or false for one row."""
    return _parse(text, features, aggregating=False, wanted="boolean")


def parse_aggregate(text: str, features: Mapping[str, str]) -> Fragment:
    """Reads an expression over many rows: an aggregate, or a computation with aggregates."""
    return _parse(text, features, aggregating=True)


def _parse(
    text: str, features: Mapping[str, str], aggregating: bool, wanted: str | None = None
) -> Fragment:
    try:
        clean = read_tokens(text, Gate(features, FUNCTIONS, AGGREGATES, aggregating))
        source = _parse_tokens(clean, text)
        _refuse_depth(source)
        value = rewrite(source, Scope(features, aggregating))
        tree = within_limit(bare(value.tree)).copy()
        if wanted is not None and value.type != wanted:
            raise FragmentError(
                f"a condition must be true or false, {described(value)}",
                0,
                "compare it with something",
            )
    except RecursionError:
        # The caller may have used up most of the stack already.
        raise too_deep() from None
    if value.type == "null":
        raise FragmentError("the expression is always NULL, so it has no type", 0)
    if aggregating and tree.find(exp.AggFunc) is None:
        raise FragmentError(
            "an aggregate is missing", 0, f"aggregates are: {', '.join(AGGREGATES)}"
        )
    return Fragment(text, tree, value.type, clean.features)


def _parse_tokens(clean: CleanTokens, text: str) -> exp.Expression:
    try:
        trees: list[exp.Expression | None] = (
            DuckDB().parser().parse_into(exp.Condition, clean.tokens, text)
        )
    except ParseError as error:
        raise _unreadable(error, clean, text) from None
    tree = trees[0] if len(trees) == 1 else None
    if tree is None:
        raise FragmentError("this is not one expression", 0)
    return tree


def _unreadable(error: ParseError, clean: CleanTokens, text: str) -> FragmentError:
    """Returns near which word the parser gave up; its own messages name its classes."""
    place = error.errors[0] if error.errors else {}
    near = [
        token
        for token in clean.tokens
        if (token.line, token.col) == (place.get("line"), place.get("col"))
    ]
    if not near:
        return FragmentError("this is not an expression", 0)
    word = text[near[0].start : near[0].end + 1].replace(CALL_MARK, "")
    return FragmentError(f"the expression cannot be read near '{word}'", near[0].start)


def _refuse_depth(tree: exp.Expression) -> None:
    level = [tree]
    for _ in range(DEEPEST_NESTING + 1):
        level = [child for node in level for child in node.iter_expressions()]
        if not level:
            return
    raise too_deep()
