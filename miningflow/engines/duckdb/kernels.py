"""A kernel model as a function of DuckDB, for SQL that this very process runs.

Inner products of rows and support vectors are taken by BLAS, many at once, instead of by functions
over lists. What is exported stays plain SQL: no other process has this function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel, Polynomial, Radial, Sigmoid, merged
from miningflow.learn.threads import single_blas_thread

# Kernel values at once: 1 MB, which stays in the cache of a processor.
VALUES_AT_ONCE = 131_072
# Up to this γ‖s − mean‖² the expanded distance keeps twelve digits of a kernel value.
FARTHEST = 500.0


@contextmanager
def kernel_function(
    cursor: duckdb.DuckDBPyConnection, name: str, model: KernelModel
) -> Iterator[None]:
    """Returns SQL a function of that name: from a list of inputs to a list of decision values.

    The list is NULL where an input is NULL, NaN or infinite. It is meant for one statement at a
    time; while it exists, BLAS runs in one thread, since DuckDB calls it from several.
    """
    decide, width = _decide(merged(model)), model.support.shape[1]

    def function(rows: pa.ChunkedArray | pa.Array) -> pa.Array:
        chunks = rows.chunks if isinstance(rows, pa.ChunkedArray) else [rows]
        return pa.concat_arrays([_decided(chunk, width, decide) for chunk in chunks])

    cursor.create_function(
        name,
        function,
        [duckdb.list_type("DOUBLE")],
        duckdb.list_type("DOUBLE"),
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
    )
    try:
        with single_blas_thread():
            yield
    finally:
        cursor.remove_function(name)


def _decided(rows: pa.ListArray, width: int, decide: Callable[[Matrix], Matrix]) -> pa.Array:
    numbers = rows.flatten().to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    X = np.full((len(rows), width), np.nan)
    X[rows.is_valid().to_numpy(zero_copy_only=False)] = numbers.reshape(-1, width)
    known = np.isfinite(X).all(axis=1)
    values = decide(np.where(known[:, np.newaxis], X, 0.0))
    ends = np.arange(len(X) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()), mask=pa.array(~known))


def _decide(model: KernelModel) -> Callable[[Matrix], Matrix]:
    """Returns the decision function of a model, prepared for many calls with few rows."""
    kernel, support = model.kernel, model.support
    if isinstance(kernel, Radial):
        center = support.mean(axis=0) if len(support) else np.zeros(support.shape[1])
        moved = support - center
        lengths = (moved**2).sum(axis=1)
        if kernel.gamma * lengths.max(initial=0.0) > FARTHEST:
            return model.decisions
        vectors, constants = 2 * kernel.gamma * moved.T, -kernel.gamma * lengths
    else:
        center = np.zeros(support.shape[1])
        vectors, constants = kernel.gamma * support.T, np.full(len(support), kernel.constant)
    shares = np.ascontiguousarray(model.coefficients.T)
    step = max(1, VALUES_AT_ONCE // max(1, len(support)))

    def values(X: Matrix) -> Matrix:
        inner = X @ vectors
        inner += constants
        match kernel:
            case Radial(gamma):
                inner -= gamma * (X**2).sum(axis=1)[:, np.newaxis]
                return np.exp(inner, out=inner)
            case Polynomial(degree):
                return inner**degree
            case Sigmoid():
                return np.tanh(inner, out=inner)
            case _:
                assert_never(kernel)

    def decide(X: Matrix) -> Matrix:
        decided = np.tile(model.intercepts, (len(X), 1))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            decided[rows] += values(X[rows] - center) @ shares
        return decided

    return decide
