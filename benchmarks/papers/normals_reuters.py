"""Machines for 16 categories of Reuters-21578, trained on chosen features and rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import ttest_rel
from sklearn.svm import LinearSVC

from benchmarks.papers.texts import Texts
from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection import NormalSelector, ScoreSelector
from miningflow.learn.selection.classes import share_of_rows

FOLDS = 10
SIGNIFICANT = 0.05
Measure = Literal["F1", "precision", "recall"]


@dataclass(frozen=True, eq=False, slots=True)
class Reuters:
    """Training and test documents, their categories (categories by documents), and test folds."""

    names: tuple[str, ...]
    X: Any
    y: Mask
    test_X: Any
    test_y: Mask
    folds: Indices
    filled: Matrix

    @property
    def sparsity(self) -> float:
        """The mean number of stems of a training document."""
        return float(self.filled.sum())


def reuters_problem(texts: Texts, categories: int) -> Reuters:
    """Takes the categories with the most training documents."""
    counts = Counter(label for labels in texts.labels[texts.training] for label in labels if label)
    names = tuple(name for name, _ in counts.most_common(categories))
    belongs = np.array([texts.have(name) for name in names])
    X = texts.X[texts.training]
    test_y = belongs[:, ~texts.training]
    filled = X.getnnz(axis=0) / X.shape[0]
    return Reuters(
        names,
        X,
        belongs[:, texts.training],
        texts.X[~texts.training],
        test_y,
        _folds(test_y),
        filled,
    )


def _folds(belongs: Mask) -> Indices:
    """Deals documents to ten folds, those of the same categories in turn."""
    shuffled = np.random.default_rng(0).permutation(belongs.shape[1])
    order = shuffled[np.lexsort(belongs[::-1, shuffled])]
    folds = np.empty(len(order), dtype=np.intp)
    folds[order] = np.arange(len(order)) % FOLDS
    return folds


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """True positives, false positives and false negatives: draws by categories by folds by these.

    `kept` is the number of features, draws by categories.
    """

    counts: Matrix
    kept: Matrix

    def by_fold(self, measure: Measure = "F1") -> Matrix:
        """Returns for each fold the mean over categories (macro average) and draws."""
        hits, wrong, missed = np.moveaxis(self.counts, -1, 0)
        below = {
            "F1": hits + (wrong + missed) / 2,
            "precision": hits + wrong,
            "recall": hits + missed,
        }[measure]
        values = np.divide(hits, below, out=np.zeros_like(hits), where=below > 0)
        means: Matrix = values.mean(axis=(0, 1))
        return means

    def mean(self, measure: Measure = "F1") -> float:
        """Returns the mean over the folds."""
        return float(self.by_fold(measure).mean())

    def printed(self, measure: Measure = "F1") -> str:
        """Prints mean ± standard deviation over the folds."""
        values = self.by_fold(measure)
        return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two outcomes, and p of a paired t-test over the folds."""

    mean: float
    p: float

    @property
    def better(self) -> bool:
        """Whether the first is significantly higher."""
        return self.mean > 0 and self.p < SIGNIFICANT

    @property
    def worse(self) -> bool:
        """Whether the first is significantly lower."""
        return self.mean < 0 and self.p < SIGNIFICANT


def compared(first: Outcome, second: Outcome, measure: Measure = "F1") -> Difference:
    """Tests as the paper does: fold by fold, on macro averages."""
    a, b = first.by_fold(measure), second.by_fold(measure)
    if np.array_equal(a, b):
        return Difference(0.0, 1.0)
    return Difference(float((a - b).mean()), float(ttest_rel(a, b).pvalue))


def scores(problem: Reuters, method: str, draw: int) -> Matrix:
    """Returns the scores of all features, categories by features: OR, IG or normal-1/k."""
    found = []
    for y in problem.y:
        if method == "OR":
            selector: Any = ScoreSelector("odds_ratio")
        elif method == "IG":
            selector = ScoreSelector("information_gain")
        else:
            part = 1 / int(method.rpartition("/")[2] if "/" in method else 1)
            selector = NormalSelector(subset=part, random_state=draw)
        found.append(selector.fit(problem.X, y).scores_)
    return np.array(found)


def answers(problem: Reuters, category: int, columns: Mask, rows: Any = slice(None)) -> Matrix:
    """Trains on these columns and rows, and counts the answers: folds by kinds."""
    chosen = np.flatnonzero(columns)
    machine = LinearSVC(random_state=0)
    machine.fit(problem.X[rows][:, chosen], problem.y[category][rows])
    said = machine.predict(problem.test_X[:, chosen])
    truth = problem.test_y[category]
    kinds = (said & truth, said & ~truth, ~said & truth)
    return np.array([np.bincount(problem.folds, weights=kind, minlength=FOLDS) for kind in kinds]).T


def with_memory(problem: Reuters, halved: int, thinner: int, draws: int) -> Outcome:
    """Trains with 1/2^halved of the memory: features for vectors 2^thinner times sparser.

    The normal is learned on as many full documents as fit, the machine on as many sparse ones.
    """
    counts, kept = [], []
    budget = int(problem.X.nnz / 2**halved)
    for draw in range(draws):
        for category, y in enumerate(problem.y):
            selector = NormalSelector(
                sparsity=problem.sparsity / 2**thinner, memory_budget=budget, random_state=draw
            ).fit(problem.X, y)
            fit = selector.rows_that_fit_ / len(y)
            rows = share_of_rows(y.astype(np.intp), fit, np.random.RandomState(draw))
            columns = selector.get_support()
            counts.append(answers(problem, category, columns, np.flatnonzero(rows)))
            kept.append(columns.sum())
    shape = (draws, len(problem.y))
    return Outcome(np.array(counts).reshape(*shape, FOLDS, 3), np.array(kept, float).reshape(shape))
