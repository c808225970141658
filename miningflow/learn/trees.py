"""Decision trees: grown and pruned by scikit-learn, kept as arrays, and applied exactly alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Indices, Matrix

# scikit-learn takes numbers as floats of 32 bits. This is the last that does not become infinite;
# greater ones it refuses.
LARGEST = float(np.nextafter(2.0**128 - 2.0**103, 0))
FOLDS, MOST_PRUNINGS = 5, 12


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree as arrays over its nodes; node 0 is the root, and -1 stands for no child.

    A row goes to the left where its column is at most the bound. Where it is missing, it goes to
    the left if `missing_left` says so.
    """

    column: Matrix
    bound: Matrix
    left: Matrix
    right: Matrix
    missing_left: Matrix
    rows: Matrix
    """How many rows each node was learned from."""
    values: Matrix
    """For each node the share of each class, or in one column the mean of a number."""

    def check_parts(self) -> None:
        """Refuses a stored tree whose arrays do not fit together, or that is no tree."""
        count = len(self.left) if self.left.ndim == 1 else 0
        over_nodes = self.column, self.bound, self.left, self.right, self.missing_left, self.rows
        if not count or any(each.shape != (count,) for each in over_nodes):
            raise ValueError("the arrays of a tree do not have the same length")
        if self.values.ndim != 2 or len(self.values) != count or not self.values.shape[1]:
            raise ValueError("the values of a tree do not fit its nodes")
        inner = np.flatnonzero(self.left >= 0)
        children = np.concatenate([self.left[inner], self.right[inner]])
        whole = (children == np.floor(children)).all() and (self.column[inner] >= 0).all()
        after = children > np.concatenate([inner, inner])
        once = len(np.unique(children)) == len(children) == count - 1
        if not (whole and after.all() and once and (children < count).all()):
            raise ValueError("the nodes of a tree do not follow each other")

    def children(self, node: int) -> tuple[int, int] | None:
        """Returns the left and the right child of a node, or nothing for a leaf."""
        return None if self.left[node] < 0 else (int(self.left[node]), int(self.right[node]))

    @property
    def leaves(self) -> list[int]:
        """The leaves from left to right."""
        found: list[int] = []
        stack = [0]
        while stack:
            node = stack.pop()
            children = self.children(node)
            if children is None:
                found.append(node)
            else:
                stack += reversed(children)
        return found

    @property
    def depth(self) -> int:
        """How many questions the longest way to a leaf asks."""
        depths = {0: 0}
        for node in range(len(self.left)):  # children come after their parent
            for child in self.children(node) or ():
                depths[child] = depths[node] + 1
        return max(depths.values())

    @property
    def used(self) -> set[int]:
        """The columns that the tree asks about."""
        return {int(c) for c, left in zip(self.column, self.left, strict=True) if left >= 0}

    def apply(self, X: Matrix) -> Indices:
        """Finds the leaf of each row; what is missing is NaN, and too large a number is missing."""
        at = np.zeros(len(X), dtype=np.intp)
        known = np.abs(X) <= LARGEST
        for node in range(len(self.left)):
            children = self.children(node)
            here = np.flatnonzero(at == node)
            if children is None or not len(here):
                continue
            column = int(self.column[node])
            x = X[here, column]
            to_left = x <= self.bound[node]
            to_left = np.where(known[here, column], to_left, self.missing_left[node] > 0)
            at[here] = np.where(to_left, *children)
        return at


@dataclass(frozen=True)
class Growth:
    """How a tree is grown."""

    depth: int
    leaf_size: int
    pruning: float | None
    """What a leaf must gain, as a share of the impurity of all rows; None: what errs least."""
    seed: int


def grow(X: Matrix, y: NDArray[Any], classes: int | None, growth: Growth) -> tuple[Tree, float]:
    """Grows a tree for classes, given by number, or for numbers; also returns the pruning."""
    pruning = growth.pruning
    if pruning is None:
        pruning = _best_pruning(X, y, classes, growth)
    return _frozen(_fitted(X, y, classes, growth, pruning), classes), pruning


def float_bound(threshold: float) -> float:
    """Returns the greatest double that, rounded to 32 bits, is at most a threshold."""
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    if np.isinf(above):
        return LARGEST
    middle = (float(below) + float(above)) / 2
    # Halfway, rounding goes to the one whose last bit is 0.
    is_even = int(below.view(np.int32)) % 2 == 0
    return middle if is_even else float(np.nextafter(middle, -np.inf))


def _fitted(X: Matrix, y: NDArray[Any], classes: int | None, growth: Growth, pruning: float) -> Any:
    from miningflow.learn.scikit_learn import DecisionTreeClassifier, DecisionTreeRegressor

    settings = {
        "max_depth": growth.depth,
        "min_samples_leaf": min(growth.leaf_size, max(1, len(X) // 2)),
        "random_state": growth.seed % 2**32,
    }
    kind = DecisionTreeRegressor if classes is None else DecisionTreeClassifier
    alpha = 0.0
    if pruning > 0:
        alpha = pruning * _impurity(y, classes)
    return kind(ccp_alpha=alpha, **settings).fit(X, y)


def _impurity(y: NDArray[Any], classes: int | None) -> float:
    """Returns what scikit-learn calls the impurity of the root."""
    if classes is None:
        return float(np.var(y))
    shares = np.bincount(y, minlength=classes) / len(y)
    return float(1 - (shares**2).sum())


def _frozen(fitted: Any, classes: int | None) -> Tree:
    tree = fitted.tree_
    leaf = tree.children_left < 0
    values = tree.value[:, 0, :]
    if classes is not None:
        found = values / values.sum(axis=1, keepdims=True)
        values = np.zeros((len(found), classes))
        values[:, fitted.classes_.astype(np.intp)] = found
    return Tree(
        column=np.where(leaf, -1, tree.feature).astype(np.float64),
        bound=np.array(
            [0.0 if end else float_bound(t) for t, end in zip(tree.threshold, leaf, strict=True)]
        ),
        left=tree.children_left.astype(np.float64),
        right=tree.children_right.astype(np.float64),
        missing_left=tree.missing_go_to_left.astype(np.float64),
        rows=tree.n_node_samples.astype(np.float64),
        values=values.astype(np.float64),
    )


def _best_pruning(X: Matrix, y: NDArray[Any], classes: int | None, growth: Growth) -> float:
    """Chooses by cross-validation: the strongest pruning that errs no more than the best.

    Errors count as equal within one standard error of the best, as Breiman and others propose.
    """
    size = _impurity(y, classes)
    if size == 0 or len(X) < 4 * FOLDS:
        return 0.0
    whole = _fitted(X, y, classes, growth, 0.0)
    path = whole.cost_complexity_pruning_path(X, y).ccp_alphas / size
    path = np.unique(np.clip(path, 0, None))
    between = np.sqrt(path[:-1] * path[1:]) if len(path) > 1 else path
    candidates = np.unique([0.0, *between, path[-1] * (1 + 1e-9)])  # the last leaves the root
    if len(candidates) > MOST_PRUNINGS:
        few = MOST_PRUNINGS // 3  # the strongest differ most
        weaker = np.linspace(0, len(candidates) - 1 - 2 * few, few).round().astype(int)
        candidates = np.concatenate([candidates[weaker], candidates[-2 * few :]])
    folds = np.random.default_rng(growth.seed % 2**32).permutation(len(X)) % FOLDS
    errors = np.zeros((len(candidates), len(X)))
    for fold in range(FOLDS):
        out = folds == fold
        for i, candidate in enumerate(candidates):
            predicted = _fitted(X[~out], y[~out], classes, growth, float(candidate)).predict(X[out])
            wrong = (predicted - y[out]) ** 2 if classes is None else predicted != y[out]
            errors[i, out] = wrong
    means = errors.mean(axis=1)
    best = int(means.argmin())
    allowed = means[best] + errors[best].std() / np.sqrt(len(X))
    return float(candidates[np.flatnonzero(means <= allowed)[-1]])
