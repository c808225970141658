"""One database server for all processes of a test run, which ends when the last of them has ended.

A keeper process starts the server. Every process that uses it holds a shared lock on a file until
it ends, however it ends; as soon as the keeper can lock the file alone, it stops the server.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_USERS, _ADDRESS, _LOG = "users.lock", "address", "keeper.log"


def address(module: str, folder: Path) -> str:
    """Returns the address of the server that `module.running` starts, once per folder."""
    folder.mkdir(exist_ok=True)
    users = os.open(folder / _USERS, os.O_RDWR | os.O_CREAT)  # stays open until this process ends
    fcntl.flock(users, fcntl.LOCK_SH)
    with _alone(folder / "starting.lock"):
        if not (folder / _ADDRESS).exists():
            _start_keeper(module, folder)
    return (folder / _ADDRESS).read_text(encoding="utf-8")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start_keeper(module: str, folder: Path) -> None:
    command = [sys.executable, "-m", "support.shared_server", module, str(folder)]
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    with (folder / _LOG).open("w") as log:
        keeper = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            start_new_session=True,  # ^C is for the tests, after which it stops the server
        )
    assert keeper.stdout is not None
    started = keeper.stdout.readline()
    if not started:
        raise RuntimeError((folder / _LOG).read_text(encoding="utf-8"))


def keep(module: str, folder: Path) -> None:
    """Runs the server until no process uses it any more."""
    with importlib.import_module(module).running() as found, (folder / _USERS).open("w") as users:
        (folder / _ADDRESS).write_text(found, encoding="utf-8")
        sys.stdout.write("started\n")
        sys.stdout.flush()
        fcntl.flock(users, fcntl.LOCK_EX)
        (folder / _ADDRESS).unlink(missing_ok=True)


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]))
