"""The operator that selects features by hand."""

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
    """Selects features by hand: lists the features to drop, or those to keep.

    With `keep`, the other features of `attributes` are dropped; by default `attributes` are all
    features. Keys and features of relations always stay. If an earlier step has already deselected
    all the features that are named, nothing more is dropped.
    """

    alias: ClassVar[str] = "SelectByHand"
    finds: ClassVar[tuple[str, ...]] = ("drop columns", "keep columns", "column filter")
    example: ClassVar[str] = """
    slim:
      operator: FeatureSelectionByAttributes
      input: Customer
      drop: [household, since]
    """

    attributes: tuple[Feature, ...] | None = features(
        "the features that may be dropped; by default all", default=None
    )
    keep: tuple[Feature, ...] | None = features("the features to keep", default=None)
    drop: tuple[Feature, ...] | None = features("the features to drop", default=None)

    def candidates(self) -> tuple[Feature, ...]:
        """Returns exactly the features to drop."""
        if self.keep is None:
            return self.drop or ()
        kept = {f.name for f in self.keep} | self.input.bound_features
        superset = self.attributes or tuple(self.input.features.values())
        return tuple(f for f in superset if f.name not in kept)

    def training_features(self) -> tuple[str, ...]:
        """Returns nothing: no rows are read."""
        return ()

    def least(self) -> int:
        """Returns 0: all candidates are dropped."""
        return 0

    def outline(self, notes: Notes) -> Concept:
        """Checks that either `keep` or `drop` is given, within `attributes`."""
        if (self.keep is None) == (self.drop is None):
            notes.error("", "FeatureSelectionByAttributes needs either 'keep' or 'drop'")
            return self.input
        if self.attributes is not None:
            superset = {f.name for f in self.attributes}
            for parameter, chosen in (("keep", self.keep), ("drop", self.drop)):
                for feature in chosen or ():
                    if feature.name not in superset:
                        notes.error(parameter, f"{feature.name!r} is not among the attributes")
        return super().outline(notes)

    def learn(self, rows: TrainingRows) -> Selection:
        """Returns the choice that the parameters make; reads no data."""
        dropped = tuple(f.name for f in self.candidates())
        kept = tuple(name for name in self.input.features if name not in dropped)
        return Selection(kept, dropped, "selected by hand", {})
