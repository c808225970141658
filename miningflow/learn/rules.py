"""Decision rules: the ways through a tree, made shorter, and put into an order that decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.trees import Tree

# The confidence of C4.5, 25 %, as a quantile of the normal distribution.
CONFIDENCE = 0.6744897501960817


@dataclass(frozen=True, order=True)
class Condition:
    """A column that is at most a bound, or above it."""

    column: int
    at_most: bool
    bound: float

    def holds(self, X: Matrix) -> Mask:
        """Returns for which rows it holds."""
        x = X[:, self.column]
        found: Mask = x <= self.bound if self.at_most else x > self.bound
        return found


@dataclass(frozen=True)
class Rule:
    """Conditions that must all hold, and what is then predicted."""

    conditions: tuple[Condition, ...]
    values: tuple[float, ...]
    """The share of each class among the rows that the rule decided, or the mean of a number; rows
    with weights count as much as these say."""
    rows: int
    """How many rows it decided."""


@dataclass(frozen=True)
class RuleList:
    """Rules in order: the first whose conditions hold decides; the last has none."""

    rules: tuple[Rule, ...]

    def check_parts(self) -> None:
        """Refuses stored rules that do not decide about every row, or not about the same."""
        if not self.rules or self.rules[-1].conditions:
            raise ValueError("the last rule has conditions")
        if len({len(rule.values) for rule in self.rules}) != 1 or not self.rules[0].values:
            raise ValueError("rules predict different numbers of values")

    @property
    def used(self) -> set[int]:
        """The columns that rules ask about."""
        return {c.column for rule in self.rules for c in rule.conditions}

    def apply(self, X: Matrix) -> Indices:
        """Finds the rule that decides about each row."""
        at = np.full(len(X), len(self.rules) - 1, dtype=np.intp)
        open_rows = np.ones(len(X), dtype=bool)
        for i, rule in enumerate(self.rules):
            covered = open_rows & covers(rule.conditions, X)
            at[covered] = i
            open_rows &= ~covered
        return at


def covers(conditions: tuple[Condition, ...], X: Matrix) -> Mask:
    """Returns for which rows all conditions hold."""
    found = np.ones(len(X), dtype=bool)
    for condition in conditions:
        found &= condition.holds(X)
    return found


def learn_rules(
    tree: Tree,
    X: Matrix,
    y: NDArray[Any],
    classes: int | None,
    leaf_size: int,
    weights: Matrix | None = None,
) -> RuleList:
    """Turns a tree into rules, as C4.5 does in the main.

    Conditions are left out of a rule as long as it is estimated to err no more without them. Then
    rules are chosen one after the other, each time the one that is estimated to err least about
    the rows that are left, as long as that is less than predicting the same for all of them.
    """
    outcome = _Outcome(y, classes, weights)
    shorter = {_shortened(path, X, outcome) for path in paths(tree).values() if path}
    candidates = {rule: covers(rule, X) for rule in sorted(shorter) if rule}
    left = np.ones(len(X), dtype=bool)
    chosen: list[tuple[tuple[Condition, ...], Mask]] = []
    while candidates and left.any():
        judged = {
            rule: outcome.error(covered & left, len(rule))
            for rule, covered in candidates.items()
            if np.count_nonzero(covered & left) >= leaf_size
        }
        if not judged:
            break
        best = min(judged, key=lambda rule: (judged[rule], len(rule), rule))
        if judged[best] >= outcome.error(left, 0):
            break
        decided = candidates.pop(best) & left
        chosen.append((best, decided))
        left &= ~decided
    while chosen and outcome.same(
        chosen[-1][1], left
    ):  # a last rule with the outcome of the default
        left |= chosen.pop()[1]
    rest = left if left.any() else np.ones(len(X), dtype=bool)
    rules = [Rule(c, outcome.values(rows), int(np.count_nonzero(rows))) for c, rows in chosen]
    default = Rule((), outcome.values(rest), int(np.count_nonzero(left)))
    return RuleList((*rules, default))


def paths(tree: Tree) -> dict[int, tuple[Condition, ...]]:
    """Returns for each leaf the conditions on the way, of several bounds the tightest."""
    found: dict[int, tuple[Condition, ...]] = {}
    stack: list[tuple[int, dict[tuple[int, bool], float]]] = [(0, {})]
    while stack:
        node, bounds = stack.pop()
        children = tree.children(node)
        if children is None:
            conditions = (Condition(c, at_most, b) for (c, at_most), b in bounds.items())
            found[node] = tuple(sorted(conditions))
            continue
        column, bound = int(tree.column[node]), float(tree.bound[node])
        for child, at_most in zip(children, (True, False), strict=True):
            stack.append((child, {**bounds, (column, at_most): bound}))
    return found


def _shortened(
    conditions: tuple[Condition, ...], X: Matrix, outcome: _Outcome
) -> tuple[Condition, ...]:
    """Leaves out, one by one, the condition without which the rule errs least, if not more."""
    holding = {condition: condition.holds(X) for condition in conditions}
    kept = list(conditions)
    error = outcome.error(_all(holding, kept), len(kept))
    while kept:
        tried = [
            (outcome.error(_all(holding, [c for c in kept if c != out]), len(kept) - 1), out)
            for out in kept
        ]
        least, out = min(tried)
        if least > error:
            break
        error = least
        kept.remove(out)
    return tuple(kept)


def _all(holding: dict[Condition, Mask], kept: list[Condition]) -> Mask:
    found = np.ones(len(next(iter(holding.values()))), dtype=bool)
    for condition in kept:
        found &= holding[condition]
    return found


@dataclass(frozen=True)
class _Outcome:
    """What rules predict, and how much they are estimated to err."""

    y: NDArray[Any] = field(repr=False)
    classes: int | None
    weights: Matrix | None = field(repr=False)

    def values(self, rows: Mask) -> tuple[float, ...]:
        """Returns the share of each class, or the mean."""
        weights = self._weights(rows)
        if self.classes is None:
            return (float(np.average(self.y[rows], weights=weights)),)
        counts = np.bincount(self.y[rows], weights, minlength=self.classes)
        return tuple(float(share) for share in counts / counts.sum())

    def error(self, rows: Mask, conditions: int) -> float:
        """Estimates the error on new rows: the fewer rows there are, the more above that on these.

        For classes it is the upper end of Wilson's interval, for numbers the mean absolute error
        times (n + v) / (n - v), v being the number of conditions and 1, as in M5. Of rows with
        weights, n is (Σw)² / Σw² (L. Kish, 1965): as many equal ones would say as much.
        """
        n: float = int(np.count_nonzero(rows))
        if n == 0:
            return float("inf")
        weights = self._weights(rows)
        if weights is not None:
            n = float(weights.sum() ** 2 / (weights @ weights))
        if self.classes is None:
            y = self.y[rows]
            own = conditions + 1
            if n <= own:
                return float("inf")
            off = np.abs(y - np.average(y, weights=weights))
            return float(np.average(off, weights=weights)) * (n + own) / (n - own)
        counts = np.bincount(self.y[rows], weights, minlength=self.classes)
        share, z2 = max(0.0, 1 - counts.max() / counts.sum()), CONFIDENCE**2
        spread = CONFIDENCE * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
        return float((share + z2 / (2 * n) + spread) / (1 + z2 / n))

    def _weights(self, rows: Mask) -> Matrix | None:
        return None if self.weights is None else self.weights[rows]

    def same(self, rows: Mask, others: Mask) -> bool:
        """Returns whether the most frequent class is the same; numbers never are."""
        if self.classes is None or not others.any():
            return False
        return int(np.argmax(self.values(rows))) == int(np.argmax(self.values(others)))
