"""A kind of parameter: all that the engine asks of it, and the four rules of deselection.

When a step binds its parameters, a feature that an earlier selection dropped is
1. single and optional: treated as not given,
2. single and obligatory: an error,
3. in an optional list: taken out; an empty list counts as not given,
4. in an obligatory list: taken out; fewer than the minimum is an error.
(MiningMart deliverable on feature selection with SVMs, section 2.1.) A SQL fragment needs every
feature it names, rule 2 for each: leaving a part of a condition out would silently change its
meaning. A map of aggregates follows rule 4, aggregate by aggregate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from miningflow.declare.concept import Concept
from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.reduction import FeatureOf, Reduction
from miningflow.nodes import Node, Scalar

Value = TypeVar("Value")
Schema = dict[str, Any]
Part = tuple[FeatureOf, ...]
"""The features that one part of a value names; without one of them the part cannot stay."""


class Kind(ABC, Generic[Value]):
    """What a parameter takes. A kind is a frozen dataclass of what its declaration says."""

    word: ClassVar[str]
    """The name of the kind for programs."""
    order: ClassVar[int] = 3
    """Kinds of a lower order are bound first, so that the others find what they refer to."""
    parts_are: ClassVar[str] = "features"
    """What messages call the parts of a value."""

    @abstractmethod
    def takes(self) -> str:
        """Returns what is written, in a few words for the operator reference."""

    @abstractmethod
    def schema(self) -> Schema:
        """Returns the JSON Schema of what is written."""

    @abstractmethod
    def bind(self, node: Node, binding: Binding) -> Value:
        """Reads a value; raises Unusable after noting what is wrong."""

    def plain(self, value: Value) -> Any:
        """Returns a value as plain data, the same for the same meaning: part of fingerprints."""
        return value

    def concepts(self, value: Value) -> Iterator[Concept]:
        """Returns the concepts whose rows a value reads."""
        return iter(())

    def concept_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the names of concepts in what is written."""
        return iter(())

    def relation_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the names of relations in what is written."""
        return iter(())

    def parts(self, value: Value, values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features that each part of a value names; `values` are all parameters."""
        return ()

    @property
    def fewest(self) -> int:
        """Returns how many parts must be left."""
        return 0

    def needs_each(self, obligatory: bool) -> bool:
        """Returns whether every feature that a value names is needed (rule 2)."""
        return False

    def keep(self, value: Value, kept: Sequence[bool]) -> Value:
        """Returns a value with some of its parts."""
        return value

    def reduce(self, value: Value, reduction: Reduction) -> Any:
        """Applies the four rules: returns what is left of a value, or the default for nothing.

        What they forbid is noted, and the value stays as it is.
        """
        parts = self.parts(value, reduction.values)
        gone = {f: cause for part in parts for f in part if (cause := reduction.cause(f))}
        if not gone:
            return value
        if self.needs_each(reduction.obligatory):
            for (_, feature), cause in gone.items():
                reduction.refuse(feature, cause)
            return value
        kept = [not any(f in gone for f in part) for part in parts]
        if not any(kept) and not reduction.obligatory:
            return reduction.default
        if reduction.obligatory and sum(kept) < self.fewest:
            named = {feature: cause for (_, feature), cause in gone.items()}
            reduction.too_few(named, sum(kept), self.fewest)
            return value
        return self.keep(value, kept)
