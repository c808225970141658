"""The operator that selects features by a score of each, computed in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sqlglot import exp

from miningflow.declare import (
    Concept,
    LearningError,
    Notes,
    Selection,
    TrainingRows,
    choice,
    integer,
    number,
    operator,
)
from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.selection.fitting_score import FITTING, fitting_score, reason_for
from miningflow.learn.selection.kolmogorov_smirnov import kolmogorov_smirnov
from miningflow.learn.selection.moment_scores import MOMENT_SCORES, ClassMoments
from miningflow.learn.selection.ranking import ranked
from miningflow.learn.selection.rankings import rank_by_fisher_score
from miningflow.sql.literals import column, double

from .selection_ranked import RankedSelection

MOST_CLASSES = 1000
PRESENCE = ("information_gain", "odds_ratio", "chi2", "bns")
KOLMOGOROV_SMIRNOV = "kolmogorov_smirnov"


@operator
class FeatureSelectionByScore(RankedSelection):
    """Scores each feature separately, in the database, and keeps the best.

    `auto` chooses the score by the data: `information_gain` if at least half of all values are 0,
    and at least a tenth of those of each attribute, as in counts and texts, otherwise `fisher`. The
    run notes the choice.

    Scores for features that are present or absent (present means not 0), such as the words of a
    text: `information_gain`, `odds_ratio`, `chi2`, `bns` (bi-normal separation). Scores for
    numbers: `fisher` (the squared distance of the means divided by the sum of the variances) and
    `pearson` (the correlation with the class). All of these are computed by one GROUP BY over all
    rows. `kolmogorov_smirnov`, the largest distance between two distribution functions, also
    detects classes that differ only in spread or shape; it needs the values, so at most
    `sample_size` rows are drawn. With more than two classes and no `positive`, a feature has its
    best score of any class against the rest.

    Give the number of features to keep, the lowest score, or the `sparsity`: how many values other
    than 0 a row has on average (J. Brank et al., 2002).
    """

    alias: ClassVar[str] = "SelectScore"
    finds: ClassVar[tuple[str, ...]] = (
        "information gain",
        "chi2",
        "k best",
        "filter method",
        "univariate",
        "feature importance",
    )
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
    contestant: ClassVar[Contestant | None] = Contestant(
        "score", rank_by_fisher_score, effort=1, settings=(("score", "fisher"),)
    )

    score: str = choice(
        "the score to rank features by",
        [FITTING, *PRESENCE, *MOMENT_SCORES, KOLMOGOROV_SMIRNOV],
        default=FITTING,
    )
    threshold: float | None = number(
        "the lowest score of a feature to keep; needs `score`", default=None
    )
    sparsity: float | None = number(
        "how many values other than 0 a row has, on average, in the kept features",
        default=None,
        minimum=1e-9,
    )
    sample_size: int = integer(
        "how many rows `kolmogorov_smirnov` uses, at most", default=20_000, minimum=10
    )
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Returns the parameters that limit how many features are kept."""
        return {"keep": self.keep, "threshold": self.threshold, "sparsity": self.sparsity}

    def outline(self, notes: Notes) -> Concept:
        """Checks that a threshold belongs to a score."""
        if self.threshold is not None and self.score == FITTING:
            notes.error(
                "threshold",
                "a threshold is a value of one score, and no score is named",
                "name the 'score' (it was 'information_gain' in version 0.1.0), or give 'keep'",
            )
        return super().outline(notes)

    def select(self, rows: TrainingRows) -> Selection:
        """Scores and ranks the features."""
        score = self.score
        if score == KOLMOGOROV_SMIRNOV:
            scores, filled = self._distances(rows)
        else:
            counts, codes = self._counted(rows)
            filled = counts.filled
            if score == FITTING:
                score = fitting_score(filled)
                rows.note(f"score: {score}, because {reason_for(score)}")
            scores = np.max([counts.score(score, code) for code in codes], axis=0)
        ranking = ranked(
            np.nan_to_num(scores, posinf=1e300),
            filled,
            self.number_to_keep(),
            self.threshold,
            self.sparsity,
        )
        if not any(r.kept for r in ranking):
            raise LearningError(
                f"no feature has a score of at least {self.threshold:g}; "
                f"the best has {ranking[0].score:.4g}",
                "lower 'threshold', or give 'keep'",
            )
        return self.selection(ranking, score)

    def _counted(self, rows: TrainingRows) -> tuple[_ClassStatistics, Sequence[int]]:
        """Returns counts and moments from the database, and the classes to compare."""
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
        return counts, self._codes(classes)

    def _distances(self, rows: TrainingRows) -> tuple[Matrix, Matrix]:
        """Returns the scores from the values of a sample, and the share of rows that are not 0."""
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
        """Returns the classes to compare with the rest; of two classes, one is enough."""
        if len(classes) > 2:
            return range(len(classes))
        return [1] if self.positive is None else [classes.index(self.positive)]


@dataclass(frozen=True)
class _ClassStatistics:
    """Counts and moments of one GROUP BY: a row for each class, a column for each feature."""

    present: Matrix
    means: Matrix
    variances: Matrix
    sizes: Matrix

    @property
    def filled(self) -> Matrix:
        """The share of rows in which each feature is not 0."""
        shares: Matrix = self.present.sum(axis=0) / self.sizes.sum()
        return shares

    def score(self, name: str, code: int) -> Matrix:
        """Scores one class against the rest."""
        from miningflow.learn.selection.presence_scores import PRESENCE_SCORES, PresenceCounts

        if name in MOMENT_SCORES:
            moments = ClassMoments(self.means, self.variances, self.sizes)
            return MOMENT_SCORES[name](moments.against_rest(code))
        return PRESENCE_SCORES[name](PresenceCounts(self.present, self.sizes).against_rest(code))


def _as_double(tree: exp.Expression) -> exp.Expression:
    return exp.Cast(this=tree, to=exp.DataType.build("double"))


def _sum_where_not_zero(name: str) -> exp.Expression:
    there = exp.If(this=column(name).neq(double(0)), true=double(1))
    return exp.Sum(this=exp.Case(ifs=[there], default=double(0)))


def _per_class(found: Sequence[Mapping[str, Any]], what: str, width: int) -> Matrix:
    return np.array([[float(row[f"{what} {i}"]) for i in range(width)] for row in found])
