"""Sums that rows are streamed into give X'X and X'y of the standardised columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miningflow.learn.selection.class_sums import ClassSums


def _streamed(X: np.ndarray, labels: np.ndarray, parts: int) -> ClassSums:
    sums = ClassSums(X.shape[1])
    for rows, names in zip(np.array_split(X, parts), np.array_split(labels, parts), strict=True):
        sums.add(rows, names)
    return sums


@given(st.integers(0, 1000), st.integers(1, 7), st.floats(-1e4, 1e4))
def test_streamed_sums_are_those_of_the_whole(seed: int, parts: int, offset: float) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 4)) * [1, 10, 0.1, 3] + offset
    X[:, 3] = offset  # a constant column
    labels = random.choice(["a", "b"], 40)
    labels[:2] = ["a", "b"]
    sums = _streamed(X, labels, parts)
    spread = X.std(axis=0)
    spread[3] = 1.0
    Z = (X - X.mean(axis=0)) / spread
    Z[:, 3] = 0.0
    np.testing.assert_allclose(sums.gram(), Z.T @ Z, atol=1e-5)
    y = np.where(labels == "b", 1.0, -1.0)
    moments, norm = sums.moments("b")
    np.testing.assert_allclose(moments[:, 0], Z.T @ y, atol=1e-5)
    assert norm == pytest.approx(40.0)


def test_balanced_labels_and_several_classes() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    labels = random.choice(["a", "b", "c"], 60, p=[0.6, 0.3, 0.1])
    sums = _streamed(X, labels, 4)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = np.column_stack([np.where(labels == c, 1.0, -1.0) for c in "abc"])
    moments, norm = sums.moments(None)
    np.testing.assert_allclose(moments, Z.T @ Y, atol=1e-9)
    assert norm == pytest.approx(np.linalg.norm(Y.T @ Y))
    two = labels != "c"
    sums = _streamed(X[two], labels[two], 3)
    m, n = (labels[two] == "b").sum(), (labels[two] == "a").sum()
    y = np.where(labels[two] == "b", 1 / m, -1 / n)
    Z = (X[two] - X[two].mean(axis=0)) / X[two].std(axis=0)
    moments, norm = sums.moments("b", balanced=True)
    np.testing.assert_allclose(moments[:, 0], Z.T @ y, atol=1e-9)
    assert norm == pytest.approx(1 / m + 1 / n)
