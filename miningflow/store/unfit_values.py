"""Values of a source that do not fit their feature: where the first is, and what to do."""

from __future__ import annotations

from typing import Any

from miningflow.declare.concept import Feature
from miningflow.engines import Session
from miningflow.errors import Diagnostic
from miningflow.store.source_keys import rows_of, values_in
from miningflow.store.sources import SourceLocation


def first_row(
    session: Session, location: SourceLocation, relation: str, raw: str, condition: str
) -> tuple[Any, ...]:
    """Returns the text in the first row that satisfies a condition, and its number."""
    return rows_of(
        session,
        f"SELECT value, row_number FROM (SELECT row_number() OVER () AS row_number, {raw} AS value "
        f"FROM {relation}) WHERE {condition} ORDER BY row_number LIMIT 1",
        location,
    )[0]


def unfit_values(
    feature: Feature, location: SourceLocation, bad: int, first: str, row: int | None = None
) -> Diagnostic:
    """Returns a diagnostic for values that do not fit their feature, with the first of them."""
    where = f"the first is {first!r} in data row {row}" if row else f"one of them is {first!r}"
    return Diagnostic(
        f"{values_in(bad, location.column(feature.name), location.shown)} "
        f"{'does' if bad == 1 else 'do'} not fit "
        f"{location.concept}.{feature.name}: {feature.type}; {where}",
        location.scalar.place,
        _advice(feature, location),
    )


def _advice(feature: Feature, location: SourceLocation) -> str:
    if not location.is_text:
        return "mend the column, or declare the feature as nominal"
    options = {
        "numeric": "say how numbers are written (`decimal: ','`, `thousands: '.'`) or what stands "
        "for a missing one (`null_values: ['NA']`)",
        "time": "say how dates are written (`date_format: '%d.%m.%Y'`)",
    }
    return f"{options[feature.type]}, mend the file, or declare the feature as nominal"
