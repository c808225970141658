"""Linear machines with many columns, trained on rows that stream by: sums by BLAS, flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from miningflow.learn.arrays import Matrix
from miningflow.learn.margins import Band, HingeSums, RowsInMemory, together
from miningflow.learn.newton import Sums, summed
from miningflow.train.svm.streamed_rows import StreamedRows, in_memory
from miningflow.train.svm.training_columns import Target


@dataclass(frozen=True)
class RowsInStream:
    """Rows seen as they stream by; see `MarginRows`."""

    stream: StreamedRows
    target: Target
    count: int
    width: int
    tell: Callable[[], None]

    @property
    def rows(self) -> int:
        """The number of complete rows, times that of the sides of each."""
        return self.count * len(self.target.sides())

    def squared_hinge(self, weights: Matrix, curvature: bool) -> Sums:
        """Sums max(0, s)²."""
        return summed(part.squared_hinge(weights, curvature) for part in self._parts())

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        return summed(part.hinge(weights, smoothing, curvature) for part in self._parts())

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        counts = [part.near(weights, widths) for part in self._parts()]
        return [sum(column) for column in zip(*counts, strict=True)]

    def above(self, weights: Matrix, bound: float) -> int:
        """Counts the rows with s above a bound."""
        return sum(part.above(weights, bound) for part in self._parts())

    def band(self, weights: Matrix, width: float) -> Band:
        """Returns the rows with |s| up to a width, and sums up the violators beyond."""
        return together((part.band(weights, width) for part in self._parts()), self.width)

    def _parts(self) -> Iterator[RowsInMemory]:
        self.tell()
        for part in self.stream.arrays():
            yield in_memory(self.target, part)
