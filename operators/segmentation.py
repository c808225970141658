"""Operators that divide rows into segments, and merge the segments again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    LearningError,
    Notes,
    SegmentingOperator,
    TrainingRows,
    UnsegmentingOperator,
    cuts,
    feature,
    integer,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate
from miningflow.declare.segmentation import Label
from miningflow.sql.block import Append, Block, Source, over
from miningflow.sql.categories import interval_case, interval_labels
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, text
from miningflow.sql.sampling import draw_hash, drawn
from miningflow.train.quantiles import equal_parts
from miningflow.train.value_counts import value_counts

# Every later step has a branch for each segment in its SQL.
MOST_SEGMENTS = 1_000
INTERVALS = 4


@dataclass(frozen=True)
class Strata:
    """The values, or the cut points, that define the segments."""

    values: tuple[str, ...]
    cuts: tuple[float, ...] = ()


@operator
class SegmentationStratified(SegmentingOperator):
    """Divides rows into segments, one for each value of a feature or each interval of a number.

    Every later step runs in each segment separately: a mean is the mean of the segment, a support
    vector machine is learned for each segment, and a selection may keep different features in each.
    A segmented concept can be segmented further. `Unsegment` ends the segmentation.

    A nominal feature makes a segment for each value that occurs at least `at_least` times in the
    training rows. Rows with NULL, a rarer value, or a value that only new rows have form the rest,
    whose segment is NULL. A numeric feature is cut at `cuts`, or else into `intervals` with equally
    many rows; rows with NULL are the rest. The rest is treated as a segment, with one exception: if
    nothing can be learned from its rows, what a step computes is NULL there, and the run continues.
    """

    alias: ClassVar[str] = "SegmentBy"
    finds: ClassVar[tuple[str, ...]] = ("split", "partition", "per group", "model per group")
    example: ClassVar[str] = """
    by_region:
      operator: SegmentationStratified
      input: Customer
      by: region
    """
    learns: ClassVar[type[Any] | None] = Strata

    by: Feature = feature("the feature to segment by", types=["nominal", "binary", "numeric"])
    at_least: int = integer(
        "how many training rows a value needs to form a segment", default=1, minimum=1
    )
    cuts: tuple[float, ...] | None = cuts(
        "for numbers: the points to cut at; each belongs to the interval above it", default=None
    )
    intervals: int | None = integer(
        f"for numbers: how many intervals with equally many rows to make; by default {INTERVALS}",
        default=None,
        minimum=2,
        maximum=MOST_SEGMENTS,
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; refuses cuts of a nominal feature, and two ways to cut."""
        given = {name: getattr(self, name) for name in ("cuts", "intervals")}
        for name, value in given.items():
            if value is not None and self.by.type != "numeric":
                message = (
                    f"{name!r} needs a numeric feature, but {self.by.name!r} is {self.by.type}"
                )
                notes.error(name, message, f"leave {name!r} out, or segment by a numeric feature")
        if self.cuts is not None and self.intervals is not None:
            notes.error("intervals", "`cuts` and `intervals` are both given", "give one of them")
        if self.at_least > 1 and self.by.type == "numeric":
            notes.error("at_least", f"{self.by.name!r} is numeric", "give 'cuts' or 'intervals'")
        return super().outline(notes)

    def learn(self, rows: TrainingRows) -> Strata:
        """Learns which values occur, or where to cut."""
        if self.by.type == "numeric":
            if self.cuts is not None:
                return Strata((), self.cuts)
            parts = equal_parts(rows, self.by.name, self.intervals or INTERVALS)
            return Strata((), parts.ends[:-1])
        counts = value_counts(rows, self.by.name)
        values = tuple(value for value, n in counts.items() if n >= self.at_least)
        if not values:
            most = max(counts.values())
            raise LearningError(
                f"no value of {self.by.name!r} has {self.at_least:,} rows; "
                f"the most frequent has {most:,}",
                "set a smaller `at_least`",
            )
        if len(values) > MOST_SEGMENTS:
            raise LearningError(
                f"{self.by.name!r} would make {len(values):,} segments; at most "
                f"{MOST_SEGMENTS:,} are possible",
                "set a larger `at_least`, or merge values first, with GroupingGivenNoOfGroups",
            )
        rest = len(counts) - len(values)
        rarer = f"; {rest:,} rarer values form the rest" if rest else ""
        rows.note(f"{len(values):,} segments{rarer}")
        return Strata(values)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Names the segments after values or intervals, and the rest last."""
        if artifact is None:
            return (None,)
        if self.by.type == "numeric":
            return (*interval_labels(artifact.cuts, self._closed), None)
        return (*artifact.values, None)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds the value or the interval as the name of the segment."""
        if self.by.type == "numeric":
            named = interval_case(self.by.name, artifact.cuts, self._closed)
        else:
            values = [text(value) for value in artifact.values]
            known = exp.In(this=column(self.by.name), expressions=values)
            named = when(known, column(self.by.name))
        return over(inputs[self.input.name]).extend({self.output: named})

    @property
    def _closed(self) -> str:
        """The end that belongs to an interval: learned intervals end at a training value."""
        return "left" if self.cuts is not None else "right"


@operator
class SegmentationByPartitioning(SegmentingOperator):
    """Divides rows at random into segments of about equal size, the same on every run.

    The segment of a row depends on a hash of its key and the seed, and is the same on every run and
    every engine; if the concept has no key, on a hash of all features. The segments are named 1, 2,
    3 and so on. Every later step runs in each segment separately, until `Unsegment`.
    """

    draws: ClassVar[bool] = True
    alias: ClassVar[str] = "SegmentRandom"
    finds: ClassVar[tuple[str, ...]] = ("split", "partition", "folds")
    example: ClassVar[str] = """
    thirds:
      operator: SegmentationByPartitioning
      input: Customer
      partitions: 3
      seed: 4
    """

    partitions: int = integer("how many segments to make", minimum=1, maximum=MOST_SEGMENTS)
    seed: int = integer("the random seed; a different seed divides the rows differently", default=0)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Numbers the segments."""
        return _numbers(self.partitions)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds a segment number that depends on the hash."""
        chance = draw_hash(self.input.key, self.input.types, "partition", self.seed)
        shares = [(text(label), 1 / self.partitions) for label in _numbers(self.partitions)]
        branches, last = drawn(chance, shares)
        named = exp.Case(ifs=branches, default=last) if branches else last
        return over(inputs[self.input.name]).extend({self.output: named})


@operator
class Repeat(SegmentingOperator):
    """Repeats the same rows in several segments.

    Every later step runs in each segment separately, until `Unsegment`. A step with a `seed` draws
    differently in each segment: in the second its seed is 1 higher, in the third 2 higher, and so
    on. For example, one sampling step after `Repeat` draws several samples. The segments are named
    1, 2, 3 and so on. After `Unsegment` a row occurs once for each segment that did not drop it, so
    the concept has no key any more.
    """

    finds: ClassVar[tuple[str, ...]] = ("bootstrap", "copies", "scenarios")
    example: ClassVar[str] = """
    twice:
      operator: Repeat
      input: Customer
      times: 2
    """
    repeats: ClassVar[bool] = True

    times: int = integer("how many times to repeat the rows", minimum=1, maximum=MOST_SEGMENTS)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Multiplies rows and missing values; adds no new values."""
        found = super().estimated(inputs, output)
        if self.only_first:
            return inputs[self.input.name]
        rows = reduce(Amount.plus, [found.rows] * self.times)
        features = {
            name: replace(f, missing=reduce(Amount.plus, [f.missing] * self.times))
            for name, f in found.features.items()
        }
        return ConceptEstimate(rows, features)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Numbers the repetitions."""
        return _numbers(self.times)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Appends the rows once for each repetition."""
        source = inputs[self.input.name]
        rows = [over(source).extend({self.output: text(n)}) for n in _numbers(self.times)]
        return rows[0] if len(rows) == 1 else over(Append(tuple(rows)))


@operator
class Unsegment(UnsegmentingOperator):
    """Merges the segments of a segmentation again.

    The output has the rows of all segments, and the name of the segment becomes an ordinary
    feature. A feature that a selection dropped in some segments is NULL in the rows of these; a
    feature that was dropped in all of them is deselected. `miningflow show` lists which.

    Of nested segmentations, the last one ends, or the one that `by` names; the others continue.
    """

    finds: ClassVar[tuple[str, ...]] = ("merge segments", "combine segments", "union")
    example: ClassVar[str] = """
    thirds:
      operator: SegmentationByPartitioning
      input: Customer
      partitions: 3
    together:
      operator: Unsegment
      input: thirds
    """

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Reads the rows of all segments."""
        return over(inputs[self.input.name])


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(count))
