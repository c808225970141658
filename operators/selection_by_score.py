"""Selection by a score of each feature, counted in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    LearningError,
    Selection,
    TrainingRows,
    choice,
    integer,
    number,
    operator,
)
from miningflow.learn.selection.kolmogorov_smirnov import kolmogorov_smirnov
from miningflow.learn.selection.moment_scores import MOMENT_SCORES, ClassMoments
from miningflow.learn.selection.ranking import ranked
from miningflow.sql.literals import column, double

from .selection_ranked import RankedSelection

MOST_CLASSES = 1000
PRESENCE = ("information_gain", "odds_ratio", "chi2", "bns")
KOLMOGOROV_SMIRNOV = "kolmogorov_smirnov"
Matrix = npt.NDArray[np.float64]


@operator
class FeatureSelectionByScore(RankedSelection):
    """Scores each feature by itself and keeps the best, counted in the database.

    The scores for features that are there or not (there: not 0), as words of a text:
    `information_gain`, `odds_ratio`, `chi2`, `bns` (bi-normal separation). The scores for numbers:
    `fisher` (squared distance of the means by the sum of the variances) and `pearson` (correlation
    with the class). All of these come from one GROUP BY over all rows. `kolmogorov_smirnov`, the
    largest distance of two distribution functions, also sees classes that differ in spread or form
    only; it needs the values, and at most `sample_size` rows are drawn. With more than two classes
    and no `positive`, a feature has its best score of any class against the rest.

    Give how many to keep, the least score, or the `sparsity`: how many values other than 0 a row
    shall have on average (J. Brank et al., 2002).
    """

    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByScore
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: impute
      score: fisher
      keep: 2
    """

    score: str = choice(
        "the score",
        [*PRESENCE, *MOMENT_SCORES, KOLMOGOROV_SMIRNOV],
        default="information_gain",
    )
    threshold: float | None = number("the least score of a feature that stays", default=None)
    sparsity: float | None = number(
        "how many values other than 0 a row keeps on average", default=None, minimum=1e-9
    )
    sample_size: int = integer(
        "how many rows `kolmogorov_smirnov` looks at, at most", default=20_000, minimum=10
    )
    seed: int = integer("another seed draws other rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Gives the parameters that say how many features remain."""
        return {"keep": self.keep, "threshold": self.threshold, "sparsity": self.sparsity}

    def select(self, rows: TrainingRows) -> Selection:
        """Scores and ranks."""
        distances = self.score == KOLMOGOROV_SMIRNOV
        scores, filled = self._distances(rows) if distances else self._counted(rows)
        ranking = ranked(
            np.nan_to_num(scores, posinf=1e300), filled, self.few(), self.threshold, self.sparsity
        )
        if not any(r.kept for r in ranking):
            raise LearningError(
                f"no feature has a score of {self.threshold:g}, "
                f"the best has {ranking[0].score:.4g}",
                "lower 'threshold', or give 'keep'",
            )
        return self.selection(ranking, self.score)

    def _counted(self, rows: TrainingRows) -> tuple[Matrix, Matrix]:
        """Gives scores from counts of the database, and how many rows a feature is not 0 in."""
        expressions = {"n": _as_double(exp.Count(this=exp.Star()))}
        for i, name in enumerate(self.names()):
            expressions[f"there {i}"] = _sum_where_not_zero(name)
            expressions[f"mean {i}"] = exp.Avg(this=column(name))
            expressions[f"variance {i}"] = exp.VariancePop(this=column(name))
        found = rows.groups(
            [self.target.name], expressions, MOST_CLASSES, [*self.names(), self.target.name]
        )
        classes = [str(row[self.target.name]) for row in found]
        self.check_classes(classes)
        sizes = np.array([row["n"] for row in found])
        counts = _ClassStatistics(
            _per_class(found, "there", len(self.attributes)),
            _per_class(found, "mean", len(self.attributes)),
            _per_class(found, "variance", len(self.attributes)),
            sizes,
        )
        scores = np.max([counts.score(self.score, c) for c in self._codes(classes)], axis=0)
        return scores, counts.there.sum(axis=0) / sizes.sum()

    def _distances(self, rows: TrainingRows) -> tuple[Matrix, Matrix]:
        """Gives the distances of the distribution functions in a sample, and the same shares."""
        from miningflow.learn.selection.class_counts import distinct_counts

        columns = rows.fetch([*self.names(), self.target.name], True, self.sample_size, self.seed)
        labels, codes = np.unique(columns[self.target.name].astype(str), return_inverse=True)
        classes = [str(label) for label in labels]
        self.check_classes(classes)
        matrix = np.column_stack([columns[name] for name in self.names()])
        scores = [
            max(kolmogorov_smirnov(n[c], n.sum(axis=0) - n[c]) for c in self._codes(classes))
            for n in distinct_counts(matrix, codes)
        ]
        return np.array(scores), np.mean(matrix != 0, axis=0)

    def _codes(self, classes: Sequence[str]) -> Sequence[int]:
        """Gives the classes to tell from the rest; of two, one says it all."""
        if len(classes) > 2:
            return range(len(classes))
        return [1] if self.positive is None else [classes.index(self.positive)]


@dataclass(frozen=True)
class _ClassStatistics:
    """What one GROUP BY counted: by class (rows) and feature."""

    there: Matrix
    means: Matrix
    variances: Matrix
    sizes: Matrix

    def score(self, name: str, code: int) -> Matrix:
        """Scores one class against the rest."""
        from miningflow.learn.selection.presence_scores import PRESENCE_SCORES, PresenceCounts

        if name in MOMENT_SCORES:
            moments = ClassMoments(self.means, self.variances, self.sizes)
            return MOMENT_SCORES[name](moments.against_rest(code))
        return PRESENCE_SCORES[name](PresenceCounts(self.there, self.sizes).against_rest(code))


def _as_double(tree: exp.Expression) -> exp.Expression:
    return exp.Cast(this=tree, to=exp.DataType.build("double"))


def _sum_where_not_zero(name: str) -> exp.Expression:
    there = exp.If(this=exp.NEQ(this=column(name), expression=double(0)), true=double(1))
    return exp.Sum(this=exp.Case(ifs=[there], default=double(0)))


def _per_class(found: Sequence[Mapping[str, Any]], what: str, width: int) -> Matrix:
    return np.array([[float(row[f"{what} {i}"]) for i in range(width)] for row in found])
