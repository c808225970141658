"""What the removal of a feature, or of a column, would do to a case."""

from __future__ import annotations

from miningflow.errors import Diagnostic, PlanError, listed, suggestion
from miningflow.read.case import ConnectionText
from miningflow.resolve.bound import BoundCase
from miningflow.resolve.effects import Impact
from miningflow.resolve.lookup import find_node, written_name
from miningflow.resolve.removal import Removal


def feature_impact(bound: BoundCase, what: str, connection: ConnectionText | None) -> Impact:
    """Returns what the removal of `Concept.feature` would do."""
    name, _, feature = what.partition(".")
    concept = written_name(find_node(name, bound), bound)
    features = bound.concept(concept).features
    if not feature:
        hint = f"write {concept}.feature; it has {listed(features)}"
        raise PlanError(Diagnostic(f"{what!r} does not name a feature", None, hint))
    if feature not in features:
        hint = suggestion(feature, features, "features")
        raise PlanError(Diagnostic(f"there is no feature {feature!r} in {concept!r}", None, hint))
    return Removal(bound, {concept: {feature}}, connection).impact()


def column_impact(bound: BoundCase, what: str, connection: ConnectionText) -> Impact:
    """Returns what the removal of a column would do; written `table.column` or `file.column`."""
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
        raise PlanError(Diagnostic(f"no concept reads the column {what!r}", connection.place, hint))
    return Removal(bound, removed, connection).impact()
