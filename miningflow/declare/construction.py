"""Feature construction: operators that add or replace one feature, one expression each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare.concept import PREDICTED_CLASS, Concept, Feature, FeatureType
from miningflow.declare.estimates import ConceptEstimate, FeatureEstimate, carried
from miningflow.declare.kinds.concepts import concept
from miningflow.declare.operator import Family, Notes, Operator, operator
from miningflow.sql.block import Block, Source, over


@operator
class FeatureConstruction(Operator):
    """An operator that makes one feature from an expression; its steps fuse into one SELECT.

    A subclass says what the feature is called (`output`, or the name of its `target`), what type
    it has, and how it is computed.
    """

    family: ClassVar[Family] = "construction"
    fuses: ClassVar[bool] = True
    keeps_order: ClassVar[bool] = False
    """Whether a larger `target` never makes the feature smaller."""

    input: Concept = concept("the concept whose rows get the feature")

    def constructed(self) -> str:
        """Names the feature that is made: `output` if given, otherwise `target` is replaced."""
        output = getattr(self, "output", None)
        if output is not None:
            return str(output)
        target: Feature = getattr(self, "target")  # noqa: B009 - declared by the subclass
        return target.name

    def constructed_type(self) -> FeatureType:
        """Returns the type of the feature."""
        raise NotImplementedError

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns the value of the feature as an expression over the input's features."""
        raise NotImplementedError

    def outline(self, notes: Notes) -> Concept:
        """Adds or replaces the one feature."""
        name = self.constructed()
        if name in self.input.bound_features:
            notes.error(
                "output" if getattr(self, "output", None) is not None else "target",
                f"feature {name!r} is the key or part of a relation and cannot be replaced",
                "give another name with 'output'",
            )
        made = Feature(name, self.constructed_type(), self._rises_with())
        return self.input.with_features(made)

    def _rises_with(self) -> str | None:
        """Returns the class that high values speak for.

        What is made of nothing but numbers about the predicted class does not say which it was.
        """
        if self.constructed_type() != "numeric":
            return None
        target: Feature | None = getattr(self, "target", None)
        if self.keeps_order and target is not None:
            return target.rises_with
        read = [self.input.features[name] for name in self._read()]
        about_predicted = bool(read) and all(f.rises_with == PREDICTED_CLASS for f in read)
        return PREDICTED_CLASS if about_predicted else None

    def _read(self) -> set[str]:
        parts = [
            parameter.kind.parts(value, vars(self))
            for parameter in self.parameters()
            if (value := getattr(self, parameter.name)) is not None
        ]
        return {
            name
            for concept, name in chain.from_iterable(chain(*p) for p in parts)
            if concept == self.input.name and name in self.input.features
        }

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Estimates the feature; unless a subclass knows better, it may be NULL anywhere."""
        return FeatureEstimate()

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps the rows and all other features."""
        rows = inputs[self.input.name]
        kept = carried(rows.rows, [rows], output)
        made = self.constructed_estimate(rows)
        target: Feature | None = getattr(self, "target", None)
        may_go = target is not None and rows.feature(target.name).may_go
        return kept.with_feature(self.constructed(), replace(made, may_go=may_go))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds the expression to the columns of the input."""
        return over(inputs[self.input.name]).extend({self.constructed(): self.expression(artifact)})
