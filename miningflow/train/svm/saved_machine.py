"""A machine as it is stored: how predictors are encoded, and how it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import KernelModel, Polynomial, Radial
from miningflow.learn.kernels import Sigmoid as Tanh
from miningflow.learn.machines import Greatest, LinearModels, Machine, Pairs, Prediction, Sign
from miningflow.learn.platt import Sigmoid
from miningflow.sql.models.finite import GREATEST


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a machine predicts for raw rows, with margins relative to the largest decision."""

    decisions: Matrix
    labels: npt.NDArray[Any]
    known: Mask
    margins: Matrix
    scale: float


@dataclass(frozen=True)
class SavedMachine:
    """A machine that was learned: how predictors are encoded, and how it decides."""

    encoding: Encoding
    machine: Machine
    rows: int
    """How many rows it learned from."""
    how: str
    """Where it learned, and why there."""
    filling: dict[str, str | float] = field(default_factory=dict)
    """What stands in for NULL."""
    sigmoids: tuple[Sigmoid, ...] = ()
    """From decision values to probabilities, one for each class, or one for two."""
    class_weights: dict[str, float] = field(default_factory=dict)
    """The weight of each class, if they have any."""

    def check_parts(self) -> None:
        """Refuses a stored machine that does not fit the encoding of its predictors."""
        if self.machine.model.width != self.encoding.width:
            raise ValueError("the machine does not fit its predictors")
        if not set(self.filling) <= {each.name for each in self.encoding.predictors}:
            raise ValueError("a value stands in for something that is no predictor")
        result = self.machine.result
        classes = len(result.classes) if isinstance(result, Greatest | Pairs) else 1
        if len(self.sigmoids) not in (0, classes):
            raise ValueError("probabilities do not fit the classes")

    def predict(self, columns: Mapping[str, npt.NDArray[Any]]) -> Predicted:
        """Decides about raw rows as the SQL should."""
        filled = dict(columns)
        for name, value in self.filling.items():
            filled[name] = _filled(filled[name], value)
        X = self.encoding.encode(filled)
        known = np.asarray(np.isfinite(X).all(axis=1))
        decided = self.machine.decide(np.where(known[:, np.newaxis], X, 0.0))
        known &= (np.abs(decided.decisions) <= GREATEST).all(axis=1)
        scale = float(np.abs(self.machine.model.intercepts).max()) or 1.0
        largest = float(np.abs(decided.decisions[known]).max(initial=scale))
        return Predicted(decided.decisions, decided.labels, known, decided.margins / largest, scale)

    def described(self) -> str:
        """Returns the kernel and the meaning of decision values, in words."""
        return f"{_shown_kernel(self.machine.model)}; {_shown_result(self.machine)}"


def _shown_kernel(model: LinearModels | KernelModel) -> str:
    if isinstance(model, LinearModels):
        return "linear kernel x·s"
    kernel = model.kernel
    match kernel:
        case Radial(gamma):
            return f"radial kernel exp(−{gamma:.4g}·‖x−s‖²)"
        case Polynomial(degree, gamma, constant):
            return f"polynomial kernel ({gamma:.4g}·x·s + {constant:g})^{degree}"
        case Tanh(gamma, constant):
            return f"sigmoid kernel tanh({gamma:.4g}·x·s + {constant:g})"
        case _:
            assert_never(kernel)


def _shown_result(machine: Machine) -> str:
    match machine.result:
        case Prediction():
            return "predicts a number"
        case Sign(below, above):
            return f"above 0 is {above!r}, below is {below!r}"
        case Greatest(classes):
            return f"{len(classes)} classes, each against the rest: {_listed(classes)}"
        case Pairs(classes):
            count = len(machine.model.intercepts)
            return f"{len(classes)} classes, votes of {count} pairs: {_listed(classes)}"
        case _:
            assert_never(machine.result)


def _listed(classes: Sequence[str]) -> str:
    return ", ".join(repr(c) for c in classes[:6]) + (", …" if len(classes) > 6 else "")


def _filled(values: npt.NDArray[Any], value: str | float) -> npt.NDArray[Any]:
    if isinstance(value, str):
        return np.array([value if v is None else v for v in values], dtype=object)
    return np.where(np.isnan(values), value, values)
