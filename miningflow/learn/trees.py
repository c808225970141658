"""Decision trees: grown and pruned by scikit-learn, kept as arrays, and applied exactly alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Indices, Mask, Matrix

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
    """For each node the share of each class, or in one column the mean of a number; rows with
    weights count as much as these say."""

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


def grow(
    X: Matrix, y: NDArray[Any], classes: int | None, growth: Growth, weights: Matrix | None = None
) -> tuple[Tree, float]:
    """Grows a tree for classes, given by number, or for numbers; also returns the pruning."""
    rows = _Rows(X, y, classes, weights)
    pruning = growth.pruning
    if pruning is None:
        pruning = _best_pruning(rows, growth)
    return _frozen(_fitted(rows, growth, pruning), classes), pruning


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


@dataclass(frozen=True, eq=False)
class _Rows:
    """What a tree is grown from."""

    X: Matrix
    y: NDArray[Any]
    classes: int | None
    weights: Matrix | None

    def some(self, chosen: Mask) -> _Rows:
        """Returns the chosen rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return _Rows(self.X[chosen], self.y[chosen], self.classes, weights)

    @property
    def impurity(self) -> float:
        """What scikit-learn calls the impurity of the root."""
        if self.classes is None:
            mean = np.average(self.y, weights=self.weights)
            return float(np.average((self.y - mean) ** 2, weights=self.weights))
        counts = np.bincount(self.y, self.weights, minlength=self.classes)
        return float(1 - ((counts / counts.sum()) ** 2).sum())


def _fitted(rows: _Rows, growth: Growth, pruning: float) -> Any:
    from miningflow.learn.scikit_learn import DecisionTreeClassifier, DecisionTreeRegressor

    settings = {
        "max_depth": growth.depth,
        "min_samples_leaf": min(growth.leaf_size, max(1, len(rows.X) // 2)),
        "random_state": growth.seed % 2**32,
    }
    kind = DecisionTreeRegressor if rows.classes is None else DecisionTreeClassifier
    alpha = pruning * rows.impurity if pruning > 0 else 0.0
    return kind(ccp_alpha=alpha, **settings).fit(rows.X, rows.y, sample_weight=rows.weights)


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


def _best_pruning(rows: _Rows, growth: Growth) -> float:
    """Chooses by cross-validation: the strongest pruning that errs no more than the best.

    Errors count as equal within one standard error of the best, as Breiman and others propose.
    """
    size, count = rows.impurity, len(rows.X)
    if size == 0 or count < 4 * FOLDS:
        return 0.0
    whole = _fitted(rows, growth, 0.0)
    pruned = whole.cost_complexity_pruning_path(rows.X, rows.y, sample_weight=rows.weights)
    path = pruned.ccp_alphas / size
    path = np.unique(np.clip(path, 0, None))
    between = np.sqrt(path[:-1] * path[1:]) if len(path) > 1 else path
    candidates = np.unique([0.0, *between, path[-1] * (1 + 1e-9)])  # the last leaves the root
    if len(candidates) > MOST_PRUNINGS:
        few = MOST_PRUNINGS // 3  # the strongest differ most
        weaker = np.linspace(0, len(candidates) - 1 - 2 * few, few).round().astype(int)
        candidates = np.concatenate([candidates[weaker], candidates[-2 * few :]])
    folds = np.random.default_rng(growth.seed % 2**32).permutation(count) % FOLDS
    errors = np.zeros((len(candidates), count))
    for fold in range(FOLDS):
        out = folds == fold
        known, tested = rows.some(~out), rows.some(out)
        for i, candidate in enumerate(candidates):
            predicted = _fitted(known, growth, float(candidate)).predict(tested.X)
            numeric = rows.classes is None
            errors[i, out] = (predicted - tested.y) ** 2 if numeric else predicted != tested.y
    # a row weighs its weight over the mean
    heavy = errors if rows.weights is None else errors * (rows.weights / rows.weights.mean())
    means = heavy.mean(axis=1)
    best = int(means.argmin())
    off = heavy[best]
    if rows.weights is not None:
        off = off - means[best] * rows.weights / rows.weights.mean()
    allowed = means[best] + off.std() / np.sqrt(count)
    return float(candidates[np.flatnonzero(means <= allowed)[-1]])
