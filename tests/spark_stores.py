"""Warehouses of a real Spark on this machine as stores, and what lies in them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

MASTER = "local[2]"


@dataclass(frozen=True)
class Warehouse:
    """A warehouse folder beside a case, by the address that fills it."""

    folder: Path
    master: str = MASTER

    @property
    def connection(self) -> str:
        """Gives what stands behind `store:` in a connection, with the repository it needs."""
        return f"'{self.master}'\n  repository: sqlite:///repository.db"

    def objects(self) -> set[tuple[str, str]]:
        """Gives schema and name of all tables, views and functions, by what lies in the folder."""
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
    """Starts a Spark Connect server with a warehouse of its own; gives its address."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.sql.warehouse.dir": folder / "on the server",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 2,
    }
    given = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = [home / "bin" / "spark-class", "org.apache.spark.deploy.SparkSubmit"]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "server.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*map(str, command), "--master", MASTER, "--class", server, *given],
            stdout=log,
            stderr=log,
            env=environment,
            cwd=folder,
        )
        try:
            _wait_until_it_answers(process, port)
            yield f"sc://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended; see server.log"
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.2)
    raise TimeoutError("the server does not answer")
