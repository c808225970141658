"""Binding of maps whose keys are features."""

from __future__ import annotations

import math

from miningflow.declare.concept import Feature
from miningflow.errors import listed
from miningflow.read.nodes import Fields, Node, Scalar
from miningflow.resolve.patterns import expand, is_pattern
from miningflow.resolve.step_nodes import StepNodes


class FeatureMapBinder(StepNodes):
    """Binds features with values, and features with labels."""

    def _feature_values(self, node: Node) -> dict[str, tuple[str, ...]]:
        if not isinstance(node, Fields) or not node.entries:
            self._wrong("takes a map of features to values, such as {region: [north, south]}", node)
        found: dict[str, tuple[str, ...]] = {}
        for key, values in node:
            feature = self._one_feature(key)
            written = [self._scalar(item, "a value") for item in self._items(values)]
            for i, value in enumerate(written):
                self._value_of(feature, value)
                if value.text in [other.text for other in written[:i]]:
                    self._wrong(f"names {value.text!r} twice", value)
            if not written:
                self._wrong(f"has no value for {key.text!r}", values)
            found[feature.name] = tuple(value.text for value in written)
        if len(found) > (self.parameter.maximum or math.inf):
            self._wrong(f"takes at most {self.parameter.maximum:g} features", node)
        return found

    def _feature_labels(self, node: Node) -> dict[str, str]:
        found: dict[str, str] = {}
        if isinstance(node, Fields):
            for key, value in node:
                feature = self._one_feature(key)
                found[feature.name] = self._scalar(value, "a label").text
        else:
            for name in (self._scalar(n, "the name of a feature") for n in self._items(node)):
                for feature, label in self._labelled(name):
                    if feature.name in found:
                        self._wrong(f"names {feature.name!r} twice", name)
                    found[feature.name] = label
        twice = [label for label in found.values() if list(found.values()).count(label) > 1]
        if twice:
            self._wrong(f"gives the label {twice[0]!r} to two features", node)
        minimum = int(self.parameter.minimum or 0)
        if len(found) < minimum:
            self._wrong(f"takes at least {minimum} features, and has {len(found)}", node)
        return found

    def _labelled(self, name: Scalar) -> list[tuple[Feature, str]]:
        """Gives the features of a name or pattern; their label is what its one star stands for."""
        concept = self._of()
        if not is_pattern(name.text, concept):
            return [(self._one_feature(name), name.text)]
        features, problem = expand(name.text, concept, self.parameter.types, ())
        if problem:
            self.scope.wrong(problem, name.place, f"it has {listed(concept.features)}")
        before, star, after = name.text.partition("*")
        if not star or any(c in before + after for c in "*?[]"):
            return [(feature, feature.name) for feature in features]
        cut = [f.name.removeprefix(before).removesuffix(after) for f in features]
        return list(zip(features, cut, strict=True))
