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
    rises_with: str | None = None
    """For a number that a model made: the class that high values speak for, if it is known."""


PREDICTED_CLASS = ""
"""What a number rises with that speaks for whichever class was predicted."""


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
    relation: str = ""
    """The relation they point along; none where the rows are rows of that very concept."""


@dataclass(frozen=True)
class Cross:
    """The cross table of an n:m relation, with the features that point to the two sides."""

    concept: Concept
    one_feature: str
    many_feature: str


@dataclass(frozen=True)
class Relation:
    """Many rows of one concept belong to one row of another.

    In a 1:n relation, `many_feature` points to the key of the one side. In an n:m relation both
    features are keys, and rows belong together if a row of the cross table points to both.
    """

    name: str
    many: Concept
    many_feature: str
    one: Concept
    one_feature: str
    through: Cross | None = None

    def turned(self) -> Relation:
        """Returns an n:m relation as it is seen from its other side."""
        assert self.through is not None
        cross = self.through
        return Relation(
            self.name,
            self.one,
            self.one_feature,
            self.many,
            self.many_feature,
            Cross(cross.concept, cross.many_feature, cross.one_feature),
        )


@dataclass(frozen=True)
class Link:
    """One join of a path: a feature of what came before finds rows of a concept."""

    relation: str
    before: str
    concept: Concept
    feature: str
    multiplies: bool
    """Whether several rows may be found, so that what came before is repeated."""


@dataclass(frozen=True)
class Path:
    """A way along relations from one concept to others, as joins one after the other."""

    links: tuple[Link, ...]
    arrivals: tuple[Concept, ...]
    """The concept that each relation leads to; cross tables are only passed."""


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
        """Returns the features of the given types, in order."""
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
        """Returns the feature that points to rows of a source concept, if there is one."""
        return next((r.feature for r in self.reaches if r.concept == concept), None)

    def itself(self, concept: str) -> str | None:
        """Returns the feature that identifies rows of a source concept, if these are such rows."""
        return next(
            (r.feature for r in self.reaches if r.concept == concept and not r.relation), None
        )

    def pointer(self, relation: str, concept: str) -> str | None:
        """Returns the feature that points to rows of a source concept along a relation."""
        return next(
            (r.feature for r in self.reaches if (r.relation, r.concept) == (relation, concept)),
            None,
        )

    @property
    def columns(self) -> Mapping[str, Feature]:
        """Returns what has a column: the features, and what names the segments."""
        segments = {s.feature: Feature(s.feature, "nominal") for s in self.segmentations}
        return {**self.features, **segments}

    @property
    def types(self) -> dict[str, FeatureType]:
        """Returns the type of each feature."""
        return {name: feature.type for name, feature in self.features.items()}

    @property
    def bound_features(self) -> frozenset[str]:
        """Names the features that no selection may drop: the key and what relations use."""
        own = {self.key} if self.key else set()
        return frozenset(own | {r.feature for r in self.reaches})

    @property
    def holdouts(self) -> tuple[Reach, ...]:
        """Returns the reaches whose source concept holds rows out."""
        return tuple(r for r in self.reaches if r.holdout is not None)
