"""The operator that appends the rows of concepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, ClassVar

from miningflow.declare import Concept, Notes, Operator, concepts, operator
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate
from miningflow.declare.operator import Family
from miningflow.sql.block import Append, Block, Source, over


@operator
class Union(Operator):
    """Appends the rows of concepts that have the same features.

    Duplicates are kept: a row that is in two concepts is in the result twice, so that its key is
    not unique. Remove them with RemoveDuplicates before you join the result with other concepts. A
    feature that was deselected in one of the concepts is deselected in the result.
    """

    family: ClassVar[Family] = "joining"
    finds: ClassVar[tuple[str, ...]] = ("append", "concatenate", "stack", "union all")
    example: ClassVar[str] = """
    everybody:
      operator: Union
      concepts: [Customer, Prospect]
    """

    concepts: tuple[Concept, ...] = concepts("the concepts to append", minimum=2)

    def outline(self, notes: Notes) -> Concept:
        """Keeps the features that all concepts have; refuses features that only some have."""
        first = self.concepts[0]
        for other in self.concepts[1:]:
            odd = sorted(set(first.features) ^ set(other.features))
            if odd:
                notes.error(
                    "concepts",
                    f"{first.name!r} and {other.name!r} do not have the same features: "
                    f"only one of them has {', '.join(repr(f) for f in odd[:5])}",
                    "construct or deselect features before the union",
                )
            for name in first.features:
                types = first.features[name].type, other.features.get(name)
                if types[1] is not None and types[0] != types[1].type:
                    notes.error(
                        "concepts", f"{name!r} is {types[0]} here and {types[1].type} there"
                    )
        shared = [f for f in first.features if all(f in c.features for c in self.concepts)]
        reaches = tuple(
            r for r in first.reaches if all(r in other.reaches for other in self.concepts[1:])
        )
        same_key = all(c.key == first.key for c in self.concepts)
        kept = first.only(shared)
        return Concept(
            first.name,
            kept.features,
            kept.key if same_key else None,
            tuple(r for r in reaches if r in kept.reaches),
        )

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Adds up the rows; the concepts may share values or not."""
        given = [inputs[c.name] for c in self.concepts]
        rows = reduce(Amount.plus, (e.rows for e in given))
        features: dict[str, FeatureEstimate] = {}
        for name in output.features:
            each = [e.feature(name) for e in given]
            together = reduce(Amount.plus, (f.distinct for f in each))
            most = max(f.distinct.low for f in each)
            likely = together.likely if name == output.key else None
            missing = reduce(Amount.plus, (f.missing for f in each))
            distinct = Amount(likely, most, together.high)
            features[name] = FeatureEstimate(missing, distinct, may_go=any(f.may_go for f in each))
        return ConceptEstimate(rows, features)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Appends the inputs with UNION ALL."""
        shared = list(self.outline(Notes()).features)
        return over(Append(tuple(over(inputs[c.name]).project(shared) for c in self.concepts)))
