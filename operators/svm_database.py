"""Linear machines trained inside the database: each pass over the rows is one aggregate query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import Feature, TrainingRows
from miningflow.declare.rows import learned_number, not_finite
from miningflow.learn.encoding import (
    Encoding,
    NominalPredictor,
    NumericPredictor,
    Predictor,
    nominal_predictor,
)
from miningflow.learn.linear_training import Trained, train_hinge, train_squared_hinge
from miningflow.learn.margins import Band, HingeSums, RowsInMemory
from miningflow.learn.newton import Sums
from miningflow.learn.threads import single_blas_thread
from miningflow.sql.literals import column, double, text
from miningflow.sql.models.balanced import balanced_sum

from .classes import two_classes
from .predictors import refuse_many_categories

Matrix = npt.NDArray[np.float64]

# Rows that are fetched for a first guess; the result does not depend on them.
GUESSED_FROM = 25_000
MOST_CLASSES = 1000
# Greater numbers are infinite or NaN, which compares as greater than everything.
GREATEST = 1.7976931348623157e308


@dataclass(frozen=True)
class TrainedInDatabase:
    """A machine, and how many queries over all rows it took."""

    trained: Trained
    passes: int


def train_in_database(
    rows: TrainingRows,
    encoding: Encoding,
    target: str,
    positive: str,
    count: int,
    loss: str,
    C: float,
) -> TrainedInDatabase:
    """Trains a linear machine on all complete rows, of which there are so many."""
    margins = RowsInDatabase(rows, encoding, target, positive, count)
    sample = _first_rows(rows, encoding, target, positive)
    train = train_hinge if loss == "hinge" else train_squared_hinge
    with single_blas_thread():
        return TrainedInDatabase(train(margins, C, sample), margins.passes)


@dataclass(frozen=True)
class Complete:
    """How many training rows have no NULL."""

    count: int
    known: exp.Expression | None
    """Holds for them; None if it holds for all rows."""


def count_complete(rows: TrainingRows, features: Sequence[Feature], target: Feature) -> Complete:
    """Counts the rows without a NULL in the predictors or the target."""
    names = [f.name for f in (*features, target)]
    counts = {f"known {i}": exp.Count(this=column(name)) for i, name in enumerate(names)}
    every = rows.aggregate({"all": exp.Count(this=exp.Star()), **counts})
    if len(set(every.values())) == 1:
        return Complete(int(every["all"]), None)
    present = [exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in names]
    known = cast(exp.Expression, exp.and_(*present, copy=False))
    found = rows.aggregate({"complete": _among(exp.Count(this=exp.Star()), known)})
    return Complete(int(found["complete"]), known)


def other_class(rows: TrainingRows, complete: Complete, target: Feature, positive: str) -> str:
    """Gives the negative class of the complete rows."""
    counts = _counts(rows, complete, target.name, MOST_CLASSES)
    if len(counts) == 2 and positive in counts:
        return next(value for value in counts if value != positive)
    return two_classes(np.repeat(list(counts), list(counts.values())), target, positive)


def encoding_in_database(
    rows: TrainingRows, complete: Complete, features: Sequence[Feature]
) -> Encoding:
    """Learns means, scales and categories of the complete rows by aggregates."""
    numeric = [f.name for f in features if f.type == "numeric"]
    numbers = _moments(rows, complete, numeric)
    predictors: list[Predictor] = []
    for feature in features:
        if feature.type == "numeric":
            mean, scale = numbers[feature.name]
            predictors.append(NumericPredictor(feature.name, mean, scale))
        else:
            predictors.append(_categories(rows, complete, feature.name))
    return Encoding(tuple(predictors))


def _moments(
    rows: TrainingRows, complete: Complete, names: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Gives mean and standard deviation, as numpy does: first the mean, then what differs."""
    if not names:
        return {}
    first: dict[str, exp.Expression] = {}
    for i, name in enumerate(names):
        first[f"least {i}"] = exp.Min(this=column(name))
        first[f"most {i}"] = exp.Max(this=column(name))
        first[f"mean {i}"] = exp.Avg(this=column(name))
    found = rows.aggregate({k: _among(tree, complete.known) for k, tree in first.items()})
    for i, name in enumerate(names):
        # NaN is the greatest of all numbers
        if not np.isfinite([found[f"least {i}"], found[f"most {i}"]]).all():
            raise not_finite(name, _count_infinite(rows, complete, name))
    constant = [found[f"least {i}"] == found[f"most {i}"] for i in range(len(names))]
    means = [float(found[f"least {i}" if same else f"mean {i}"]) for i, same in enumerate(constant)]
    second: dict[str, exp.Expression] = {}
    for i, (name, mean) in enumerate(zip(names, means, strict=True)):
        off = exp.Paren(this=exp.Sub(this=column(name), expression=double(mean)))
        second[f"square {i}"] = exp.Avg(this=exp.Mul(this=off, expression=off.copy()))
    squares = rows.aggregate({k: _among(tree, complete.known) for k, tree in second.items()})
    return {
        name: (
            means[i],
            1.0 if constant[i] else learned_number(squares[f"square {i}"], name) ** 0.5,
        )
        for i, name in enumerate(names)
    }


def _count_infinite(rows: TrainingRows, complete: Complete, name: str) -> int:
    finite = exp.Between(this=column(name), low=double(-GREATEST), high=double(GREATEST))
    bad = exp.Case(ifs=[exp.If(this=exp.Not(this=finite), true=double(1))])
    counted = rows.aggregate({"bad": _among(exp.Count(this=bad), complete.known)})
    return int(counted["bad"])


def _categories(rows: TrainingRows, complete: Complete, name: str) -> NominalPredictor:
    distinct = exp.Count(this=exp.Distinct(expressions=[column(name)]))
    found = rows.aggregate({"all": distinct, "known": _among(distinct, complete.known)})
    refuse_many_categories(name, int(found["known"]))
    counts = _counts(rows, complete, name, int(found["all"]) + 1)
    shares = {category: n / complete.count for category, n in sorted(counts.items())}
    return nominal_predictor(name, shares)


def _counts(rows: TrainingRows, complete: Complete, name: str, most: int) -> dict[str, int]:
    number = _among(exp.Count(this=exp.Star()), complete.known)
    found = rows.groups([name], {"number of rows": number}, most)
    return {str(row[name]): int(n) for row in found if (n := row["number of rows"])}


class RowsInDatabase:
    """Rows seen through aggregates; see `MarginRows`.

    A row with a NULL has no slack: it is NULL or 0 in all sums. The same trees
    occur in many aggregates of a query; DuckDB computes what is common to them once. This is why
    there is no CASE in them: what is inside of one is computed each time.
    """

    def __init__(
        self, rows: TrainingRows, encoding: Encoding, target: str, positive: str, count: int
    ) -> None:
        self._rows = rows
        self._columns = _columns(encoding)
        self._shifts = np.array([each.shift for each in self._columns] + [0.0])
        self._scales = np.array([each.scale for each in self._columns] + [1.0])
        self._target, self._positive, self._count = target, positive, count
        self.passes = 0

    @property
    def rows(self) -> int:
        """The number of complete rows."""
        return self._count

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return len(self._columns)

    def squared_hinge(self, weights: Matrix, curvature: bool) -> Sums:
        """Sums max(0, s)²."""
        short = _greatest(self._slack(weights))
        sums = {"loss": _sum(short, short), **self._pulls(short)}
        if curvature:
            sums |= self._products(
                _as_number(exp.GT(this=self._slack(weights), expression=double(0)))
            )
        found = self._pass(sums)
        return Sums(found["loss"], -2 * self._pulled(found), self._curved(found, 2.0, curvature))

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        slack = self._slack(weights)
        raised = exp.Paren(this=exp.Add(this=slack.copy(), expression=double(smoothing)))
        pull = exp.Least(
            this=double(1),
            expressions=[_greatest(exp.Mul(this=raised, expression=double(1 / (2 * smoothing))))],
            ignore_nulls=True,
        )
        rest = exp.Paren(this=exp.Sub(this=double(1), expression=pull.copy()))
        sums = {
            "loss": _sum(pull, slack),
            "bend": _sum(pull, rest),
            "exact": _sum(_greatest(slack)),
            "pulls": _sum(pull),
            **self._pulls(pull),
        }
        if curvature:
            near = exp.LT(this=exp.Abs(this=slack.copy()), expression=double(smoothing))
            sums |= self._products(_as_number(near))
        found = self._pass(sums)
        bent = self._curved(found, 1 / (2 * smoothing), curvature)
        loss = found["loss"] + smoothing * found["bend"]
        return HingeSums(loss, -self._pulled(found), bent, found["exact"], found["pulls"])

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        sums = {
            f"near {k}": _sum(_as_number(_within(self._slack(weights), width)))
            for k, width in enumerate(widths)
        }
        return [round(count) for count in self._pass(sums).values()]

    def band(self, weights: Matrix, width: float) -> Band:
        """Gives the rows with |s| up to a width, and sums up the violators beyond."""
        slack = self._slack(weights)
        beyond = _as_number(exp.GT(this=slack.copy(), expression=double(width)))
        row = exp.Array(expressions=[*self._trees(), self._sign()])
        sums: dict[str, exp.Expression] = {
            "rows": exp.Filter(
                this=exp.ArrayAgg(this=row), expression=exp.Where(this=_within(slack, width))
            ),
            "violators": _sum(beyond),
            **self._pulls(beyond),
        }
        self._tell()
        answer = self._rows.aggregate(sums)
        near = np.array(answer.pop("rows") or [], dtype=np.float64).reshape(-1, self.width + 1)
        found = {name: float(value or 0) for name, value in answer.items()}
        return Band(
            (near[:, :-1] - self._shifts[:-1]) / self._scales[:-1],
            near[:, -1],
            self._pulled(found),
            found["violators"],
        )

    def _slack(self, weights: Matrix) -> exp.Expression:
        """Gives 1 - y·f(x), with scales and shifts folded into the weights."""
        folded = weights / self._scales
        terms: list[exp.Expression] = [
            exp.Mul(this=tree, expression=double(float(weight)))
            for tree, weight in zip(self._trees(), folded[:-1], strict=True)
        ]
        intercept = double(float(folded[-1] - folded @ self._shifts))
        decision = exp.Paren(this=balanced_sum([intercept, *terms]))
        product = exp.Mul(this=self._sign(), expression=decision)
        return exp.Paren(this=exp.Sub(this=double(1), expression=product))

    def _trees(self) -> list[exp.Expression]:
        return [each.tree.copy() for each in self._columns]

    def _sign(self) -> exp.Expression:
        equal = exp.EQ(this=column(self._target), expression=text(self._positive))
        doubled = exp.Mul(this=_as_number(equal), expression=double(2))
        return exp.Paren(this=exp.Sub(this=doubled, expression=double(1)))

    def _pulls(self, pull: exp.Expression) -> dict[str, exp.Expression]:
        """Sums pull · y · (x, 1)."""
        signed = exp.Paren(this=exp.Mul(this=pull.copy(), expression=self._sign()))
        sums = {f"pull {i}": _sum(signed, tree) for i, tree in enumerate(self._trees())}
        return {**sums, f"pull {self.width}": _sum(signed)}

    def _pulled(self, found: Mapping[str, float]) -> Matrix:
        sums = np.array([found[f"pull {i}"] for i in range(self.width + 1)])
        pulled: Matrix = (sums - self._shifts * sums[-1]) / self._scales
        return pulled

    def _products(self, curved: exp.Expression) -> dict[str, exp.Expression]:
        """Sums curved · (x, 1)·(x, 1)', the lower half."""
        sums = {f"product {self.width} {self.width}": _sum(curved)}
        trees = self._trees()
        for i, one in enumerate(trees):
            first = exp.Paren(this=exp.Mul(this=curved.copy(), expression=one.copy()))
            sums[f"product {self.width} {i}"] = _sum(first)
            for j, other in enumerate(trees[: i + 1]):
                sums[f"product {i} {j}"] = _sum(first, other)
        return sums

    def _curved(self, found: Mapping[str, float], factor: float, asked: bool) -> Matrix | None:
        if not asked:
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

    def _tell(self) -> None:
        self.passes += 1
        done = self.passes / (self.passes + 10)
        self._rows.progress(done, f"pass {self.passes} over {self._count:,} rows in the database")


def _first_rows(
    rows: TrainingRows, encoding: Encoding, target: str, positive: str
) -> RowsInMemory | None:
    """Fetches some rows for a first guess; this also tells of rows with a NULL."""
    names = [predictor.name for predictor in encoding.predictors]
    for batch in rows.batches([*names, target]):
        some = {name: batch[name][:GUESSED_FROM] for name in names}
        signs = np.where(batch[target][:GUESSED_FROM] == positive, 1.0, -1.0)
        return RowsInMemory(encoding.encode(some), signs) if np.ptp(signs) else None
    return None


@dataclass(frozen=True)
class _Column:
    """An encoded column, (tree - shift) / scale."""

    tree: exp.Expression
    shift: float
    scale: float


def _columns(encoding: Encoding) -> list[_Column]:
    found: list[_Column] = []
    for predictor in encoding.predictors:
        feature = column(predictor.name)
        if isinstance(predictor, NumericPredictor):
            found.append(_column(feature, predictor.mean, predictor.scale))
            continue
        indicators = zip(predictor.indicated, predictor.means, predictor.scales, strict=True)
        for category, mean, scale in indicators:
            equal = exp.EQ(this=feature.copy(), expression=text(category))
            found.append(_column(_as_number(equal), mean, scale))
    return found


def _column(tree: exp.Expression, mean: float, scale: float) -> _Column:
    """Takes the mean off in SQL only where sums would lose digits to it: it costs a third more."""
    if abs(mean) <= 10 * scale:
        return _Column(tree, mean, scale)
    centred = exp.Paren(this=exp.Sub(this=tree, expression=double(mean)))
    return _Column(centred, 0.0, scale)


def _among(aggregate: exp.Expression, known: exp.Expression | None) -> exp.Expression:
    """Restricts an aggregate to some rows."""
    if known is None:
        return aggregate.copy()
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=known.copy()))


def _within(slack: exp.Expression, width: float) -> exp.Expression:
    return exp.LTE(this=exp.Abs(this=slack.copy()), expression=double(width))


def _greatest(tree: exp.Expression) -> exp.Expression:
    return exp.Greatest(this=double(0), expressions=[tree.copy()], ignore_nulls=True)


def _as_number(condition: exp.Expression) -> exp.Expression:
    return exp.Cast(this=condition, to=exp.DataType.build("double"))


def _sum(*factors: exp.Expression) -> exp.Expression:
    product = factors[0].copy()
    for factor in factors[1:]:
        product = exp.Mul(this=product, expression=factor.copy())
    return exp.Sum(this=product)
