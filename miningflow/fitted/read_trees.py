"""Fitted trees of scikit-learn, read as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from miningflow.learn.trees import float_bound

LARGEST_DOUBLE: Final = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Split:
    """Sends a row to the left where a column is at most a bound, or one of some categories."""

    position: int
    bound: float
    categories: tuple[float, ...] | None
    """The categories that go to the left; the others that are `known` go to the right."""
    known: tuple[float, ...]
    missing_left: bool
    left: int
    right: int


Leaf = tuple[float, ...]
"""A value for each output."""
ReadTree = tuple[Split | Leaf, ...]
"""The nodes of a tree, from the root; children come after their parent."""


def read_tree(fitted: Any, factor: float = 1.0) -> ReadTree:
    """Reads a tree that compares floats of 32 bits; `factor` is applied to the values of leaves."""
    tree = fitted.tree_
    values = tree.value[:, 0, :].astype(np.float64)
    if hasattr(fitted, "classes_"):
        values = values / values.sum(axis=1, keepdims=True)
    return tuple(
        tuple(float(v) for v in factor * values[node])
        if tree.children_left[node] < 0
        else Split(
            int(tree.feature[node]),
            float_bound(float(tree.threshold[node])),
            None,
            (),
            bool(tree.missing_go_to_left[node]),
            int(tree.children_left[node]),
            int(tree.children_right[node]),
        )
        for node in range(tree.node_count)
    )


def read_histogram_tree(predictor: Any, known: Sequence[tuple[float, ...]]) -> ReadTree:
    """Reads a tree of histogram boosting; `known` has the categories of each column."""
    return tuple(
        (float(node["value"]),)
        if node["is_leaf"]
        else Split(
            int(node["feature_idx"]),
            min(float(node["num_threshold"]), LARGEST_DOUBLE),
            _left_categories(predictor, node) if node["is_categorical"] else None,
            known[int(node["feature_idx"])],
            bool(node["missing_go_to_left"]),
            int(node["left"]),
            int(node["right"]),
        )
        for node in predictor.nodes
    )


def categories_of(bits: Any) -> tuple[float, ...]:
    """Returns the categories whose bits are set in eight words of 32."""
    words = np.asarray(bits, dtype=np.uint32)
    return tuple(float(i) for i in range(256) if int(words[i // 32]) >> (i % 32) & 1)


def _left_categories(predictor: Any, node: Any) -> tuple[float, ...]:
    return categories_of(predictor.raw_left_cat_bitsets[int(node["bitset_idx"])])
