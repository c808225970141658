"""What Spark says, in words that tell what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from miningflow.errors import EngineError, Mistake

KEPT = "what was built before is kept, and the last good results are as they were: run again"
_LOST = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "StatusCode.UNAVAILABLE",
    "RETRIES_EXCEEDED",
    "SESSION_CLOSED",
    "SESSION_CHANGED",
    "All masters are unresponsive",
    "Master removed our application",
    "Connection refused",
)
# Of what an error says, what to do; the first that fits counts.
_HINTS = (
    ("maxResultSize", "raise `spark.driver.maxResultSize` in the store's address"),
    ("No space left", f"free some space; {KEPT}"),
    ("OutOfMemory", "raise `spark.driver.memory` or `spark.executor.memory` in the address"),
    ("ExecutorLostFailure", f"an executor was lost, often for lack of memory; {KEPT}"),
    ("PERMISSION", "may this user make schemas and tables there?"),
    ("FILE_NOT_EXIST", f"somebody changed the tables meanwhile; {KEPT}"),
    ("PATH_NOT_FOUND", f"somebody changed the tables meanwhile; {KEPT}"),
    ("DATATYPE_MISMATCH", "are both keys numbers, or both text?"),
    ("CAST_INVALID_INPUT", "a text was compared with a number: are both keys of one kind?"),
)


def spark_mistake(error: BaseException) -> Mistake:
    """Says what went wrong, and what to do."""
    said = _said(error)
    whole = f"{type(error).__name__} {error}"
    if any(sign in whole for sign in _LOST) or type(error).__name__ == "Py4JNetworkError":
        return Mistake(f"the connection to Spark was lost: {said}", None, KEPT)
    hint = next((hint for sign, hint in _HINTS if sign in whole), "")
    return Mistake(f"Spark says: {said}", None, hint)


@contextmanager
def plain_errors(interrupted: Callable[[], bool]) -> Iterator[None]:
    """Turns errors of Spark into mistakes; a job that was cancelled on purpose is ^C."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    kinds: tuple[Any, ...] = (PySparkException, Py4JError, ConnectionError)
    if (grpc := sys.modules.get("grpc")) is not None:  # only Connect loads it, and it is large
        kinds = (*kinds, grpc.RpcError)
    try:
        yield
    except kinds as error:
        if interrupted():
            raise KeyboardInterrupt from None
        raise EngineError(spark_mistake(error)) from error


def _said(error: BaseException) -> str:
    """Gives the first line that tells something, without codes for programs."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("An error occurred", "at ", ":"))]
    said = (telling or lines or [type(error).__name__])[0]
    return said.partition(" SQLSTATE:")[0][:500]
