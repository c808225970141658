"""`impact`: what the removal of a feature or column would do. Needs no data."""

from __future__ import annotations

from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.resolve.effects import Impact
from miningflow.resolve.impact import column_impact, feature_impact
from miningflow.store.opening import needed


def impact(
    bound: BoundCase, connection: ConnectionText | None, what: str, column: bool = False
) -> Impact:
    """Returns what the removal of `Concept.feature`, or of `table.column`, would do."""
    if column:
        return column_impact(bound, what, needed(bound.case, connection))
    return feature_impact(bound, what, connection)
