"""Binds source concepts and relations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

from miningflow.declare.concept import (
    FEATURE_TYPES,
    Concept,
    Feature,
    FeatureType,
    Holdout,
    Reach,
    Relation,
)
from miningflow.errors import Mistake, suggestion
from miningflow.read.case import Case, ConceptText
from miningflow.read.nodes import Fields, Scalar


def bind_sources(case: Case, mistakes: list[Mistake]) -> dict[str, Concept]:
    """Binds the source concepts; rows that point to a held-out row are held out with it."""
    sources: dict[str, Concept] = {}
    for text in case.concepts.values():
        concept = _concept(text, mistakes)
        if concept is not None:
            sources[concept.name] = concept
    for _ in sources:  # a chain of relations is at most as long as there are concepts
        for relation in case.relations.values():
            many, _, many_feature = relation.many.text.rpartition(".")
            one, _, one_feature = relation.one.text.rpartition(".")
            if many in sources and one in sources and sources[one].key == one_feature:
                sources[many] = _reaching(sources[many], many_feature, sources[one])
    return sources


def bind_relations(
    case: Case, sources: dict[str, Concept], mistakes: list[Mistake]
) -> dict[str, Relation | None]:
    """Binds the relations between source concepts; one that is None is broken."""
    relations: dict[str, Relation | None] = dict.fromkeys(case.relations)
    for text in case.relations.values():
        many = _end(text.many, case, sources, mistakes)
        one = _end(text.one, case, sources, mistakes)
        if many is None or one is None:
            continue
        if one[0].key != one[1]:
            mistakes.append(
                Mistake(
                    f"a relation leads to the key of a concept; {text.one.text!r} is not the key "
                    f"of {one[0].name!r}",
                    text.one.place,
                    f"its key is {one[0].key!r}" if one[0].key else "it declares no key",
                )
            )
            continue
        relations[text.name.text] = Relation(text.name.text, many[0], many[1], one[0].name, one[1])
    return relations


def _concept(text: ConceptText, mistakes: list[Mistake]) -> Concept | None:
    features: dict[str, Feature] = {}
    count = len(mistakes)
    for name, kind in text.features:
        if kind.text not in FEATURE_TYPES:
            hint = suggestion(kind.text, FEATURE_TYPES, "types")
            mistakes.append(Mistake(f"there is no feature type {kind.text!r}", kind.place, hint))
            continue
        features[name.text] = Feature(name.text, cast(FeatureType, kind.text))
    if not text.features:
        mistakes.append(Mistake(f"concept {text.name.text!r} has no features", text.name.place))
    key = text.key
    if key is not None and key.text not in {name.text for name, _ in text.features}:
        hint = suggestion(key.text, features, "features")
        mistakes.append(Mistake(f"the key {key.text!r} is not among the features", key.place, hint))
    elif key is not None and key.text in features and features[key.text].type != "key":
        hint = f"write `{key.text}: key`"
        mistakes.append(Mistake(f"the key {key.text!r} must have the type key", key.place, hint))
    holdout = _holdout(text, mistakes)
    if len(mistakes) > count:
        return None
    reaches = (Reach(text.name.text, key.text, holdout),) if key is not None else ()
    return Concept(text.name.text, features, key.text if key else None, reaches)


def _holdout(text: ConceptText, mistakes: list[Mistake]) -> Holdout | None:
    fields = text.holdout
    if fields is None:
        return None
    for key, _ in fields:
        if key.text not in ("share", "seed"):
            hint = suggestion(key.text, ("share", "seed"), "names here")
            mistakes.append(Mistake(f"'holdout' has no {key.text!r}", key.place, hint))
    share, seed = _number(fields, "share"), _number(fields, "seed", otherwise=0.0)
    if share is None or not 0 < share < 1:
        mistakes.append(Mistake("'share' of a holdout must lie between 0 and 1", fields.place))
        return None
    if seed is None or seed != int(seed):
        mistakes.append(Mistake("'seed' of a holdout must be a whole number", fields.place))
        return None
    if text.key is None:
        mistakes.append(
            Mistake("rows are held out by their key, and the concept declares none", fields.place)
        )
        return None
    return Holdout(share, int(seed))


def _number(fields: Fields, name: str, otherwise: float | None = None) -> float | None:
    node = fields.get(name)
    if node is None:
        return otherwise
    try:
        number = float(node.text) if isinstance(node, Scalar) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _reaching(many: Concept, feature: str, one: Concept) -> Concept:
    """Adds what the one side reaches: itself by its key; a chain ends where a key does."""
    if feature not in many.features or many.reach(one.name) is not None:
        return many
    holdout = next(r.holdout for r in one.reaches if r.concept == one.name)
    return replace(many, reaches=(*many.reaches, Reach(one.name, feature, holdout)))


def _end(
    end: Scalar, case: Case, sources: dict[str, Concept], mistakes: list[Mistake]
) -> tuple[Concept, str] | None:
    name, _, feature = end.text.rpartition(".")
    if name not in case.concepts:
        hint = suggestion(name, case.concepts, "concepts") if name else "write `Concept.feature`"
        mistakes.append(Mistake(f"{end.text!r} names no feature of a concept", end.place, hint))
        return None
    concept = sources.get(name)
    if concept is None:
        return None
    if feature not in concept.features:
        hint = suggestion(feature, concept.features, "features")
        mistakes.append(Mistake(f"there is no feature {feature!r} in {name!r}", end.place, hint))
        return None
    return concept, feature
