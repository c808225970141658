"""Too little memory ends a command with a message, whatever it was needed for."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
import typer

from miningflow.cli.failing import failing

ERRORS = [
    MemoryError(),
    OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)),
    RuntimeError("can't start new thread"),
    ImportError("libx.so: failed to map segment from shared object"),
    ImportError("libx.so: cannot allocate memory in static TLS block"),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_it_is_no_bug(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, failing():
        raise error
    assert ended.value.exit_code == 1
    said = capsys.readouterr().err
    assert "there is not enough memory" in said
    assert "bug" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_thread_that_cannot_start_is_reported() -> None:
    script = """
import resource, threading
from miningflow.cli.failing import failing
import miningflow.cli.bugs
with failing():
    threading.stack_size(256 * 2**20)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 64 * 2**20,) * 2)
    threading.Thread(target=print).start()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "there is not enough memory" in done.stderr
    assert "bug" not in done.stderr
