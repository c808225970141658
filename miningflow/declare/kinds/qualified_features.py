"""Features of several concepts, written as `Concept.feature`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from miningflow.declare.concept import Concept, Path
from miningflow.declare.kinds.binding import Binding, Unusable
from miningflow.declare.kinds.composed import items, one_or_many
from miningflow.declare.kinds.kind import Kind, Part, Schema
from miningflow.declare.kinds.reduction import FeatureOf
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.errors import suggestion
from miningflow.nodes import Fields, Node, Scalar

_NEW_NAMES: Schema = {"type": "object", "additionalProperties": NAME}


def _found(
    name: Scalar, concepts: Iterable[Concept], binding: Binding, where: str = ""
) -> FeatureOf:
    """Finds `Concept.feature` among some concepts."""
    features = {concept.name: concept.features for concept in concepts}
    owner, _, feature = name.text.partition(".")
    owner = binding.scope.chains.get(owner, owner)
    if feature not in features.get(owner, ()):
        known = [f"{concept}.{f}" for concept, names in features.items() for f in names]
        binding.scope.wrong(
            f"there is no {name.text!r}{where}",
            name.place,
            suggestion(name.text, known, "features"),
        )
    return owner, feature


def _plain(value: Mapping[FeatureOf, str]) -> dict[str, str]:
    return {".".join(end): new for end, new in value.items()}


def _kept(value: dict[FeatureOf, str], kept: Sequence[bool]) -> dict[FeatureOf, str]:
    return dict(x for x, stays in zip(value.items(), kept, strict=True) if stays)


@dataclass(frozen=True)
class Renaming(Kind[dict[FeatureOf, str]]):
    """New names for features of the concepts of a step."""

    word: ClassVar[str] = "rename"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a map of Concept.feature to a new name"

    def schema(self) -> Schema:
        """Returns the schema of a map of names."""
        return _NEW_NAMES

    def bind(self, node: Node, binding: Binding) -> dict[FeatureOf, str]:
        """Finds the features in the concept lists of the step."""
        if not isinstance(node, Fields):
            binding.wrong("takes a map such as {Claim.amount: claim_amount}", node)
        lists = [v for v in binding.values.values() if isinstance(v, tuple)]
        concepts = [c for listed in lists for c in listed if isinstance(c, Concept)]
        if not concepts:
            raise Unusable
        return {
            _found(key, concepts, binding, " to rename"): binding.name(value, "the new name")
            for key, value in node
        }

    def plain(self, value: dict[FeatureOf, str]) -> dict[str, str]:
        """Returns the new names."""
        return _plain(value)

    def parts(self, value: dict[FeatureOf, str], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features one by one."""
        return tuple((end,) for end in value)

    def keep(self, value: dict[FeatureOf, str], kept: Sequence[bool]) -> dict[FeatureOf, str]:
        """Returns some of the names."""
        return _kept(value, kept)


@dataclass(frozen=True)
class FeatureOfEach(Kind[dict[str, str]]):
    """One feature of each concept of a list; all of them are needed."""

    of: str
    """The concepts parameter whose features are meant."""

    word: ClassVar[str] = "ends"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a list of Concept.feature"

    def schema(self) -> Schema:
        """Returns the schema of a list of names."""
        return {"type": "array", "items": NAME}

    def bind(self, node: Node, binding: Binding) -> dict[str, str]:
        """Finds the features."""
        concepts: Sequence[Concept] = binding.values.get(self.of) or ()
        if not concepts:
            raise Unusable

        def find(item: Node) -> FeatureOf:
            return _found(binding.scalar(item, "`Concept.feature`"), concepts, binding)

        found = dict(binding.each(items(node), find))
        missing = [c.name for c in concepts if c.name not in found]
        if missing:
            binding.wrong(f"must name a feature of each concept; {missing[0]!r} has none", node)
        return found

    def parts(self, value: dict[str, str], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features one by one."""
        return tuple((end,) for end in value.items())

    def needs_each(self, obligatory: bool) -> bool:
        """Returns True: each concept needs its own."""
        return True


@dataclass(frozen=True)
class CollectedFeatures(Kind[dict[FeatureOf, str]]):
    """Features of concepts on a path, maybe with new names: rule 4."""

    of: str
    """The path parameter whose concepts are meant."""
    minimum: int = 1

    word: ClassVar[str] = "collected"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        least = f", at least {self.minimum}" if self.minimum else ""
        return f"a list of Concept.feature, or a map to new names{least}"

    def schema(self) -> Schema:
        """Returns the schema of names, or of a map of names."""
        return {"anyOf": [*one_or_many(NAME)["anyOf"], _NEW_NAMES]}

    def bind(self, node: Node, binding: Binding) -> dict[FeatureOf, str]:
        """Finds the features on the path."""
        path = binding.values.get(self.of)
        if not isinstance(path, Path):
            raise Unusable
        met = [concept.name for concept in path.arrivals]
        found: dict[FeatureOf, str] = {}
        renamed = isinstance(node, Fields)
        pairs = list(node) if isinstance(node, Fields) else [(n, n) for n in items(node)]

        def add(pair: tuple[Node, Node]) -> None:
            key, value = pair
            written = binding.scalar(key, "`Concept.feature`")
            end = _found(written, path.arrivals, binding, " on the path")
            if met.count(end[0]) > 1:
                binding.scope.wrong(
                    f"the path leads to {end[0]!r} more than once",
                    written.place,
                    "collect in two steps, one after the other",
                )
            if end in found:
                binding.wrong(f"names {written.text!r} twice", written)
            found[end] = binding.name(value, "the new name") if renamed else end[1]

        binding.each(pairs, add)
        if len(found) < self.minimum:
            binding.wrong(f"takes at least {self.minimum} features, got {len(found)}", node)
        return found

    def plain(self, value: dict[FeatureOf, str]) -> dict[str, str]:
        """Returns the names that they get."""
        return _plain(value)

    def parts(self, value: dict[FeatureOf, str], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features one by one."""
        return tuple((end,) for end in value)

    @property
    def fewest(self) -> int:
        """Returns the minimum."""
        return self.minimum

    def keep(self, value: dict[FeatureOf, str], kept: Sequence[bool]) -> dict[FeatureOf, str]:
        """Returns some of the features."""
        return _kept(value, kept)


@overload
def rename(text: str) -> dict[FeatureOf, str]: ...
@overload
def rename(text: str, default: None) -> dict[FeatureOf, str] | None: ...
def rename(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from `Concept.feature` to a new name."""
    return declared(Renaming(), text, default)


@overload
def ends(text: str, of: str) -> dict[str, str]: ...
@overload
def ends(text: str, of: str, default: None) -> dict[str, str] | None: ...
def ends(text: str, of: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of `Concept.feature`, one for each concept of a concepts parameter."""
    return declared(FeatureOfEach(of), text, default)


def collected(text: str, of: str, minimum: int = 1) -> dict[FeatureOf, str]:
    """Declares `Concept.feature` of concepts on a path, as a list or a map to new names."""
    found: dict[FeatureOf, str] = declared(CollectedFeatures(of, minimum), text)
    return found
