"""The home of a user, in which nothing may change and from which nothing may be read."""

from __future__ import annotations

import contextlib
import socket
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

SECRET = "canary-7f3a91"
ROWS = f"id,age,left,name\n1,2,yes,{SECRET}\n2,3,no,{SECRET}\n"
FILES = ("private.csv", "private.parquet", "private.txt", ".bashrc", ".pgpass", "history.db")
ENVIRONMENT = {"SECRET_OF_USER": SECRET, "PGPASSWORD": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET}


def write_home(home: Path) -> None:
    """Writes files that are worth reading or overwriting."""
    (home / "work").mkdir(parents=True)
    for name in ("private.csv", "work/private.csv"):
        (home / name).write_text(ROWS)
    for name in ("private.txt", ".bashrc", ".pgpass"):
        (home / name).write_text(f"{SECRET}\n")
    table = {"id": [1, 2], "age": [2.0, 3.0], "left": ["yes", "no"], "name": [SECRET] * 2}
    pq.write_table(pa.table(table), home / "private.parquet", compression="none")
    with contextlib.closing(sqlite3.connect(home / "history.db")) as browser:
        browser.execute("CREATE TABLE people AS SELECT 1 AS id, 2 AS age, ? AS name", [SECRET])
        browser.commit()
    with duckdb.connect(str(home / "mine.duckdb")) as mine:
        mine.execute(f"CREATE TABLE people AS SELECT 1 AS id, 2 AS age, '{SECRET}' AS name")


def contents(home: Path, apart: Path) -> dict[str, bytes]:
    """Returns all files and folders of the home, apart from one folder."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else b""
        for path in sorted(home.rglob("*"))
        if path != apart and apart not in path.parents
    }


def found_secret(folder: Path) -> list[str]:
    """Lists the files of a folder that hold the secret; what a link leads to is not of it."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not _through_link(path, folder)
        and SECRET.encode() in path.read_bytes()
    ]


def _through_link(path: Path, folder: Path) -> bool:
    return any(each.is_symlink() for each in (path, *path.parents) if folder in each.parents)


@dataclass
class Listener:
    """A server on the loopback, which nobody may call."""

    port: int = 0
    calls: list[bytes] = field(default_factory=list)


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    """Accepts connections, and keeps what each sends first."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = Listener(server.getsockname()[1])

        def listen() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as caller:
                        caller.settimeout(2)
                        listener.calls.append(caller.recv(4096))

        threading.Thread(target=listen, daemon=True).start()
        yield listener
