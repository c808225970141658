"""Declared parameters: what an operator takes, as data that binding, docs and schema share."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from miningflow.declare.concept import Feature
from miningflow.sql.fragments import Fragment

Kind = Literal[
    "concept",
    "concepts",
    "relation",
    "path",
    "feature",
    "features",
    "new_feature",
    "integer",
    "number",
    "interval",
    "intervals",
    "cuts",
    "weights",
    "boolean",
    "choice",
    "literal",
    "literals",
    "literal_map",
    "counts",
    "value_groups",
    "expression",
    "condition",
    "conditions",
    "aggregates",
    "rename",
    "ends",
    "collected",
    "feature_values",
    "feature_labels",
    "export_path",
]

NOT_GIVEN: Any = dataclasses.MISSING


@dataclass(frozen=True)
class Parameter:
    """One declared parameter of an operator."""

    name: str
    kind: Kind
    text: str
    default: Any = NOT_GIVEN
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    of: str = "input"
    """The concept or relation parameter whose features are meant."""
    many: str = ""
    """For a relation or a path: the concept parameter that stands in for what it leads to."""
    fits: str = ""
    """For a literal: the feature parameter that must be able to have this value."""

    @property
    def obligatory(self) -> bool:
        """Says whether a step must give it: it has no default."""
        return self.default is NOT_GIVEN


@dataclass(frozen=True)
class Aggregates:
    """Named aggregates: output feature → aggregate fragment over the many side."""

    items: tuple[tuple[str, Fragment], ...]


@dataclass(frozen=True)
class Conditions:
    """Conditions of the form feature, operator, value; all must hold."""

    items: tuple[tuple[Feature, str, str], ...]


@dataclass(frozen=True)
class Interval:
    """An interval with a label; an end is a number or a time as text, and None where it is open."""

    label: str
    low: float | str | None
    high: float | str | None
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True)
class Intervals:
    """Intervals that do not overlap."""

    items: tuple[Interval, ...]


COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


def concept(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a parameter that names a concept: a source or the output of a step."""
    return _field("concept", text, default)


def concepts(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a parameter that names several concepts."""
    return _field("concepts", text, default, minimum=minimum)


def relation(text: str, many: str = "") -> Any:
    """Declares a parameter that names a relation of the case."""
    return _field("relation", text, many=many)


def path(text: str, many: str = "") -> Any:
    """Declares a list of relations that are followed one after the other from a concept."""
    return _field("path", text, minimum=1, many=many)


def feature(
    text: str, types: Sequence[str] = (), default: Any = NOT_GIVEN, of: str = "input"
) -> Any:
    """Declares a single feature of a concept parameter."""
    return _field("feature", text, default, types=tuple(types), of=of)


def features(
    text: str,
    types: Sequence[str] = (),
    minimum: int = 1,
    default: Any = NOT_GIVEN,
    of: str = "input",
) -> Any:
    """Declares a list of features; the minimum is what must remain after deselection."""
    return _field("features", text, default, types=tuple(types), minimum=minimum, of=of)


def new_feature(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares the name of a feature that the operator makes."""
    return _field("new_feature", text, default)


def integer(
    text: str, default: Any = NOT_GIVEN, minimum: int | None = None, maximum: int | None = None
) -> Any:
    """Declares a whole number."""
    return _field("integer", text, default, minimum=minimum, maximum=maximum)


def number(
    text: str, default: Any = NOT_GIVEN, minimum: float | None = None, maximum: float | None = None
) -> Any:
    """Declares a number."""
    return _field("number", text, default, minimum=minimum, maximum=maximum)


def interval(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a pair [low, high] with low < high."""
    return _field("interval", text, default)


def intervals(text: str, types: Sequence[str]) -> Any:
    """Declares a map from labels to intervals of numbers or times, such as '[0, 18)'."""
    return _field("intervals", text, types=tuple(types))


def cuts(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of numbers, each greater than the one before."""
    return _field("cuts", text, default, minimum=minimum)


def weights(text: str, minimum: int = 1) -> Any:
    """Declares a list of numbers that add up to 1."""
    return _field("weights", text, minimum=minimum)


def boolean(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares true or false."""
    return _field("boolean", text, default)


def choice(text: str, choices: Sequence[str], default: Any = NOT_GIVEN) -> Any:
    """Declares one of several words."""
    return _field("choice", text, default, choices=tuple(choices))


def literal(text: str, default: Any = NOT_GIVEN, fits: str = "") -> Any:
    """Declares a value of a feature, taken exactly as it is written in the file."""
    return _field("literal", text, default, fits=fits)


def literals(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of values of a feature, taken exactly as they are written."""
    return _field("literals", text, default, minimum=minimum)


def literal_map(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from values to values, taken exactly as they are written."""
    return _field("literal_map", text, default)


def counts(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from values, taken exactly as they are written, to whole numbers from 1."""
    return _field("counts", text, default)


def value_groups(text: str) -> Any:
    """Declares a map from labels to lists of values, each value in one of them."""
    return _field("value_groups", text)


def expression(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a SQL expression over the features of a concept parameter."""
    return _field("expression", text, default, of=of)


def condition(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a SQL condition over the features of a concept parameter."""
    return _field("condition", text, default, of=of)


def conditions(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a list of {feature, operator, value}."""
    return _field("conditions", text, default, of=of)


def aggregates(text: str, of: str, minimum: int = 1) -> Any:
    """Declares a map from new features to aggregates over a concept parameter."""
    return _field("aggregates", text, of=of, minimum=minimum)


def rename(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from `Concept.feature` to a new name."""
    return _field("rename", text, default)


def ends(text: str, of: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of `Concept.feature`, one for each concept of a concepts parameter."""
    return _field("ends", text, default, of=of)


def collected(text: str, of: str, minimum: int = 1) -> Any:
    """Declares `Concept.feature` of concepts on a path, as a list or a map to new names."""
    return _field("collected", text, of=of, minimum=minimum)


def feature_values(
    text: str,
    types: Sequence[str] = (),
    maximum: int | None = None,
    default: Any = NOT_GIVEN,
) -> Any:
    """Declares a map from features to values that they can have."""
    return _field("feature_values", text, default, types=tuple(types), minimum=1, maximum=maximum)


def feature_labels(text: str, types: Sequence[str] = (), minimum: int = 1) -> Any:
    """Declares features with a label each: a map, or a list that labels them by name."""
    return _field("feature_labels", text, types=tuple(types), minimum=minimum)


def export_path(text: str) -> Any:
    """Declares a file within the export folder of the case."""
    return _field("export_path", text)


def parameters_of(cls: type[Any]) -> tuple[Parameter, ...]:
    """Reads the declared parameters of an operator class, in order."""
    if cls not in _KNOWN:
        _KNOWN[cls] = _declared(cls)
    return _KNOWN[cls]


_KNOWN: dict[type[Any], tuple[Parameter, ...]] = {}


def _declared(cls: type[Any]) -> tuple[Parameter, ...]:
    return tuple(
        dataclasses.replace(f.metadata["parameter"], name=f.name)
        for f in dataclasses.fields(cls)
        if "parameter" in f.metadata
    )


def _field(kind: Kind, text: str, default: Any = NOT_GIVEN, **more: Any) -> Any:
    parameter = Parameter("", kind, text, default, **more)
    return dataclasses.field(default=default, metadata={"parameter": parameter}, kw_only=True)
