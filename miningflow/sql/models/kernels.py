"""Kernel machines as numbers: support vectors shared by one or more decision functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Radial:
    """exp(−γ‖x−s‖²)."""

    gamma: float


@dataclass(frozen=True, slots=True)
class Polynomial:
    """(γ x·s + c)^d."""

    degree: int
    gamma: float
    constant: float


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """tanh(γ x·s + c)."""

    gamma: float
    constant: float


Kernel = Radial | Polynomial | Sigmoid


@dataclass(frozen=True, eq=False, slots=True)
class KernelModel:
    """Decides by Σ coefficient · K(x, support) + b, for each row of coefficients.

    `parts` counts support vectors that follow each other and serve the same decisions, such as
    those of a class; coefficients that are 0 throughout a part are left out. Nothing means one
    part.
    """

    support: Matrix
    coefficients: Matrix
    intercepts: Matrix
    kernel: Kernel
    parts: tuple[int, ...] = ()
