"""Counts and moments by class, from dense or sparse rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from miningflow.learn.arrays import Codes, Indices, Matrix
from miningflow.learn.selection.kolmogorov_smirnov import value_counts
from miningflow.learn.selection.moment_scores import ClassMoments
from miningflow.learn.selection.presence_scores import PresenceCounts


def without_stored_zeros(X: Any) -> Any:
    """Returns a sparse matrix in which a value is stored once and only if it is not 0."""
    if not issparse(X):
        return X
    clean = X.tocsr(copy=True)
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def presence_counts(X: Any, codes: Codes) -> PresenceCounts:
    """Counts the rows of each class in which a feature is not 0."""
    present = [
        np.bincount(part.indices, minlength=part.shape[1])
        if issparse(part)
        else np.count_nonzero(part, axis=0)
        for part in _by_class(X, codes)
    ]
    return PresenceCounts(np.array(present, dtype=np.float64), _sizes(codes))


def class_moments(X: Any, codes: Codes) -> ClassMoments:
    """Computes means and population variances in each class."""
    moments = [_moments(part) for part in _by_class(X, codes)]
    means, variances = zip(*moments, strict=True)
    return ClassMoments(np.array(means), np.array(variances), _sizes(codes))


def distinct_counts(X: Any, codes: Codes) -> Iterator[Indices]:
    """Counts rows by class and distinct value, for one feature after another."""
    sizes = np.bincount(codes)
    if not issparse(X):
        for column in X.T:
            yield value_counts(column, codes, np.zeros_like(sizes))
        return
    by_column = X.tocsc()
    for start, end in zip(by_column.indptr[:-1], by_column.indptr[1:], strict=True):
        stored = codes[by_column.indices[start:end]]
        zeros = sizes - np.bincount(stored, minlength=len(sizes))
        yield value_counts(by_column.data[start:end], stored, zeros)


def _by_class(X: Any, codes: Codes) -> Iterator[Any]:
    for code in range(int(codes.max()) + 1):
        yield X[np.flatnonzero(codes == code)]


def _sizes(codes: Codes) -> Matrix:
    return np.bincount(codes).astype(np.float64)


def _moments(part: Any) -> tuple[Matrix, Matrix]:
    if issparse(part):
        mean, variance = _sparse_moments(part)
        lowest, highest = (each.toarray().ravel() for each in (part.min(axis=0), part.max(axis=0)))
    else:
        mean, variance = part.mean(axis=0), part.var(axis=0)
        lowest, highest = part.min(axis=0), part.max(axis=0)
    # The mean of equal numbers is off by a rounding error, and then so is their variance.
    constant = lowest == highest
    return np.where(constant, lowest, mean), np.where(constant, 0.0, variance)


def _sparse_moments(part: Any) -> tuple[Matrix, Matrix]:
    rows, columns = part.shape
    mean = np.asarray(part.sum(axis=0)).ravel() / rows
    by_column = part.tocsc()
    feature = np.repeat(np.arange(columns), np.diff(by_column.indptr))
    squares = (by_column.data - mean[feature]) ** 2
    missing = rows - np.diff(by_column.indptr)
    total = np.bincount(feature, weights=squares, minlength=columns) + missing * mean**2
    return mean, total / rows
