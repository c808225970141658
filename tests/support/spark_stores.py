"""Warehouses of a real Spark on this machine as stores, and what lies in them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Process: TypeAlias = subprocess.Popen[bytes]
_EXECUTOR = b"org.apache.spark.executor.CoarseGrainedExecutorBackend"
MASTER = "local[2]"


@dataclass(frozen=True)
class Warehouse:
    """A warehouse folder beside a case, by the address that fills it."""

    folder: Path
    master: str = MASTER

    @property
    def connection(self) -> str:
        """Returns what stands behind `store:` in a connection, with the repository it needs."""
        return f"'{self.master}'\n  repository: sqlite:///repository.db"

    def objects(self) -> set[tuple[str, str]]:
        """Returns schema and name of all tables, views and functions found in the folder."""
        found: set[tuple[str, str]] = set()
        for schema in self.folder.glob("*.db"):
            listed = schema / "_views.json"
            statements = json.loads(listed.read_text()) if listed.exists() else {}
            names = [p.name for p in schema.iterdir() if p.is_dir()]
            names += [name for made in statements.values() for name in made]
            found |= {(schema.name.removesuffix(".db"), name) for name in names}
        return found


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """Starts a Spark Connect server with a separate warehouse; returns its address."""
    port = _free_port()
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.sql.warehouse.dir": folder / "on the server",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 2,
    }
    given = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    words = ("SparkSubmit", "--master", MASTER, "--class", server, *given)
    with _java(folder, "server", *words) as process:
        _wait_until_it_answers(process, port)
        yield f"sc://127.0.0.1:{port}"


@contextmanager
def standalone_master(folder: Path) -> Iterator[str]:
    """Starts a master and two workers of one core; returns the address of the master."""
    port = _free_port()
    place = ("--host", "127.0.0.1", "--webui-port", "0")
    worker = ("worker.Worker", *place, "--cores", "1", "--memory", "1g")
    address = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        words = ("master.Master", *place, "--port", port)
        master = stack.enter_context(_java(folder, "master", *words))
        _wait_until_it_answers(master, port)
        for name in ("one worker", "other worker"):
            work = ("--work-dir", folder / name)
            stack.enter_context(_java(folder, name, *worker, *work, address))
        yield address


def executors() -> list[int]:
    """Returns the processes that are executors of a Spark of this machine."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"java") and _EXECUTOR in words:
                found.append(int(process.name))
    return found


@contextmanager
def _java(folder: Path, name: str, program: str, *words: object) -> Iterator[Process]:
    """Runs a program of Spark, which logs to a file in the folder."""
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{program}", *words]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / f"{name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [str(word) for word in command], stdout=log, stderr=log, env=environment, cwd=folder
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_until_it_answers(process: Process, port: int) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended; see its log"
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.2)
    raise TimeoutError("the server does not answer")
