"""Counts, in one query, what the rows have that a model is applied to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from miningflow.declare.operator import ScoreNeeds
from miningflow.learn.encoding import NominalPredictor, NumericPredictor, Predictor
from miningflow.sql.conditions import is_known, is_null, when
from miningflow.sql.literals import column, double, text
from miningflow.warn.of_scores import ScoredRows

# A longer list of values in a query takes longer to parse than it is worth.
MOST_CATEGORIES = 2000


def scored_row_counts(needs: ScoreNeeds) -> dict[str, exp.Expression]:
    """Returns the aggregates to compute over the rows that a model is applied to."""
    found: dict[str, exp.Expression] = {"rows": exp.Count(this=exp.Star())}
    conditions: list[exp.Expression] = []
    for i, predictor in enumerate(needs.encoding.predictors):
        if predictor.name not in needs.used:
            continue
        found[f"known {i}"] = _count(_usable(predictor))
        if isinstance(predictor, NumericPredictor):
            conditions.append(_or_null(_usable(predictor), predictor, needs))
            if needs.standardized:
                value = when(_usable(predictor), column(predictor.name))
                found[f"mean {i}"] = exp.Avg(this=value)
        elif 0 < len(predictor.categories) <= MOST_CATEGORIES:
            found[f"seen {i}"] = _count(_seen(predictor))
            decisive = _seen(predictor) if _needs_seen(predictor) else _usable(predictor)
            conditions.append(_or_null(decisive, predictor, needs))
    if conditions:
        found["scored"] = _count(exp.and_(*conditions, copy=False))
    return found


def scored_rows(needs: ScoreNeeds, counts: Mapping[str, Any]) -> ScoredRows:
    """Makes what the query found of the counts."""
    rows = int(counts["rows"])
    missing: dict[str, int] = {}
    unseen: dict[str, int] = {}
    unscored: dict[str, int] = {}
    shifts: dict[str, float] = {}
    for i, predictor in enumerate(needs.encoding.predictors):
        if predictor.name not in needs.used:
            continue
        known = int(counts[f"known {i}"])
        if known < rows and not needs.null_is_fine:
            missing[predictor.name] = rows - known
        if f"seen {i}" in counts and known > counts[f"seen {i}"]:
            unseen[predictor.name] = known - int(counts[f"seen {i}"])
            if isinstance(predictor, NominalPredictor) and _needs_seen(predictor):
                unscored[predictor.name] = unseen[predictor.name]
        mean = counts.get(f"mean {i}")
        if isinstance(predictor, NumericPredictor) and mean is not None:
            shifts[predictor.name] = (float(mean) - predictor.mean) / predictor.scale
    without = rows - int(counts.get("scored", rows))
    return ScoredRows(rows, without, missing, unseen, unscored, shifts)


def _usable(predictor: Predictor) -> exp.Expression:
    if isinstance(predictor, NumericPredictor):
        # NaN is greater than any number to databases, and infinity too.
        return exp.Abs(this=column(predictor.name)) <= double(sys.float_info.max)
    return is_known(column(predictor.name))


def _seen(predictor: NominalPredictor) -> exp.Expression:
    categories = [text(category) for category in predictor.categories]
    return exp.In(this=column(predictor.name), expressions=categories)


def _needs_seen(predictor: NominalPredictor) -> bool:
    """Returns whether a value that was not learned means no score: it has no code."""
    return len(predictor.categories) < 3


def _or_null(condition: exp.Expression, predictor: Predictor, needs: ScoreNeeds) -> exp.Expression:
    if not needs.null_is_fine:
        return condition
    return exp.Paren(this=exp.or_(condition, is_null(column(predictor.name)), copy=False))


def _count(condition: Any) -> exp.Expression:
    return exp.Count(this=when(condition, exp.Literal.number(1)))
