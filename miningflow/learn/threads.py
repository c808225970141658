"""One BLAS thread for numeric code that makes many small calls."""

from __future__ import annotations

from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits


def single_blas_thread() -> AbstractContextManager[object]:
    """Returns a context in which BLAS runs in one thread.

    With two threads on a busy machine the same small products were 5 to 30 times slower.
    """
    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits
