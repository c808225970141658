"""Sums as balanced trees: engines limit the depth of expressions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp


def balanced_sum(terms: Sequence[exp.Expression]) -> exp.Expression:
    """Adds terms, half by half."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    right = balanced_sum(terms[middle:])
    return exp.Add(
        this=balanced_sum(terms[:middle]),
        expression=exp.Paren(this=right) if isinstance(right, exp.Add) else right,
    )
