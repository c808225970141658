"""The database server of a test run ends with the run, even with one that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from support import postgres_server

USE = """
import pathlib, sys, time
from support import shared_server
print(shared_server.address("support.postgres_server", pathlib.Path(sys.argv[1])), flush=True)
time.sleep(600)
"""


def test_a_killed_run_leaves_no_server(tmp_path: Path) -> None:
    if os.environ.get(postgres_server.NAMED):
        pytest.skip("a server that somebody named is not started here")
    users = [_user(tmp_path), _user(tmp_path)]
    addresses = [_printed(user) for user in users]
    assert addresses[0] == addresses[1], "one server for both"
    pid = _server_process(addresses[0])
    users[0].send_signal(signal.SIGKILL)
    users[0].wait()
    assert _server_process(addresses[0]) == pid, "it stays for the other one"
    users[1].send_signal(signal.SIGKILL)
    users[1].wait()
    deadline = time.monotonic() + 120
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _is_alive(pid)


def _user(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", USE, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def _printed(user: subprocess.Popen[str]) -> str:
    assert user.stdout is not None
    return user.stdout.readline().strip()


def _server_process(address: str) -> int:
    with psycopg.connect(address) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    return int((Path(folder) / "postmaster.pid").read_text(encoding="utf-8").split()[0])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
