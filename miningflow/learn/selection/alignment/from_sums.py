"""Selection by the alignment of a linear kernel, from sums that a database can supply."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from miningflow.learn.selection.alignment.linear import LinearAlignment, LinearProblem
from miningflow.learn.selection.alignment.path import AlignmentPath, Method, align
from miningflow.learn.selection.alignment.products import GramProducts
from miningflow.learn.selection.alignment.search import AlignmentStep
from miningflow.learn.selection.progress import Progress
from miningflow.learn.threads import single_blas_thread

_METHODS = ("one_shot", "incremental", "decremental")


def align_from_statistics(
    gram: ArrayLike,
    moments: ArrayLike,
    target_norm: float,
    *,
    method: Method = "incremental",
    keep: int | None = None,
    explained: float | None = None,
    batch: bool = True,
    callback: Callable[[AlignmentStep], object] | None = None,
) -> AlignmentPath:
    """Returns the way to the chosen columns, given X'X, X'y and ‖yy'‖ instead of the data.

    For labels +1 and -1 the moments are the sums of the columns over the one class minus those over
    the other, and the norm is the number of rows. Balanced, the moments are differences of means
    and the norm is 1/m + 1/n. For more classes, there is a column of moments for each against the
    rest, and the norm is that of Y'Y.
    """
    products = np.asarray(gram, dtype=np.float64)
    sums = np.asarray(moments, dtype=np.float64)
    width = len(sums)
    if products.shape != (width, width):
        raise ValueError(
            f"gram must be {width} x {width}, one row for each of the moments; "
            f"its shape is {products.shape}"
        )
    if not (np.isfinite(products).all() and np.isfinite(sums).all() and target_norm > 0):
        raise ValueError("gram and moments must be finite, and target_norm above 0")
    if method not in _METHODS:
        raise ValueError(f"no method {method!r}; there are {', '.join(_METHODS)}")
    check_limits(width, keep, explained)
    problem = LinearProblem.of(GramProducts(products), sums.reshape(width, -1), target_norm)
    with single_blas_thread():
        return align(
            partial(LinearAlignment, problem),
            width,
            method,
            keep,
            explained,
            batch,
            Progress(callback),
        )


def check_limits(
    width: int, keep: int | None, explained: float | None, validation: float | None = None
) -> None:
    """Refuses more than one limit, and one that cannot be met."""
    given = [limit for limit in (keep, explained, validation) if limit is not None]
    if len(given) > 1:
        raise ValueError(
            "the number of columns, explained and validation each decide what is kept; "
            "give one of them"
        )
    if keep is not None and not 1 <= keep <= width:
        raise ValueError(f"{keep} columns cannot be kept; there are {width}")
    if explained is not None and not 0 < explained <= 1:
        raise ValueError(f"explained={explained} is no share; it must be above 0 and at most 1")
