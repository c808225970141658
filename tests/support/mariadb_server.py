"""A real MariaDB: a server started from the binaries of this machine, in a separate folder."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from miningflow.fitted import FittedScript

_DATABASE = "miningflow_test"


def why_absent() -> str:
    """Says what is missing for MariaDB, or nothing."""
    if not _server() or not shutil.which("mariadb-install-db"):
        return "there is no MariaDB: apt-get install mariadb-server"
    try:
        import pymysql  # noqa: F401  # only asks whether it is there
    except ImportError:
        return "pymysql is not installed: pip install -e '.[dialects-test]'"
    return ""


def _server() -> str | None:
    return shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin") or shutil.which("mariadbd")


@contextmanager
def running() -> Iterator[str]:
    """Returns the socket of a server, which ends with the tests."""
    # a socket has a short path at most, so the folder is none of pytest's
    folder = Path(tempfile.mkdtemp(prefix="mfdb_"))
    data, socket = folder / "data", folder / "socket"
    account = ["--user=root"]
    subprocess.run(
        [
            "mariadb-install-db",
            "--no-defaults",
            *account,
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
        check=True,
        capture_output=True,
    )
    program = _server()
    assert program is not None
    server = subprocess.Popen(
        [
            program,
            "--no-defaults",
            *account,
            f"--datadir={data}",
            f"--socket={socket}",
            f"--pid-file={folder / 'pid'}",
            "--skip-networking",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_bin",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not socket.exists():
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("MariaDB did not start")
            time.sleep(0.1)
        yield str(socket)
    finally:
        server.terminate()
        server.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


class MariaDB:
    """A separate database on a server."""

    dialect = "mysql"

    def __init__(self, socket: str) -> None:
        import pymysql

        self.connection: Any = pymysql.connect(
            unix_socket=socket,
            user="root",
            autocommit=True,
            charset="utf8mb4",
            collation="utf8mb4_bin",
        )
        self.execute(f"CREATE DATABASE {_DATABASE}")
        self.execute(f"USE {_DATABASE}")

    def close(self) -> None:
        """Removes the database."""
        self.execute(f"DROP DATABASE {_DATABASE}")
        self.connection.close()

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        self.load(frame, table)
        try:
            for statement in script.setup:
                self.execute(statement)
            rows = self.rows(script.query)
            for statement in script.teardown:
                self.execute(statement)
            assert self.tables() == [table]
        finally:
            for name in self.tables():
                self.execute(f"DROP TABLE {self.quoted(name)}")
        return rows

    def execute(self, statement: str) -> None:
        """Runs a statement."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str) -> pd.DataFrame:
        """Fetches the result of a query."""
        with self.connection.cursor() as cursor:
            cursor.execute(query)
            names = [column[0] for column in cursor.description]
            return pd.DataFrame(list(cursor.fetchall()), columns=names, dtype=object)

    def load(self, frame: pd.DataFrame, table: str) -> None:
        """Makes a table of a frame; None is NULL, and so is NaN."""
        columns = [f"{self.quoted(str(name))} {_type(frame[name])}" for name in frame.columns]
        self.execute(f"CREATE TABLE {self.quoted(table)} ({', '.join(columns)})")
        lists = [_values(frame[name]) for name in frame.columns]
        places = ", ".join(["%s"] * len(lists))
        with self.connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {self.quoted(table)} VALUES ({places})".replace("`%`", "`%%`"),
                list(zip(*lists, strict=True)),
            )

    def tables(self) -> list[str]:
        """Names the tables."""
        return [str(name) for name in self.rows("SHOW TABLES").iloc[:, 0]]

    def quoted(self, name: str) -> str:
        """Quotes a name."""
        return "`" + name.replace("`", "``") + "`"


def _type(values: pd.Series) -> str:
    texts = any(isinstance(value, str) for value in values)
    return "VARCHAR(200)" if texts else "BIGINT" if values.dtype.kind in "iub" else "DOUBLE"


def _values(values: pd.Series) -> list[Any]:
    return [None if pd.isna(value) else value for value in values.tolist()]
