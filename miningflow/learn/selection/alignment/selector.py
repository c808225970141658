"""Feature selection by the alignment of a kernel with the target."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.scikit_learn import (
    Interval,
    StrOptions,
    check_random_state,
    validate_data,
)
from miningflow.learn.selection.alignment.from_sums import check_limits
from miningflow.learn.selection.alignment.linear import LinearAlignment, LinearProblem
from miningflow.learn.selection.alignment.path import AlignmentPath, Method, align
from miningflow.learn.selection.alignment.products import DenseProducts, SparseProducts
from miningflow.learn.selection.alignment.quadratic import QuadraticAlignment, QuadraticProblem
from miningflow.learn.selection.alignment.search import AlignedSet, AlignmentStep
from miningflow.learn.selection.alignment.targets import ideal_targets
from miningflow.learn.selection.alignment.validation import held_out_accuracy, validated
from miningflow.learn.selection.classes import class_codes, share_of_rows
from miningflow.learn.selection.column_selector import COUNT_OR_SHARE, ColumnSelector, count_of
from miningflow.learn.selection.parameter_words import KeepWord, OtherWord
from miningflow.learn.selection.progress import Progress
from miningflow.learn.threads import single_blas_thread


class AlignmentSelector(ColumnSelector):
    """Selects columns whose kernel matrix K is aligned with the ideal kernel T = yy'.

    After N. Català and M. Martin, Feature Selection for Support Vector Machines by Alignment with
    Ideal Kernel: A = ⟨K, T⟩ / √(⟨K, K⟩ ⟨T, T⟩). `one_shot` ranks columns by their own alignment,
    `incremental` adds the column that raises the alignment most, `decremental` removes columns
    whose removal does not lower it: all of them at once with `batch`, or only the best. A batch
    that lowers the alignment is halved. The first of equal candidates is taken. For more than two
    classes T is the sum over each class against the rest; `balanced` weighs rare classes up.

    The linear kernel needs no matrix of rows by rows and takes sparse data. The quadratic kernel
    (1 + ⟨x, z⟩)² does, and sees pairs of columns that matter only together, if the search is
    decremental. It fails on columns that are not of one scale: `standardize=None` standardises for
    it, and leaves the linear kernel the data as they are.

    `n_features_to_select` is the number of columns, or the share of them below 1. `explained` takes
    the fewest columns with this share of the highest alignment. `validation` holds out this share
    of the rows and takes the number of columns on which a machine with `C` is most accurate there.
    With none of them, columns are taken up to the highest alignment. `callback` sees each step of
    `trace_` when it has been made.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions({"one_shot", "incremental", "decremental"})],
        "kernel": [StrOptions({"linear", "quadratic"})],
        "n_features_to_select": COUNT_OR_SHARE,
        "explained": [Interval(Real, 0, 1, closed="right"), None],
        "validation": [Interval(Real, 0, 1, closed="neither"), None],
        "balanced": ["boolean"],
        "batch": ["boolean"],
        "standardize": ["boolean", None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "callback": [callable, None],
    }

    keep = OtherWord("n_features_to_select")

    scores_: Matrix
    alignment_: float
    trace_: tuple[AlignmentStep, ...]

    def __init__(
        self,
        method: Method = "incremental",
        *,
        kernel: Literal["linear", "quadratic"] = "linear",
        n_features_to_select: int | float | None = None,
        explained: float | None = None,
        validation: float | None = None,
        balanced: bool = False,
        batch: bool = True,
        standardize: bool | None = None,
        C: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        callback: Callable[[AlignmentStep], object] | None = None,
        **other_words: Unpack[KeepWord],
    ) -> None:
        self.method = method
        self.kernel = kernel
        self.n_features_to_select = n_features_to_select
        self.explained = explained
        self.validation = validation
        self.balanced = balanced
        self.batch = batch
        self.standardize = standardize
        self.C = C
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Searches for columns with a high alignment."""
        self._validate_params()
        sparse = "csr" if self._takes_sparse() else False
        examples, target = validate_data(
            self, X, y, dtype=np.float64, accept_sparse=sparse, ensure_min_samples=2
        )
        keep = count_of(self.n_features_to_select, self.n_features_in_)
        check_limits(self.n_features_in_, keep, self.explained, self.validation)
        codes = class_codes(target)[1]
        progress = Progress(self.callback)
        try:
            with single_blas_thread():
                path = self._path(examples, codes, progress)
        finally:
            self.trace_ = progress.entries
        self.support_ = path.support
        self.scores_ = path.scores
        self.alignment_ = path.steps[path.taken - 1].alignment
        return self

    def _path(self, X: Any, codes: Indices, progress: Progress[AlignmentStep]) -> AlignmentPath:
        random = check_random_state(self.random_state)
        training = np.ones(len(codes), dtype=bool)
        if self.validation is not None:
            training = share_of_rows(codes, 1 - self.validation, random)
            if training.all():
                raise ValueError(
                    f"validation={self.validation} of {len(codes)} rows leaves none to validate on"
                )
        if self._standardizes():
            X = _standardized(X, training)
        path = align(
            self._sets(X[np.flatnonzero(training)], ideal_targets(codes[training], self.balanced)),
            X.shape[1],
            self.method,
            count_of(self.n_features_to_select, X.shape[1]),
            self.explained,
            self.batch,
            progress,
        )
        if self.validation is None:
            return path
        seed = random.randint(np.iinfo(np.int32).max)
        accuracy = held_out_accuracy(X, codes, training, self.kernel, self.C, seed)
        return validated(path, self.method, accuracy, progress)

    def _sets(self, X: Any, targets: Matrix) -> Callable[[Mask], AlignedSet]:
        if self.kernel == "quadratic":
            return partial(QuadraticAlignment, QuadraticProblem.of(X, targets))
        products = SparseProducts(X) if issparse(X) else DenseProducts(X)
        norm = float(np.linalg.norm(targets.T @ targets))
        return partial(LinearAlignment, LinearProblem.of(products, X.T @ targets, norm))

    def _standardizes(self) -> bool:
        return self.kernel == "quadratic" if self.standardize is None else self.standardize

    def _takes_sparse(self) -> bool:
        # Centring would fill the zeros.
        return self.kernel == "linear" and not self._standardizes()


def _standardized(X: Matrix, training: Mask) -> Matrix:
    """Returns the columns with mean 0 and deviation 1 on the training rows; constant ones are 0."""
    known = X[training]
    scale = known.std(axis=0)
    varies = known.min(axis=0) < known.max(axis=0)
    centred = X - known.mean(axis=0)
    varied: Matrix = np.divide(centred, scale, out=np.zeros_like(X), where=varies & (scale > 0))
    return varied
