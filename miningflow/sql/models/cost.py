"""Which SQL a model becomes on DuckDB, and what it costs: the one rule that chooses.

The seconds are of one processor (AMD EPYC, DuckDB 2.0), with time to plan left out. They were
fitted to linear machines of 5 to 100 columns, kernels over 5 to 128 columns with 40 to 1,000
support vectors, up to 45 outputs, and 21 to 1,771 monomials; what was measured differs from them by
less than a factor of 1.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel, Polynomial, Radial, Sigmoid
from miningflow.learn.machines import LinearModels

Kind = Literal["sum", "constant", "monomials", "blocks", "lists"]

# Support vectors side by side in an item of a list. From 4 to 16 the time was the same within
# noise, with 1 it was 1.6 times as long.
BLOCK = 8
# With fewer support vectors, empty places in the last block count.
FEW_VECTORS = 200
# A longer list is cut: an inner product adds up one item after the other, two overlap.
# At 64 columns this saves 15 %, at 200 a quarter; at 32 it would cost that much.
PIECE = 32
# Beyond, planning the expression takes seconds.
MOST_MONOMIALS = 2_000
# Each degree is a level of parentheses, and engines limit those.
HIGHEST_DEGREE = 30
# Up to this γ‖s − mean‖² a radial kernel is a product of exponentials that neither overflow nor
# lose digits; beyond, distances are taken one by one.
FARTHEST = 150.0
# A sum beyond this is about to overflow.
LARGEST = 1e300

# Seconds per million rows.
_READ_COLUMN, _ENCODE_COLUMN = 0.0012, 0.014
_TERM, _TERM_BEYOND_CACHE, _COLUMNS_IN_CACHE = 0.0011, 0.003, 32
_PAIR_IN_BLOCK, _PAIR_IN_LIST, _ITEM = 0.0085, 0.0115, 0.0005
_TANH, _DISTANCE, _SHARE = 0.005, 0.017, 0.001
_MONOMIAL, _MONOMIALS_IN_CACHE = 0.0034, 230
# Planning a monomial, counted as if a statement scored 100,000 rows.
_PLANNING = 0.0008


@dataclass(frozen=True)
class Shape:
    """The SQL that a model becomes, why, and the expected CPU seconds for a million rows."""

    name: str
    why: str
    seconds_per_million: float
    kind: Kind
    block: int = 0
    """Support vectors in an item of a list, where the kind is blocks."""
    pieces: int = 1
    """Lists that a support vector is cut into."""
    far: bool = False
    """Whether support vectors lie too far apart for a product of exponentials."""


def choose(model: LinearModels | KernelModel, width: int) -> Shape:
    """Chooses the shape for a model over `width` columns; equal support vectors are merged."""
    outputs = len(model.intercepts)
    if isinstance(model, LinearModels):
        name = "one sum" if outputs == 1 else f"{outputs} sums"
        cached = outputs == 1 or width <= _COLUMNS_IN_CACHE
        seconds = width * (_READ_COLUMN + outputs * (_TERM if cached else _TERM_BEYOND_CACHE))
        return Shape(name, "scaling and categories are folded into the weights", seconds, "sum")
    if not model.coefficients.any():
        return Shape("constant", "no support vectors", width * _READ_COLUMN, "constant")
    compared = _compared(model, width)
    if not isinstance(model.kernel, Polynomial):
        return compared
    return _monomials(model, model.kernel, width, compared)


def _compared(model: KernelModel, width: int) -> Shape:
    """Returns the cheaper way to compare a row with each support vector."""
    kernel, vectors = model.kernel, len(model.support)
    far = isinstance(kernel, Radial) and _reach(kernel, model.support) > FARTHEST
    pieces = 1 if far else max(1, round(width / PIECE))
    twice = far or isinstance(kernel, Polynomial)
    encoding = width * (_READ_COLUMN + _ENCODE_COLUMN)
    pair = width * _ITEM + (_TANH if isinstance(kernel, Sigmoid) else 0.0)
    if len(model.intercepts) == 1 and not twice:
        block = _block(vectors)
        places = math.ceil(vectors / block) * block
        return Shape(
            f"support vectors in blocks of {block}",
            f"{vectors:,} kernel values for a row, each used once",
            encoding + places * (_PAIR_IN_BLOCK + pair),
            "blocks",
            block,
            pieces,
        )
    shares = int((model.coefficients != 0).sum())
    why = "the inner product" if twice else "a kernel value"
    pair += _PAIR_IN_LIST + (_DISTANCE if far else 0.0)
    return Shape(
        "support vectors in lists",
        f"{vectors:,} kernel values for a row; {why} is used more than once",
        encoding + vectors * pair + shares * _SHARE,
        "lists",
        pieces=pieces,
        far=far,
    )


def _block(vectors: int) -> int:
    if vectors >= FEW_VECTORS:
        return BLOCK
    sizes = range(min(BLOCK, vectors), min(BLOCK, vectors) // 2, -1)
    return min(sizes, key=lambda size: math.ceil(vectors / size) * size)


def _monomials(model: KernelModel, kernel: Polynomial, width: int, compared: Shape) -> Shape:
    """Returns monomials if they are cheaper than comparing, and can be written."""
    homogeneous = kernel.constant == 0
    each = math.comb(width + kernel.degree - homogeneous, kernel.degree)
    count = each * len(model.intercepts)
    computing = _MONOMIAL * count * count / (count + _MONOMIALS_IN_CACHE)
    seconds = width * _READ_COLUMN + computing
    cheaper = seconds + _PLANNING * count <= compared.seconds_per_million
    writable = count <= MOST_MONOMIALS and kernel.degree <= HIGHEST_DEGREE
    if not (cheaper and writable and _is_small(model, kernel)):
        return compared
    why = f"{count:,} monomials stand for {len(model.support):,} support vectors"
    return Shape("monomials", why, seconds, "monomials")


def _reach(kernel: Radial, support: Matrix) -> float:
    moved = support - support.mean(axis=0)
    return kernel.gamma * float((moved**2).sum(axis=1).max())


def _is_small(model: KernelModel, kernel: Polynomial) -> bool:
    """Returns whether no coefficient of a monomial, nor a product on the way to it, overflows."""
    size = max(1.0, float(np.abs(model.support).sum(axis=1).max()))
    largest = max(1.0, abs(kernel.gamma)) * size + max(1.0, abs(kernel.constant))
    shares = max(1.0, float(np.abs(model.coefficients).sum()))
    return kernel.degree * math.log(largest) + math.log(shares) < math.log(LARGEST)
