"""Starting Spark: one per process, which is kept until the process ends or needs another."""

from __future__ import annotations

import atexit
import importlib.util
import logging
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from miningflow.engines.spark.address import SparkAddress
from miningflow.errors import Diagnostic, EngineError

INSTALL = "pip install 'miningflow[spark]'"
# Everything is read and written in one way, whatever the settings of the server are.
SESSION_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.sources.default": "parquet",
    # a condition on what a model predicts would be written out with the model in each mention
    "spark.sql.optimizer.avoidDoubleFilterEval": "true",
}
_OF_A_DRIVER = {
    "spark.app.name": "miningflow",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
}
_SECONDS_TO_ANSWER = 10.0


@dataclass
class _Running:
    """The Spark of this process."""

    address: SparkAddress
    session: Any
    users: int = 0


class _Process:
    """What this process has: a Spark, or none yet."""

    guard = threading.RLock()
    running: ClassVar[_Running | None] = None


# They would print every error a second time, with all its SQL.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def refuse_absent(address: SparkAddress) -> None:
    """Refuses a Spark without its package, without Java, or that does not answer."""
    if importlib.util.find_spec("pyspark") is None:
        message = "a Spark store needs pyspark, which is not installed"
        raise EngineError(Diagnostic(message, None, INSTALL))
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if address.is_server and importlib.util.find_spec("grpc") is None:
        message = "Spark Connect needs grpcio, which is not installed"
        raise EngineError(Diagnostic(message, None, INSTALL))
    if not address.is_server and _java() is None:
        raise EngineError(
            Diagnostic(
                "Spark needs a Java, and there is none: neither JAVA_HOME nor `java` on the PATH",
                None,
                "install a Java 17 or newer, or use a Connect server: sc://host:15002",
            )
        )
    if address.hosts and not any(_answers(host, port) for host, port in address.hosts):
        shown = ", ".join(f"{host}:{port}" for host, port in address.hosts)
        raise EngineError(
            Diagnostic(
                f"cannot open the store {address.shown}: nobody answers at {shown}",
                None,
                "is the server running, and is the address right?",
            )
        )


@contextmanager
def started(address: SparkAddress) -> Iterator[Any]:
    """Returns a session of the Spark of this process, which has to be the one that is meant."""
    with _Process.guard:
        running = _Process.running
        if running is not None and (running.address != address or not _is_alive(running)):
            if running.users and _is_alive(running):
                raise EngineError(
                    Diagnostic(
                        "this process uses a Spark with another address or warehouse already: "
                        f"{running.address.shown}",
                        None,
                        "one process has one Spark: close the other store first",
                    )
                )
            with suppress(Exception):
                running.session.stop()
            running = None
        if running is None:
            running = _Running(address, _start(address))
        _Process.running = running
        running.users += 1
    try:
        yield running.session
    finally:
        with _Process.guard:
            running.users -= 1


def _start(address: SparkAddress) -> Any:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise EngineError(
            Diagnostic(
                "this process already runs a separate Spark",
                None,
                "stop it first (`spark.stop()`), or use a Connect server: sc://host:15002",
            )
        )
    assert address.warehouse is not None
    settings = {**_OF_A_DRIVER, "spark.sql.warehouse.dir": address.warehouse.as_uri()}
    if address.is_local:
        # the name of the machine may lead to an address that nobody listens on
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 2))
    builder: Any = SparkSession.builder.master(address.master)
    for name, value in {**settings, **address.settings, **SESSION_SETTINGS}.items():
        builder = builder.config(name, value)
    with _apart() as log:
        try:
            spark = builder.getOrCreate()
        except Exception as error:
            raise EngineError(_cannot_start(address, error, log)) from error
        atexit.register(log.unlink, missing_ok=True)
        return spark


def _cannot_start(address: SparkAddress, error: Exception, log: Path) -> Diagnostic:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = next((line for line in lines if not line.startswith(("An error", "at "))), "")
    with suppress(OSError):
        told = log.read_text(encoding="utf-8", errors="replace").splitlines()
        reason = next((x for x in told if "Error:" in x or "Exception" in x), reason)
    hint = "is a Java 17 or newer the first one? what Spark said is in " + str(log)
    return Diagnostic(f"cannot start Spark at {address.shown}: {reason[:300]}", None, hint)


@contextmanager
def _apart() -> Iterator[Path]:
    """Lets Java, which starts meanwhile, write its log to a file instead of the terminal."""
    descriptor, name = tempfile.mkstemp(prefix="miningflow_spark_", suffix=".log")
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        os.dup2(descriptor, 2)
        yield Path(name)
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(descriptor)


def _is_alive(running: _Running) -> bool:
    context = running.session._sc
    try:
        return context._jsc is not None and not context._jsc.sc().isStopped()
    except Exception:  # its Java is gone
        return False


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home:
        found = shutil.which("java", path=str(Path(home) / "bin"))
        if found:
            return found
    return shutil.which("java")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=_SECONDS_TO_ANSWER):
            return True
    except OSError:
        return False
