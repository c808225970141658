"""Answers queries of a step that learns from statistics stored of the very same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from miningflow.declare.concept_statistics import ConceptStatistics, FeatureStatistics

NOT_STORED: Any = object()


@dataclass(frozen=True)
class StatisticsLookup:
    """Answers queries on training rows from their statistics, or with `NOT_STORED`."""

    statistics: ConceptStatistics

    def aggregate(self, tree: exp.Expression) -> Any:
        """Returns an aggregate of one column, as the database would compute it."""
        if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star):
            return self.statistics.rows
        column = tree.this if isinstance(tree.this, exp.Column) else None
        feature = self.statistics.of(column.name) if column is not None else None
        if feature is None:
            return NOT_STORED
        if isinstance(tree, exp.Count):
            return self.statistics.rows - feature.missing
        if feature.type != "numeric" or feature.not_finite:
            return NOT_STORED
        match tree:
            case exp.Avg():
                return feature.mean
            case exp.Min():
                return feature.minimum
            case exp.Max():
                return feature.maximum
            case exp.Median() if self.statistics.exact:
                return feature.median
        return NOT_STORED

    def groups(
        self, by: Sequence[str], expressions: Mapping[str, exp.Expression], most: int
    ) -> list[dict[str, Any]] | None:
        """Returns how often each value of one nominal feature occurs, if all are stored."""
        feature = self.statistics.of(by[0]) if len(by) == 1 else None
        counts = all(
            isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star)
            for tree in expressions.values()
        )
        if feature is None or not counts or not _has_all(feature, self.statistics.rows):
            return None
        values: list[tuple[str | None, int]] = [*sorted(feature.top)]
        if feature.missing:
            values.append((None, feature.missing))
        return [{by[0]: v, **dict.fromkeys(expressions, n)} for v, n in values[:most]]


def _has_all(feature: FeatureStatistics, rows: int) -> bool:
    counted = sum(n for _, n in feature.top)
    return feature.type in ("nominal", "binary") and counted + feature.missing == rows
