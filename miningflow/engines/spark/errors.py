"""What Spark says, in words that tell what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from miningflow.errors import Diagnostic, EngineError

KEPT = "finished steps are kept, and published results are unchanged: run again"
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


def spark_mistake(error: BaseException) -> Diagnostic:
    """Returns what went wrong, and what to do."""
    said = _said(error)
    whole = f"{type(error).__name__} {error}"
    if any(sign in whole for sign in _LOST) or type(error).__name__ == "Py4JNetworkError":
        return Diagnostic(f"the connection to Spark was lost: {said}", None, KEPT)
    hint = next((hint for sign, hint in _HINTS if sign in whole), "")
    return Diagnostic(f"Spark says: {said}", None, hint)


@contextmanager
def plain_errors(interrupted: Callable[[], bool]) -> Iterator[None]:
    """Turns errors of Spark into mistakes; a job that was cancelled on purpose is ^C."""
    try:
        yield
    except _kinds() as error:
        if interrupted():
            raise KeyboardInterrupt from None
        raise EngineError(spark_mistake(error)) from error


def _kinds() -> tuple[Any, ...]:
    """Returns the errors that Spark raises; only Connect loads gRPC, which is large."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    grpc = sys.modules.get("grpc")
    return (PySparkException, Py4JError, ConnectionError, *([grpc.RpcError] if grpc else []))


def _said(error: BaseException) -> str:
    """Returns the first line that tells something, without codes for programs."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("An error occurred", "at ", ":"))]
    said = (telling or lines or [type(error).__name__])[0]
    return said.partition(" SQLSTATE:")[0][:500]
