"""The selectors that are compared: ours by the names of their operators, and others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    chi2,
    f_classif,
    mutual_info_classif,
)
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from benchmarks.choosing.problems import Problem, dense
from benchmarks.choosing.rows import Rows
from miningflow.learn.arrays import Mask
from miningflow.learn.selection import (
    AlignmentSelector,
    GeneticSelector,
    GeometrySelector,
    MarginBoundSelector,
    NormalSelector,
    ScoreSelector,
    XiAlphaSelector,
)

Fit = Callable[[Problem, Rows, int], Mask]

# What the operators draw by default, and as many for SequentialFeatureSelector as it has time for.
SVM_ROWS, MARGIN_ROWS, SEQUENTIAL_ROWS = 500, 300, 300
SMALL = 100
# MiningMart's search; without these settings the search is guided, and cross-validated.
GREEDY: dict[str, Any] = {"search": "greedy", "estimate": "xi_alpha"}
EQUAL = GREEDY | {"accept_equal": True}
BORUTA = "Boruta, random forest"


@dataclass(frozen=True, slots=True)
class Selector:
    """A way to select, the operator that does it in a case, and why it does not fit a problem."""

    name: str
    operator: str
    fit: Fit
    unfit: Callable[[Problem], str | None] = lambda problem: None


def selectors() -> list[Selector]:
    """Lists all selectors; first no selection, and a random one as a control."""
    return [
        Selector("all features", "–", lambda problem, rows, seed: _everything(rows)),
        Selector("random features", "–", _random),
        *_ours(),
        *_others(),
    ]


def _ours() -> list[Selector]:
    svm, alignment = "FeatureSelectionWithSVM", "FeatureSelectionByAlignment"
    score, geometry = "FeatureSelectionByScore", "FeatureSelectionByGeometry"
    to_number = "SimpleBackwardFeatureSelectionGivenNoOfAttributes"
    return [
        Selector("ξα greedy", svm, partial(_xi_alpha, **GREEDY), _binary),
        Selector("ξα greedy, equal", svm, partial(_xi_alpha, **EQUAL), _binary),
        Selector("ξα radial, equal", svm, partial(_xi_alpha, kernel="radial", **EQUAL), _binary),
        Selector("guided", svm, _xi_alpha, _binary),
        Selector("guided radial", svm, partial(_xi_alpha, kernel="radial"), _binary),
        Selector("ξα keep, screen", to_number, _xi_alpha_screened, _binary),
        Selector("genetic", "GeneticFeatureSelection", _genetic, _few_columns_binary),
        Selector("alignment, keep", alignment, _aligned),
        Selector("alignment balanced", alignment, partial(_aligned, balanced=True)),
        Selector("alignment, highest", alignment, partial(_aligned, highest=True)),
        Selector("alignment quadratic", alignment, _quadratic, _few_columns),
        Selector("score fisher", score, partial(_score, "fisher")),
        Selector("score information gain", score, partial(_score, "information_gain"), _counted),
        Selector("score odds ratio", score, partial(_score, "odds_ratio"), _counted_binary),
        Selector("normal", "FeatureSelectionByNormal", _normal),
        Selector(
            "normal, scaled", "FeatureSelectionByNormal", partial(_normal, scaled=True), _text
        ),
        Selector("margin bound", "FeatureSelectionByMarginBound", _margin, _binary),
        Selector("geometry of groups", geometry, partial(_geometry, "geometry"), _grouped),
        Selector("geometry, judge svm", geometry, partial(_geometry, "svm"), _grouped),
        Selector("correlation ≤ 0.9", "StatisticalFeatureSelection", _uncorrelated, _not_text),
    ]


def _others() -> list[Selector]:
    return [
        Selector("RFE(LinearSVC)", "scikit-learn", _rfe),
        Selector("SelectKBest f_classif", "scikit-learn", partial(_best, f_classif)),
        Selector("SelectKBest chi2", "scikit-learn", partial(_best, chi2, raw=True), _counted),
        Selector("SelectKBest mutual info", "scikit-learn", _mutual_information),
        Selector("L1 LinearSVC", "scikit-learn", _lasso),
        Selector("Sequential(SVC), cv 3", "scikit-learn", _sequential),
        Selector(BORUTA, "Boruta", _boruta, _boruta_unfit),
    ]


# Why a selector does not fit


def _binary(problem: Problem) -> str | None:
    return None if problem.classes == 2 else "two classes only"


def _counted(problem: Problem) -> str | None:
    return None if problem.counts else "for counts"


def _counted_binary(problem: Problem) -> str | None:
    return _counted(problem) or _binary(problem)


def _few_columns(problem: Problem) -> str | None:
    return None if problem.X.shape[1] <= SMALL else "for few columns"


def _few_columns_binary(problem: Problem) -> str | None:
    return _few_columns(problem) or _binary(problem)


def _grouped(problem: Problem) -> str | None:
    return None if problem.groups is not None else "for groups of columns"


def _not_text(problem: Problem) -> str | None:
    return "for dense columns" if problem.kind == "text" else None


def _text(problem: Problem) -> str | None:
    return None if problem.kind == "text" else "the others are scaled already"


def _boruta_unfit(problem: Problem) -> str | None:
    if find_spec("boruta") is None:
        return "skipped: pip install Boruta"
    return _not_text(problem)


# Ours


def _everything(rows: Rows) -> Mask:
    return np.ones(rows.X.shape[1], dtype=bool)


def _random(problem: Problem, rows: Rows, seed: int) -> Mask:
    mask = np.zeros(rows.X.shape[1], dtype=bool)
    mask[np.random.default_rng(seed).permutation(len(mask))[: problem.keep]] = True
    return mask


def _xi_alpha(problem: Problem, rows: Rows, seed: int, **settings: Any) -> Mask:
    X, y = rows.sample(SVM_ROWS, seed)
    return _support(XiAlphaSelector(**settings), dense(X), y)


def _xi_alpha_screened(problem: Problem, rows: Rows, seed: int) -> Mask:
    return _xi_alpha(problem, rows, seed, keep=problem.keep, screen=2 * problem.keep, **GREEDY)


def _genetic(problem: Problem, rows: Rows, seed: int) -> Mask:
    X, y = rows.sample(SVM_ROWS, seed)
    return _support(GeneticSelector(random_state=seed), dense(X), y)


def _aligned(
    problem: Problem, rows: Rows, seed: int, highest: bool = False, balanced: bool = False
) -> Mask:
    keep = None if highest else problem.keep
    return _support(AlignmentSelector(keep=keep, balanced=balanced), rows.X, rows.y)


def _quadratic(problem: Problem, rows: Rows, seed: int) -> Mask:
    X, y = rows.sample(SVM_ROWS, seed)
    selector = AlignmentSelector("decremental", kernel="quadratic", keep=problem.keep)
    return _support(selector, X, y)


def _score(measure: Any, problem: Problem, rows: Rows, seed: int) -> Mask:
    # Where 0 means absent, it has to be 0 still.
    X = rows.X if measure == "fisher" else rows.raw
    return _support(ScoreSelector(measure, keep=problem.keep), X, rows.y)


def _normal(problem: Problem, rows: Rows, seed: int, scaled: bool = False) -> Mask:
    X = StandardScaler(with_mean=False).fit_transform(rows.X) if scaled else rows.X
    return _support(NormalSelector(problem.keep, random_state=seed), X, rows.y)


def _margin(problem: Problem, rows: Rows, seed: int) -> Mask:
    X, y = rows.sample(MARGIN_ROWS, seed)
    return _support(MarginBoundSelector(problem.keep), dense(X), y)


def _geometry(judge: Any, problem: Problem, rows: Rows, seed: int) -> Mask:
    selector = GeometrySelector(problem.groups, judge=judge, random_state=seed)
    return _support(selector, rows.X, rows.y)


def _uncorrelated(problem: Problem, rows: Rows, seed: int) -> Mask:
    """Does what StatisticalFeatureSelection does, which has no estimator."""
    correlations = np.abs(rows.X.T @ rows.X) / len(rows.X)
    mask = np.zeros(len(correlations), dtype=bool)
    for i, row in enumerate(correlations):
        mask[i] = row[mask].max(initial=0.0) <= 0.9
    return mask


# Others


def _rfe(problem: Problem, rows: Rows, seed: int) -> Mask:
    step = 1 if rows.X.shape[1] <= SMALL else 0.1
    machine = LinearSVC(random_state=seed)
    return _support(RFE(machine, n_features_to_select=problem.keep, step=step), rows.X, rows.y)


def _best(score: Any, problem: Problem, rows: Rows, seed: int, raw: bool = False) -> Mask:
    return _support(SelectKBest(score, k=problem.keep), rows.raw if raw else rows.X, rows.y)


def _mutual_information(problem: Problem, rows: Rows, seed: int) -> Mask:
    # Texts as words that occur or not; each of their weights would be a separate category.
    X = rows.raw > 0 if problem.kind == "text" else rows.X
    score = partial(
        mutual_info_classif, discrete_features=problem.kind == "text", random_state=seed
    )
    return _support(SelectKBest(score, k=problem.keep), X, rows.y)


def _lasso(problem: Problem, rows: Rows, seed: int) -> Mask:
    price = 1.0 if problem.kind == "text" else 0.1
    machine = LinearSVC(penalty="l1", C=price, dual=False, random_state=seed)
    return _support(SelectFromModel(machine), rows.X, rows.y)


def _sequential(problem: Problem, rows: Rows, seed: int) -> Mask:
    X, y = rows.sample(SEQUENTIAL_ROWS, seed)
    machine = SVC(kernel="linear")
    selector = SequentialFeatureSelector(machine, n_features_to_select=problem.keep, cv=3)
    return _support(selector, dense(X), y)


def _boruta(problem: Problem, rows: Rows, seed: int) -> Mask:
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=1)
    boruta = import_module("boruta").BorutaPy
    selector = boruta(forest, n_estimators=100, max_iter=20, random_state=seed)
    support: Mask = np.asarray(selector.fit(dense(rows.X), rows.y).support_, dtype=bool)
    return support


def _support(selector: Any, X: Any, y: NDArray[np.int_]) -> Mask:
    mask: Mask = selector.fit(X, y).get_support()
    return mask
