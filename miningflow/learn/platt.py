"""Probabilities from decision values: a sigmoid, fitted to values that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix

_STEPS = 100
_ENOUGH = 1e-8
_RIDGE = 1e-12
_SHORTEST = 1e-10


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """1 / (1 + exp(a·f + b)), which never falls as f grows: a is at most 0."""

    a: float
    b: float

    def shifted(self, log_odds: float) -> Sigmoid:
        """Returns the sigmoid whose odds are higher by a factor with this logarithm."""
        return Sigmoid(self.a, self.b - log_odds)

    def probabilities(self, decisions: Matrix) -> Matrix:
        """Returns a probability for each decision value."""
        z = self.a * decisions + self.b
        with np.errstate(over="ignore"):
            values: Matrix = 1 / (1 + np.exp(z))
        return values


def fit_sigmoid(decisions: Matrix, positive: Mask, weights: Matrix | None = None) -> Sigmoid:
    """Fits by Newton's method with backtracking (Platt 1999; Lin, Lin and Weng 2007).

    The targets are those of Platt, a little away from 0 and 1. Where a falling sigmoid would fit
    best the decisions are worthless, and all rows get the share of the positive class. Weights say
    how many rows each row stands for; only their proportions count.
    """
    counted = np.ones(len(positive)) if weights is None else weights / weights.mean()
    count = float(counted[positive].sum())
    rest = float(counted[~positive].sum())
    high, low = (count + 1) / (count + 2), 1 / (rest + 2)
    targets = np.where(positive, high, low)
    # values of any size: the sigmoid of f / size is one of f
    size = float(np.abs(decisions).max()) or 1.0
    scaled = decisions / size
    parameters = np.array([0.0, float(np.log((rest + 1) / (count + 1)))])
    loss = _loss(parameters, scaled, targets, counted)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(parameters[0] * scaled + parameters[1]))
        off, weight = counted * (targets - p), counted * p * (1 - p)
        gradient = np.array([scaled @ off, off.sum()])
        if np.abs(gradient).max() < _ENOUGH:
            break
        mixed = float(scaled @ weight)
        curvature = np.array([[float(scaled**2 @ weight), mixed], [mixed, float(weight.sum())]])
        step = -np.linalg.solve(curvature + _RIDGE * np.eye(2), gradient)
        length = 1.0
        while length >= _SHORTEST:
            tried = parameters + length * step
            found = _loss(tried, scaled, targets, counted)
            if found < loss + 1e-4 * length * float(gradient @ step):
                parameters, loss = tried, found
                break
            length /= 2
        else:
            break
    if parameters[0] >= 0:
        return Sigmoid(0.0, float(np.log((rest + 1) / (count + 1))))
    return Sigmoid(float(parameters[0]) / size, float(parameters[1]))


def _loss(parameters: Matrix, decisions: Matrix, targets: Matrix, counted: Matrix) -> float:
    z = parameters[0] * decisions + parameters[1]
    # -t·log(p) - (1-t)·log(1-p), without overflow
    return float(np.sum(counted * (np.logaddexp(0, z) - (1 - targets) * z)))


class Decide(Protocol):
    """Learns from some rows and decides about other rows."""

    def __call__(self, learned: Indices, held_out: Indices, fold: int) -> Matrix:
        """Returns the decision values of the rows that were held out."""
        ...


def fit_sigmoids(
    codes: Indices,
    classes: int,
    folds: int,
    seed: int,
    decide: Decide,
    weights: Matrix | None = None,
) -> tuple[Sigmoid, ...]:
    """Fits a sigmoid for the second of two classes, or for each of more, to held-out decisions."""
    from miningflow.learn.scikit_learn import StratifiedKFold

    splits = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
    values = np.zeros((len(codes), 1 if classes == 2 else classes))
    for fold, (learned, held_out) in enumerate(splits.split(codes, codes)):
        values[held_out] = decide(learned, held_out, fold)
    if classes == 2:
        return (fit_sigmoid(values[:, 0], codes == 1, weights),)
    return tuple(fit_sigmoid(values[:, c], codes == c, weights) for c in range(classes))


def probabilities(sigmoids: Sequence[Sigmoid], decisions: Matrix) -> Matrix:
    """Returns the probability of the second of two classes, or that of each of more."""
    columns = [s.probabilities(decisions[:, i]) for i, s in enumerate(sigmoids)]
    values = np.column_stack(columns)
    if len(columns) == 1:
        return values
    total = values.sum(axis=1, keepdims=True)
    alike = np.full_like(values, 1 / len(columns))
    shares: Matrix = np.divide(values, total, out=alike, where=total != 0)
    return shares
