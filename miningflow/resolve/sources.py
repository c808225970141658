"""Binds source concepts and relations."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

from miningflow.declare.concept import (
    FEATURE_TYPES,
    Concept,
    Cross,
    Feature,
    FeatureType,
    Holdout,
    Reach,
    Relation,
)
from miningflow.errors import Diagnostic, closest, suggestion
from miningflow.nodes import Fields, Scalar
from miningflow.read.case import Case, ConceptText, RelationText


def bind_sources(case: Case, diagnostics: list[Diagnostic]) -> dict[str, Concept]:
    """Binds the source concepts; rows that point to a held-out row are held out with it."""
    sources: dict[str, Concept] = {}
    for text in case.concepts.values():
        concept = _concept(text, diagnostics)
        if concept is not None and concept.name not in case.unreadable:
            sources[concept.name] = concept
    for relation in case.relations.values():
        pointers = [(relation.start, relation.end)]
        if relation.through is not None:
            to_start, to_end = relation.through
            pointers = [(to_start, relation.start), (to_end, relation.end)]
        for pointer, end in pointers:
            many, _, many_feature = pointer.text.rpartition(".")
            one, _, one_feature = end.text.rpartition(".")
            if many in sources and one in sources and sources[one].key == one_feature:
                name = relation.name.text
                sources[many] = _pointing(sources[many], many_feature, sources[one], name)
    return sources


def bind_relations(
    case: Case, sources: dict[str, Concept], diagnostics: list[Diagnostic]
) -> dict[str, Relation | None]:
    """Binds the relations between source concepts; one that is None is broken."""
    relations: dict[str, Relation | None] = dict.fromkeys([*case.relations, *case.unreadable])
    for text in case.relations.values():
        ends = _Ends(case, sources, diagnostics)
        name = text.name.text
        if text.through is None:
            many, one = ends.pointer(text.start), ends.key(text.end)
            if many is not None and one is not None:
                relations[name] = Relation(name, *many, *one)
            continue
        start, end = ends.key(text.start), ends.key(text.end)
        to_start, to_end = (ends.pointer(pointer) for pointer in text.through)
        if to_start is not None and to_end is not None and not _is_cross(text, diagnostics):
            continue
        if start is None or end is None or to_start is None or to_end is None:
            continue
        cross = Cross(to_start[0], to_start[1], to_end[1])
        relations[name] = Relation(name, *end, *start, cross)
    return relations


def _is_cross(text: RelationText, diagnostics: list[Diagnostic]) -> bool:
    """Returns whether 'through' names two different features of one concept, or notes an error."""
    assert text.through is not None
    first, second = text.through
    owners = {pointer.text.rpartition(".")[0] for pointer in text.through}
    if len(owners) > 1:
        message = f"{first.text!r} and {second.text!r} belong to two concepts"
        hint = "a cross table is one concept with a feature for each side"
    elif first.text == second.text:
        message = f"{first.text!r} cannot point to both sides"
        hint = "name the feature that points to 'from', then the one that points to 'to'"
    else:
        return True
    diagnostics.append(Diagnostic(message, second.place, hint))
    return False


def _concept(text: ConceptText, diagnostics: list[Diagnostic]) -> Concept | None:
    features: dict[str, Feature] = {}
    usable = bool(text.features)
    for name, kind in text.features:
        meant: str | None = kind.text
        if kind.text not in FEATURE_TYPES:
            hint = suggestion(kind.text, FEATURE_TYPES, "types")
            diagnostics.append(
                Diagnostic(f"there is no feature type {kind.text!r}", kind.place, hint)
            )
            meant = closest(kind.text, FEATURE_TYPES)
        if meant is None:
            usable = False
        else:
            features[name.text] = Feature(name.text, cast(FeatureType, meant))
    if not text.features:
        diagnostics.append(
            Diagnostic(f"concept {text.name.text!r} has no features", text.name.place)
        )
    key = text.key
    wrong_key = len(diagnostics)
    if key is not None and key.text not in {name.text for name, _ in text.features}:
        hint = suggestion(key.text, features, "features")
        diagnostics.append(
            Diagnostic(f"the key {key.text!r} is not among the features", key.place, hint)
        )
    elif key is not None and key.text in features and features[key.text].type != "key":
        hint = f"write `{key.text}: key`"
        diagnostics.append(
            Diagnostic(f"the key {key.text!r} must have the type key", key.place, hint)
        )
    usable = usable and len(diagnostics) == wrong_key
    holdout = _holdout(text, diagnostics)
    if not usable:
        return None
    reaches = (Reach(text.name.text, key.text, holdout),) if key is not None else ()
    return Concept(text.name.text, features, key.text if key else None, reaches)


def _holdout(text: ConceptText, diagnostics: list[Diagnostic]) -> Holdout | None:
    fields = text.holdout
    if fields is None:
        return None
    for key, _ in fields:
        if key.text not in ("share", "seed"):
            hint = suggestion(key.text, ("share", "seed"), "keys")
            diagnostics.append(
                Diagnostic(f"unknown key {key.text!r} in 'holdout'", key.place, hint)
            )
    share, seed = _number(fields, "share"), _number(fields, "seed", otherwise=0.0)
    count = len(diagnostics)
    if share is None or not 0 < share < 1:
        diagnostics.append(Diagnostic("'share' of a holdout must be between 0 and 1", fields.place))
    if seed is None or seed != int(seed):
        diagnostics.append(Diagnostic("'seed' of a holdout must be a whole number", fields.place))
    if text.key is None:
        diagnostics.append(
            Diagnostic(
                "rows are held out by their key, and the concept declares none", fields.place
            )
        )
    if len(diagnostics) > count or share is None or seed is None:
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


def _pointing(many: Concept, feature: str, one: Concept, relation: str) -> Concept:
    """Adds that rows point to those of another concept; a chain ends where a key does."""
    if feature not in many.features:
        return many
    # Rows that point to rows of their own concept mostly point to none.
    inside = many.name == one.name
    holdout = None if inside else next(r.holdout for r in one.reaches if r.concept == one.name)
    reach = Reach(one.name, feature, holdout, relation)
    return replace(many, reaches=(*many.reaches, reach))


@dataclass(frozen=True)
class _Ends:
    """Finds the ends of relations, and notes what is wrong with them."""

    case: Case
    sources: dict[str, Concept]
    diagnostics: list[Diagnostic]

    def key(self, end: Scalar) -> tuple[Concept, str] | None:
        """Finds an end that is led to: it must be the key of its concept."""
        found = self._feature(end)
        if found is None or found[0].key == found[1]:
            return found
        key = found[0].key
        self._wrong(
            f"a relation leads to the key of a concept; {end.text!r} is not the key "
            f"of {found[0].name!r}",
            end,
            f"its key is {key!r}" if key else "it declares no key",
        )
        return None

    def pointer(self, end: Scalar) -> tuple[Concept, str] | None:
        """Finds an end that points: it must have the type of what it points to."""
        found = self._feature(end)
        if found is None:
            return None
        concept, name = found
        kind = concept.features[name].type
        if kind == "key":
            return found
        self._wrong(
            f"{end.text!r} is {kind}, but what points to a key must have the type key",
            end,
            f"write `{name}: key` among the features of {concept.name!r}",
        )
        return None

    def _feature(self, end: Scalar) -> tuple[Concept, str] | None:
        name, _, feature = end.text.rpartition(".")
        if name in self.case.unreadable:
            return None
        if name not in self.case.concepts:
            known = self.case.concepts
            hint = suggestion(name, known, "concepts") if name else "write `Concept.feature`"
            self._wrong(f"{end.text!r} names no feature of a concept", end, hint)
            return None
        concept = self.sources.get(name)
        if concept is None:
            return None
        if feature not in concept.features:
            hint = suggestion(feature, concept.features, "features")
            self._wrong(f"there is no feature {feature!r} in {name!r}", end, hint)
            return None
        return concept, feature

    def _wrong(self, message: str, end: Scalar, hint: str) -> None:
        self.diagnostics.append(Diagnostic(message, end.place, hint))
