"""A machine rebuilt with fewer vectors: few centres, coefficients that imitate its decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel
from miningflow.learn.machines import Machine

# A third of the rows is held out to count changed labels.
_HELD_OUT = 3
# A bound of 1 % needs 300 rows to be seen three times over.
_ROWS_PER_CHANGE = 3
_SMALLEST = 4
_GROWTH = 1.5
_RIDGE = 1e-8
# Decisions near zero are what labels hang on: errors count by 1 / (|f| + this).
_NEARNESS = 0.25


@dataclass(frozen=True)
class Compression:
    """The smaller machine, or none; and why."""

    machine: Machine | None
    why: str


def compressed(machine: Machine, X: Matrix, bound: float, seed: int) -> Compression:
    """Finds few vectors whose machine gives at most a share `bound` of the rows another label.

    The vectors are centres of the support vectors. Their coefficients are those with which they
    come closest to the decision values on two thirds of the rows; labels are compared on the rest.
    """
    model = machine.model
    assert isinstance(model, KernelModel)
    order = np.random.default_rng(seed).permutation(len(X))
    held_out, known = X[order[::_HELD_OUT]], X[np.delete(order, np.s_[::_HELD_OUT])]
    if len(held_out) * bound < _ROWS_PER_CHANGE:
        need = int(np.ceil(_HELD_OUT * _ROWS_PER_CHANGE / bound)) if bound else 0
        wanted = f"; it takes {need:,} rows" if need else ": no number of rows shows that none does"
        return Compression(None, f"{len(held_out):,} rows held out cannot show it{wanted}")
    labels = machine.decide(held_out).labels
    total = len(model.support)
    least = 1.0
    for count in _counts(total):
        smaller = _rebuilt(model, known, count, seed)
        tried = replace(machine, model=smaller)
        changed = float(np.mean(tried.decide(held_out).labels != labels))
        least = min(least, changed)
        if changed <= bound:
            why = (
                f"compressed from {total:,} to {count:,} vectors: {100 * changed:.2g} % of "
                f"{len(held_out):,} labels held out changed"
            )
            return Compression(tried, why)
    return Compression(
        None,
        f"with up to half of the {total:,} support vectors at least {100 * least:.2g} % of "
        f"{len(held_out):,} labels held out changed",
    )


def _counts(total: int) -> list[int]:
    counts: list[int] = []
    size = float(_SMALLEST)
    while size <= total / 2:
        counts.append(int(size))
        size *= _GROWTH
    return counts


def _rebuilt(model: KernelModel, X: Matrix, count: int, seed: int) -> KernelModel:
    centres = _centres(model, count, seed)
    values = model.decisions(X)
    kernels = np.column_stack([model.kernel.matrix(X, centres), np.ones(len(X))])
    coefficients = np.empty((values.shape[1], count + 1))
    for output, target in enumerate(values.T):
        scale = float(np.abs(target).mean()) or 1.0
        weights = 1 / (np.abs(target) / scale + _NEARNESS)
        weighted = kernels * weights[:, np.newaxis]
        ridge = _RIDGE * len(X) * np.eye(count + 1)
        coefficients[output] = np.linalg.solve(
            weighted.T @ weighted + ridge, weighted.T @ (target * weights)
        )
    return KernelModel(centres, coefficients[:, :-1], coefficients[:, -1].copy(), model.kernel)


def _centres(model: KernelModel, count: int, seed: int) -> Matrix:
    from miningflow.learn.scikit_learn import KMeans

    weights = np.abs(model.coefficients).sum(axis=0)
    found = KMeans(count, n_init=1, random_state=seed % 2**32).fit(
        model.support, sample_weight=weights
    )
    centres: Matrix = found.cluster_centers_
    return centres
