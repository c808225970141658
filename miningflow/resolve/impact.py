"""What the removal of a feature, or of a column, would do to a case."""

from __future__ import annotations

from miningflow.errors import Mistake, PlanError, suggestion
from miningflow.read.case import ConnectionText
from miningflow.resolve.bound import BoundCase
from miningflow.resolve.effects import Impact
from miningflow.resolve.removal import Removal


def feature_impact(bound: BoundCase, what: str, connection: ConnectionText | None) -> Impact:
    """Says what the removal of `Concept.feature` would do."""
    concept, _, feature = what.partition(".")
    concept = bound.chains.get(concept, concept)
    known = [*bound.sources, *(n for n, s in bound.steps.items() if not s.hidden)]
    if concept not in known or not feature:
        hint = suggestion(concept, known, "concepts and steps")
        raise PlanError(Mistake(f"{what!r} names no feature; write Concept.feature", None, hint))
    features = bound.concept(concept).features
    if feature not in features:
        hint = suggestion(feature, features, "features")
        raise PlanError(Mistake(f"there is no feature {feature!r} in {concept!r}", None, hint))
    return Removal(bound, {concept: {feature}}, connection).impact()


def column_impact(bound: BoundCase, what: str, connection: ConnectionText) -> Impact:
    """Says what the removal of a column would do; written `table.column` or `file.column`."""
    removed: dict[str, set[str]] = {}
    known: list[str] = []
    for name, source in connection.sources.items():
        at = source.table or source.file
        if at is None or name not in bound.sources:
            continue
        for feature in bound.sources[name].features:
            column = source.columns[feature].text if feature in source.columns else feature
            if source.number_rows is not None and source.number_rows.text == feature:
                continue
            known.append(f"{at.text}.{column}")
            if known[-1].casefold() == what.casefold():
                removed.setdefault(name, set()).add(feature)
    if not removed:
        hint = suggestion(what, known, "columns")
        raise PlanError(Mistake(f"no concept reads the column {what!r}", connection.place, hint))
    return Removal(bound, removed, connection).impact()
