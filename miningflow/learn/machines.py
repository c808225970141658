"""Machines as numbers: decision functions, and what follows from their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from miningflow.learn.kernels import KernelModel, Matrix


@dataclass(frozen=True, eq=False)
class LinearModels:
    """Decides by w·x + b, once for each row of weights."""

    weights: Matrix
    intercepts: Matrix

    def decisions(self, X: Matrix) -> Matrix:
        """Gives a column of decision values for each row of weights."""
        values: Matrix = X @ self.weights.T + self.intercepts
        return values


@dataclass(frozen=True)
class Prediction:
    """The decision value is the predicted number."""


@dataclass(frozen=True)
class Sign:
    """Two classes, told apart by the sign of one decision value."""

    below: Any
    above: Any
    zero_is_above: bool


@dataclass(frozen=True)
class Greatest:
    """The class of the greatest of several decision values."""

    classes: tuple[Any, ...]


@dataclass(frozen=True)
class Pairs:
    """Votes of all pairs of classes, as libsvm counts them.

    `one_vs_rest` says whether decision values are shown per class or per pair, and `break_ties`
    whether the greatest of those per class decides instead of the votes.
    """

    classes: tuple[Any, ...]
    one_vs_rest: bool
    break_ties: bool


@dataclass(frozen=True)
class Machine:
    """Decision functions, and what follows from their values."""

    model: LinearModels | KernelModel
    result: Prediction | Sign | Greatest | Pairs
