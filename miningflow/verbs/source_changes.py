"""Which columns of a source came or went since its concept was written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from miningflow.declare.concept import Concept
from miningflow.engines.column_names import matching_columns
from miningflow.read.left_out import LeftOut
from miningflow.store.sources import SourceLocation


@dataclass(frozen=True)
class SourceChanges:
    """How the columns of a source differ from the features of its concept."""

    came: tuple[str, ...]
    """Columns that no feature has, and that are not left out on purpose."""
    went: Mapping[str, str]
    """Feature → its column, which is not there."""


def source_changes(
    concept: Concept, location: SourceLocation, columns: Collection[str], unwanted: LeftOut
) -> SourceChanges:
    """Compares the columns of a source with the features of its concept."""
    used: set[str] = set()
    went: dict[str, str] = {}
    for feature in concept.features:
        if feature == location.numbered:
            continue
        found = matching_columns(location.column(feature), columns)
        used |= set(found)
        if not found:
            went[feature] = location.column(feature)
    came = tuple(c for c in columns if c not in used and not unwanted.has(c))
    return SourceChanges(came, went)
