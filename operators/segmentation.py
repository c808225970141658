"""Operators that divide rows into segments, and put them together again."""

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
from miningflow.sql.literals import column, text
from miningflow.sql.sampling import draw_hash, drawn

from .discretization import cut_expression, interval_labels
from .quantiles import equal_parts
from .value_counts import value_counts

# Every later step has a branch for each segment in its SQL.
MOST_SEGMENTS = 1_000
INTERVALS = 4


@dataclass(frozen=True)
class Strata:
    """The values, or the cut points, that make a segment each."""

    values: tuple[str, ...]
    cuts: tuple[float, ...] = ()


@operator
class SegmentationStratified(SegmentingOperator):
    """Makes a segment of each value of a feature; of a number, of each interval.

    From here on every step runs in each segment by itself: a mean is the mean of the segment, a
    support vector machine is learned once for each, a selection may keep other features in each. A
    segmented concept can be segmented further. `Unsegment` ends it.

    A nominal feature has a segment for each value that occurs at least `at_least` times in the rows
    to learn from. Rows with a missing value, a rarer one, or one that only new rows have are the
    rest, whose segment is NULL. A numeric feature is cut at `cuts`, or else into `intervals` with
    equally many rows; NULL is the rest. The rest is a segment like others, but for this: if nothing
    can be learned from its rows, what a step makes is NULL there, and the run goes on.
    """

    example: ClassVar[str] = """
    by_region:
      operator: SegmentationStratified
      input: Customer
      by: region
    """
    learns: ClassVar[type[Any] | None] = Strata

    by: Feature = feature("the feature to divide by", types=["nominal", "binary", "numeric"])
    at_least: int = integer(
        "how many rows a value must have for a segment of its own", default=1, minimum=1
    )
    cuts: tuple[float, ...] | None = cuts(
        "of a number: where to cut; each point belongs to the interval above", default=None
    )
    intervals: int | None = integer(
        f"of a number: into how many intervals with equally many rows; {INTERVALS} unless given",
        default=None,
        minimum=2,
        maximum=MOST_SEGMENTS,
    )

    def outline(self, notes: Notes) -> Concept:
        """Keeps all features; cuts are for numbers, and one way to cut is enough."""
        given = {name: getattr(self, name) for name in ("cuts", "intervals")}
        for name, value in given.items():
            if value is not None and self.by.type != "numeric":
                message = f"{name!r} is for numbers, and {self.by.name!r} is {self.by.type}"
                notes.mistake(name, message, f"leave {name!r} out, or cut another feature")
        if self.cuts is not None and self.intervals is not None:
            notes.mistake("intervals", "`cuts` and `intervals` are both given", "give one of them")
        if self.at_least > 1 and self.by.type == "numeric":
            notes.mistake("at_least", f"{self.by.name!r} is numeric", "give 'cuts' or 'intervals'")
        return super().outline(notes)

    def learn(self, rows: TrainingRows) -> Strata:
        """Learns which values there are, or where to cut."""
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
                f"no value of {self.by.name!r} has {self.at_least:,} rows; the most has {most:,}",
                "give a smaller `at_least`",
            )
        if len(values) > MOST_SEGMENTS:
            raise LearningError(
                f"{self.by.name!r} would make {len(values):,} segments, at most "
                f"{MOST_SEGMENTS:,} are possible",
                "give a larger `at_least`, or put values together with a grouping first",
            )
        rest = len(counts) - len(values)
        rarer = f"; {rest:,} rarer values are the rest" if rest else ""
        rows.note(f"{len(values):,} segments{rarer}")
        return Strata(values)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Names the segments after values or intervals; the rest comes last."""
        if artifact is None:
            return (None,)
        if self.by.type == "numeric":
            return (*interval_labels(artifact.cuts, self._closed), None)
        return (*artifact.values, None)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds the value, or the interval, as the name of the segment."""
        if self.by.type == "numeric":
            named = cut_expression(self.by.name, artifact.cuts, self._closed)
        else:
            values = [text(value) for value in artifact.values]
            known = exp.In(this=column(self.by.name), expressions=values)
            named = exp.Case(ifs=[exp.If(this=known, true=column(self.by.name))])
        return over(inputs[self.input.name]).extend({self.output: named})

    @property
    def _closed(self) -> str:
        """Says which end belongs to an interval: learned ones end at a value that was seen."""
        return "left" if self.cuts is not None else "right"


@operator
class SegmentationByPartitioning(SegmentingOperator):
    """Divides rows at random into segments of about equal size, the same ones every time.

    Which segment a row falls into depends on a hash of its key and the seed, and is the same on
    every run and every engine; of a concept without a key, on a hash of all its features. The
    segments are called 1, 2, 3 and so on. From here on every step runs in each segment by itself,
    until `Unsegment`.
    """

    example: ClassVar[str] = """
    thirds:
      operator: SegmentationByPartitioning
      input: Customer
      partitions: 3
      seed: 4
    """

    partitions: int = integer("how many segments", minimum=1, maximum=MOST_SEGMENTS)
    seed: int = integer("another seed divides otherwise", default=0)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Numbers the segments."""
        return _numbers(self.partitions)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds a number that depends on the hash."""
        chance = draw_hash(self.input.key, list(self.input.features), "partition", self.seed)
        shares = [(text(label), 1 / self.partitions) for label in _numbers(self.partitions)]
        branches, last = drawn(chance, shares)
        named = exp.Case(ifs=branches, default=last) if branches else last
        return over(inputs[self.input.name]).extend({self.output: named})


@operator
class Repeat(SegmentingOperator):
    """Repeats the same rows in several segments.

    From here on every step runs in each of them by itself, until `Unsegment`. A step with a `seed`
    draws otherwise in each: in the second segment its seed is 1 more, in the third 2 more, and so
    on. So one sampling step after `Repeat` draws several samples. The segments are called 1, 2, 3
    and so on. After `Unsegment` a row is there as often as it was repeated and not dropped, so that
    the concept has no key any more.
    """

    example: ClassVar[str] = """
    twice:
      operator: Repeat
      input: Customer
      times: 2
    """
    repeats: ClassVar[bool] = True

    times: int = integer("how often", minimum=1, maximum=MOST_SEGMENTS)

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Multiplies rows and missing values; no new values come."""
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
    """Puts the segments of one segmentation together again.

    The rows of all segments are in the output, and what names the segment becomes an ordinary
    feature. A feature that a selection dropped in some segments is NULL in their rows; one that was
    dropped in all of them is deselected. `miningflow show` tells which.

    Of nested segmentations the last one ends, or the one that `by` names; the others go on.
    """

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
