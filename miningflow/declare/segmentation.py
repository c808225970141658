"""Segmentation: operators that divide rows into segments, in which later steps run one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from miningflow.declare.concept import Concept, Feature
from miningflow.declare.estimates import Amount, ConceptEstimate, carried
from miningflow.declare.kinds.concepts import concept
from miningflow.declare.kinds.features import new_feature
from miningflow.declare.kinds.values import literal
from miningflow.declare.kinds.words import boolean
from miningflow.declare.operator import Family, Notes, Operator, operator
from miningflow.errors import suggestion

Label = str | None
"""What a segment is called; None is the rest: rows that belong to none of the others."""

Artifact = TypeVar("Artifact")


@dataclass(frozen=True)
class Segment:
    """One segment: for each segmentation that it is part of, the column and the label."""

    labels: tuple[tuple[str, Label], ...] = ()

    def within(self, features: Iterable[str]) -> Segment:
        """Returns the segment of fewer segmentations that this one is part of."""
        kept = set(features)
        return Segment(tuple((name, label) for name, label in self.labels if name in kept))

    def with_label(self, feature: str, label: Label) -> Segment:
        """Returns the part of this segment that has a label in another segmentation."""
        return Segment((*self.labels, (feature, label)))

    def agrees(self, other: Segment) -> bool:
        """Returns whether rows can be in both."""
        mine = dict(self.labels)
        return all(mine.get(name, label) == label for name, label in other.labels)

    @property
    def is_rest(self) -> bool:
        """Returns whether the rows belong to no segment that was named."""
        return any(label is None for _, label in self.labels)

    def __str__(self) -> str:
        shown = (
            f"{name} {label!r}" if label is not None else f"the rest of {name}"
            for name, label in self.labels
        )
        return ", ".join(shown)


@dataclass(frozen=True)
class PerSegment(Generic[Artifact]):
    """What a step learned in each segment; None where there was nothing to learn from."""

    segments: tuple[Segment, ...]
    artifacts: tuple[Artifact | None, ...]

    def check_parts(self) -> None:
        """Refuses what is stored for other segments than these."""
        if not len(self.artifacts) == len(self.segments) == len(set(self.segments)):
            raise ValueError("what was learned does not fit the segments")

    def of(self, segment: Segment) -> Artifact | None:
        """Returns what was learned in a segment."""
        return dict(zip(self.segments, self.artifacts, strict=True)).get(segment)


def artifacts_of(learned: Any) -> list[tuple[Segment, Any]]:
    """Returns what a step learned, by segment; outside of segments there is one without labels."""
    if isinstance(learned, PerSegment):
        pairs = zip(learned.segments, learned.artifacts, strict=True)
        return [(segment, found) for segment, found in pairs if found is not None]
    return [] if learned is None else [(Segment(), learned)]


@operator
class SegmentingOperator(Operator):
    """An operator that divides rows; its block has one more column, which names the segment.

    The compiler runs every later step once for each label, until `Unsegment`. Meanwhile the column
    is no feature: in a segment it would be the same for all rows.
    """

    family: ClassVar[Family] = "segmentation"
    repeats: ClassVar[bool] = False
    """Whether every row is in every segment."""

    input: Concept = concept("the concept whose rows are divided")
    output: str = new_feature(
        "the column that names the segment; a feature after Unsegment", default="segment"
    )
    only_first: bool = boolean(
        "keep only the first segment, to try a case; `miningflow run --lazy` does so for all",
        default=False,
    )

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Names the segments, in order."""
        raise NotImplementedError

    def outline(self, notes: Notes) -> Concept:
        """Keeps the features; the name of the segment must be none of them."""
        taken = next((f for f in self.input.columns if f.casefold() == self.output.casefold()), "")
        if taken:
            notes.error(
                "output" if self.output != "segment" else "",
                f"{self.input.name!r} already has {taken!r}",
                "give the column that names the segment another name with 'output'",
            )
        return self.input

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps all rows and features, unless only the first segment is wanted."""
        whole = inputs[self.input.name]
        if self.only_first:
            return carried(Amount(None, 0.0, whole.rows.high), [whole], output)
        return carried(whole.rows, [whole], output)


@operator
class UnsegmentingOperator(Operator):
    """An operator that puts the segments of one segmentation together again."""

    family: ClassVar[Family] = "segmentation"

    input: Concept = concept("a concept that is segmented")
    by: str | None = literal(
        "the segmentation to end, by its column; without it, the last one", default=None
    )

    @property
    def ended(self) -> str:
        """Names the column of the segmentation that ends."""
        return self.by or self.input.segmentations[-1].feature

    def outline(self, notes: Notes) -> Concept:
        """Makes the column that names the segments a feature."""
        open_ones = {s.feature: s for s in self.input.segmentations}
        if not open_ones:
            notes.error(
                "input",
                f"{self.input.name!r} is not segmented",
                "segment it first, with no other Unsegment in between",
            )
            return self.input
        if self.ended not in open_ones:
            notes.error(
                "by",
                f"{self.input.name!r} is not segmented by {self.by!r}",
                suggestion(self.ended, open_ones, "segmentations"),
            )
            return self.input
        whole = self.input.with_features(Feature(self.ended, "nominal"))
        if open_ones[self.ended].repeats:  # a key that stands in several rows is none
            whole = replace(whole, key=None)
        kept = tuple(s for s in self.input.segmentations if s.feature != self.ended)
        return replace(whole, segmentations=kept)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Keeps all rows; of the name of the segment nothing is known."""
        whole = inputs[self.input.name]
        return carried(whole.rows, [whole], output)
