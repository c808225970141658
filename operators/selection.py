"""Selection of features by hand."""

from __future__ import annotations

from typing import ClassVar

from miningflow.declare import (
    Concept,
    Feature,
    FeatureSelection,
    Notes,
    Selection,
    TrainingRows,
    features,
    operator,
)


@operator
class FeatureSelectionByAttributes(FeatureSelection):
    """Selects features by hand: those to drop, or those to keep of a superset.

    With `keep`, the features of `attributes` that are not kept are dropped; `attributes` are all
    features if it is not given. Keys and features of relations always stay. If an earlier step
    deselected all features that are named, nothing more is dropped.
    """

    example: ClassVar[str] = """
    slim:
      operator: FeatureSelectionByAttributes
      input: Customer
      drop: [household, since]
    """

    attributes: tuple[Feature, ...] | None = features(
        "the superset to drop from, all features if not given", default=None
    )
    keep: tuple[Feature, ...] | None = features("the features that stay", default=None)
    drop: tuple[Feature, ...] | None = features("the features that go", default=None)

    def candidates(self) -> tuple[Feature, ...]:
        """Gives exactly the features that are dropped."""
        if self.keep is None:
            return self.drop or ()
        kept = {f.name for f in self.keep} | self.input.bound_features
        superset = self.attributes or tuple(self.input.features.values())
        return tuple(f for f in superset if f.name not in kept)

    def training_features(self) -> tuple[str, ...]:
        """Reads no rows."""
        return ()

    def least(self) -> int:
        """Keeps none of what is to be dropped."""
        return 0

    def outline(self, notes: Notes) -> Concept:
        """Wants either `keep` or `drop`."""
        if (self.keep is None) == (self.drop is None):
            notes.mistake("", "FeatureSelectionByAttributes needs either 'keep' or 'drop'")
            return self.input
        if self.attributes is not None:
            superset = {f.name for f in self.attributes}
            for parameter, chosen in (("keep", self.keep), ("drop", self.drop)):
                for feature in chosen or ():
                    if feature.name not in superset:
                        notes.mistake(parameter, f"{feature.name!r} is not among the attributes")
        return super().outline(notes)

    def learn(self, rows: TrainingRows) -> Selection:
        """Reads no data: the choice is in the parameters."""
        dropped = tuple(f.name for f in self.candidates())
        kept = tuple(name for name in self.input.features if name not in dropped)
        return Selection(kept, dropped, "selected by hand", {})
