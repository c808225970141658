"""One BLAS thread for numeric code that makes many small calls."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def single_blas_thread() -> AbstractContextManager[object]:
    """Returns a context in which BLAS runs in one thread.

    With two threads on a busy machine the same small products were 5 to 30 times slower.
    """
    limits: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limits


@cache
def _libraries() -> Any:
    # Compiling a case needs neither of these, and looking for the libraries takes 10 ms, as much as
    # a small selection.
    import scipy.linalg  # noqa: F401 - loads the BLAS libraries that are to be limited
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
