"""Concepts and features: the conceptual level that people think in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

FeatureType = Literal["numeric", "nominal", "binary", "time", "key"]
FEATURE_TYPES: tuple[str, ...] = get_args(FeatureType)


@dataclass(frozen=True)
class Feature:
    """One property of a concept."""

    name: str
    type: FeatureType


@dataclass(frozen=True)
class Holdout:
    """The share of a source concept's rows that nothing is learned from, chosen by key."""

    share: float
    seed: int


@dataclass(frozen=True)
class Reach:
    """The feature by which rows of a concept still point to rows of a source concept."""

    concept: str
    feature: str
    holdout: Holdout | None = None


@dataclass(frozen=True)
class Relation:
    """A 1:n relation: many rows of one concept point to one row of another."""

    name: str
    many: Concept
    many_feature: str
    one: str
    one_feature: str


@dataclass(frozen=True)
class Segmentation:
    """A division of rows into segments; while it lasts, every step runs in each by itself."""

    feature: str
    """The column that names the segment of a row; a feature only when they are together again."""
    step: str
    repeats: bool = False
    """Whether every row is in every segment."""


@dataclass(frozen=True)
class Concept:
    """A named set of features; what a source holds and what a step makes."""

    name: str
    features: Mapping[str, Feature]
    key: str | None = None
    reaches: tuple[Reach, ...] = ()
    segmentations: tuple[Segmentation, ...] = ()

    def of_type(self, *types: str) -> tuple[Feature, ...]:
        """Gives the features of the given types, in order."""
        return tuple(f for f in self.features.values() if f.type in types)

    def with_features(self, *added: Feature) -> Concept:
        """Adds features, or replaces those of the same name in their place."""
        features = dict(self.features)
        features.update((f.name, f) for f in added)
        return replace(self, features=features)

    def only(self, names: Iterable[str]) -> Concept:
        """Keeps some features, and with them the key and reaches they carry."""
        kept = set(names)
        features = {name: f for name, f in self.features.items() if name in kept}
        return replace(
            self,
            features=features,
            key=self.key if self.key in features else None,
            reaches=tuple(r for r in self.reaches if r.feature in features),
        )

    def reach(self, concept: str) -> str | None:
        """Gives the feature that points to rows of a source concept, if there is one."""
        return next((r.feature for r in self.reaches if r.concept == concept), None)

    @property
    def columns(self) -> Mapping[str, Feature]:
        """Gives what has a column: the features, and what names the segments."""
        segments = {s.feature: Feature(s.feature, "nominal") for s in self.segmentations}
        return {**self.features, **segments}

    @property
    def bound_features(self) -> frozenset[str]:
        """Names the features that no selection may drop: the key and what relations use."""
        own = {self.key} if self.key else set()
        return frozenset(own | {r.feature for r in self.reaches})

    @property
    def holdouts(self) -> tuple[Reach, ...]:
        """Gives the reaches whose source concept holds rows out."""
        return tuple(r for r in self.reaches if r.holdout is not None)
