"""What is said about tables and columns of an exported case."""

from __future__ import annotations

from miningflow.compile.statements import SQL_TYPES
from miningflow.declare.concept import Feature
from miningflow.export.frozen import FrozenCase


def table_description(frozen: FrozenCase, name: str) -> str:
    """Returns what a source or step is, which features have been deselected, and why."""
    about = frozen.about(name)
    said = [about.rstrip(".") + "." if about else "", _made(frozen, name)]
    causes: dict[str, list[str]] = {}
    for feature, cause in frozen.pieces[name].presence.deselected.items():
        why = f"in step {cause.step}: {cause.reason}"
        causes.setdefault(why, []).append(feature)
    said += [f"Deselected {why}: {', '.join(names)}." for why, names in causes.items()]
    return " ".join(" ".join(part.split()) for part in said if part)


def column_description(frozen: FrozenCase, name: str, feature: Feature) -> str:
    """Returns what a column is: its type, its role, and in which segments it is missing."""
    concept, presence = frozen.concept(name), frozen.pieces[name].presence
    said: list[str] = [feature.type]
    if feature.name == concept.key:
        said = ["key: identifies a row"]
    elif any(s.feature == feature.name for s in concept.segmentations):
        said = ["names the segment of a row"]
    operator = frozen.pieces[name].operator
    if operator is not None and feature.name in operator.prediction_features():
        said.append(f"predicted by step {name}")
    for segment, cause in presence.partly.get(feature.name, {}).items():
        said.append(f"NULL in {segment}, where step {cause.step} deselected it")
    return "; ".join(" ".join(part.split()) for part in said)


def data_type(feature: Feature) -> str | None:
    """Returns the SQL type of a feature; a key keeps the type it has in the source."""
    return SQL_TYPES.get(feature.type)


def _made(frozen: FrozenCase, name: str) -> str:
    step = frozen.bound.steps.get(name)
    return f"Made by {type(step.operator).__name__}." if step else "A source, with typed columns."
