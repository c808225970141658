"""Linear machines trained by aggregate queries: each pass over the rows is one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from sqlglot import exp

from miningflow.declare import TrainingRows
from miningflow.learn.arrays import Matrix
from miningflow.learn.encoding import Encoding
from miningflow.learn.margins import Band, HingeSums, together
from miningflow.learn.newton import Sums
from miningflow.sql.literals import double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.train.svm.streamed_rows import StreamedRows, in_memory
from miningflow.train.svm.training_columns import (
    Target,
    as_number,
    encoded_columns,
    greatest,
    product,
    total,
    within,
)


class RowsInDatabase:
    """Rows seen through aggregates; see `MarginRows`.

    A row with a NULL has no slack: it is NULL or 0 in all sums. The same trees
    occur in many aggregates of a query; DuckDB computes what is common to them once. This is why
    there is no CASE in them: what is inside of one is computed each time.
    """

    def __init__(
        self,
        rows: TrainingRows,
        encoding: Encoding,
        target: Target,
        count: int,
        stream: StreamedRows,
        tell: Callable[[], None],
    ) -> None:
        self._rows, self._stream, self._tell = rows, stream, tell
        self._columns = encoded_columns(encoding)
        self._shifts = np.array([each.shift for each in self._columns] + [0.0])
        self._scales = np.array([each.scale for each in self._columns] + [1.0])
        self._target, self._sides = target, target.sides()
        self._count = count * len(self._sides)

    @property
    def rows(self) -> int:
        """The number of complete rows, times that of the sides of each."""
        return self._count

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return len(self._columns)

    def squared_hinge(self, weights: Matrix, curvature: bool) -> Sums:
        """Sums max(0, s)²."""
        slacks = self._slacks(weights)
        short = [greatest(slack) for slack in slacks]
        heavy = self._priced(short)
        squares = [product(*both) for both in zip(heavy, short, strict=True)]
        sums = {"loss": total(squares), **self._pulls(heavy)}
        if curvature:
            sums |= self._products([exp.GT(this=s, expression=double(0)) for s in slacks])
        found = self._pass(sums)
        return Sums(found["loss"], -2 * self._pulled(found), self._curved(found, 2.0, curvature))

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        slacks = self._slacks(weights)
        pulls = [_pull(slack, smoothing) for slack in slacks]
        rests = [exp.Paren(this=exp.Sub(this=double(1), expression=pull)) for pull in pulls]
        offsets = [side.offset for side in self._sides]
        heavy = self._priced(pulls)
        sums = {
            "loss": total([product(*both) for both in zip(heavy, slacks, strict=True)]),
            "bend": total([product(*both) for both in zip(heavy, rests, strict=True)]),
            "exact": total(self._priced([greatest(slack) for slack in slacks])),
            "pulls": total([product(*both) for both in zip(heavy, offsets, strict=True)]),
            **self._pulls(heavy),
        }
        if curvature:
            sizes = [exp.Abs(this=slack.copy()) for slack in slacks]
            sums |= self._products([exp.LT(this=s, expression=double(smoothing)) for s in sizes])
        found = self._pass(sums)
        bent = self._curved(found, 1 / (2 * smoothing), curvature)
        loss = found["loss"] + smoothing * found["bend"]
        return HingeSums(loss, -self._pulled(found), bent, found["exact"], found["pulls"])

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        slacks = self._slacks(weights)
        sums = {
            f"near {k}": total([as_number(within(slack, width)) for slack in slacks])
            for k, width in enumerate(widths)
        }
        return [round(count) for count in self._pass(sums).values()]

    def above(self, weights: Matrix, bound: float) -> int:
        """Counts the rows with s above a bound."""
        slacks = self._slacks(weights)
        over = [as_number(exp.GT(this=slack, expression=double(bound))) for slack in slacks]
        return round(self._pass({"above": total(over)})["above"])

    def band(self, weights: Matrix, width: float) -> Band:
        """Returns the rows with |s| up to a width, and sums up the violators beyond."""
        slacks = self._slacks(weights)
        beyond = self._priced(
            [as_number(exp.GT(this=s.copy(), expression=double(width))) for s in slacks]
        )
        offsets = [side.offset for side in self._sides]
        found = self._pass(
            {
                "beyond": total([product(*both) for both in zip(beyond, offsets, strict=True)]),
                **self._pulls(beyond),
            }
        )
        near = cast(exp.Expression, exp.or_(*[within(s, width) for s in slacks], copy=False))
        parts = (
            in_memory(self._target, rows).band(weights, width) for rows in self._stream.arrays(near)
        )
        # What rounding puts beyond here and within there is in the sums of the parts.
        band = together(parts, self.width)
        return replace(
            band,
            far=band.far + self._pulled(found),
            beyond=band.beyond + found["beyond"],
        )

    def _slacks(self, weights: Matrix) -> list[exp.Expression]:
        """Returns o - y·f(x) by side, with scales and shifts folded into the weights."""
        folded = weights / self._scales
        terms: list[exp.Expression] = [
            exp.Mul(this=each.tree.copy(), expression=double(float(weight)))
            for each, weight in zip(self._columns, folded[:-1], strict=True)
        ]
        intercept = double(float(folded[-1] - folded @ self._shifts))
        decision = exp.Paren(this=balanced_sum([intercept, *terms]))
        return [
            exp.Paren(
                this=exp.Sub(this=side.offset.copy(), expression=product(side.sign, decision))
            )
            for side in self._sides
        ]

    def _priced(self, trees: Sequence[exp.Expression]) -> list[exp.Expression]:
        """Multiplies what each side adds to a sum by its cost."""
        return [side.priced(tree) for side, tree in zip(self._sides, trees, strict=True)]

    def _pulls(self, pulls: Sequence[exp.Expression]) -> dict[str, exp.Expression]:
        """Sums pull · y · (x, 1)."""
        signed = [product(pull, side.sign) for pull, side in zip(pulls, self._sides, strict=True)]
        both = exp.Paren(this=balanced_sum(signed))
        sums = {
            f"pull {i}": exp.Sum(this=product(both, each.tree))
            for i, each in enumerate(self._columns)
        }
        return {**sums, f"pull {self.width}": exp.Sum(this=both.copy())}

    def _pulled(self, found: Mapping[str, float]) -> Matrix:
        sums = np.array([found[f"pull {i}"] for i in range(self.width + 1)])
        pulled: Matrix = (sums - self._shifts * sums[-1]) / self._scales
        return pulled

    def _products(self, bent: Sequence[exp.Expression]) -> dict[str, exp.Expression]:
        """Sums (x, 1)·(x, 1)', the lower half, where conditions hold, once for each."""
        curved = exp.Paren(this=balanced_sum(self._priced([as_number(each) for each in bent])))
        sums: dict[str, exp.Expression] = {
            f"product {self.width} {self.width}": exp.Sum(this=curved)
        }
        for i, one in enumerate(self._columns):
            first = exp.Paren(this=product(curved, one.tree))
            sums[f"product {self.width} {i}"] = exp.Sum(this=first.copy())
            for j, other in enumerate(self._columns[: i + 1]):
                sums[f"product {i} {j}"] = exp.Sum(this=product(first, other.tree))
        return sums

    def _curved(self, found: Mapping[str, float], factor: float, wanted: bool) -> Matrix | None:
        if not wanted:
            return None
        size = self.width + 1
        raw = np.zeros((size, size))
        for i in range(size):
            for j in range(i + 1):
                raw[i, j] = raw[j, i] = found[f"product {i} {j}"]
        shifting = np.eye(size)
        shifting[:, -1] -= self._shifts
        shifted = shifting @ raw @ shifting.T
        full: Matrix = factor * shifted / np.outer(self._scales, self._scales)
        return full

    def _pass(self, sums: Mapping[str, exp.Expression]) -> dict[str, float]:
        self._tell()
        return {name: float(v or 0) for name, v in self._rows.aggregate(sums).items()}


def _pull(slack: exp.Expression, smoothing: float) -> exp.Expression:
    raised = exp.Paren(this=exp.Add(this=slack.copy(), expression=double(smoothing)))
    share = greatest(raised * double(1 / (2 * smoothing)))
    return exp.Least(this=double(1), expressions=[share], ignore_nulls=True)
