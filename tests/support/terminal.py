"""Runs the command line on a terminal of its own, as a person would see it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

_DECIDING = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES")


def on_terminal(
    folder: Path, *words: str, width: int = 80, environment: Mapping[str, str] | None = None
) -> str:
    """Runs a command whose output is a terminal, and returns what it sent there."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "miningflow", *words],
        cwd=folder,
        stdin=other,
        stdout=other,
        stderr=other,
        env={**_environment(), "TERM": "xterm-256color", **(environment or {})},
    )
    os.close(other)
    shown = b""
    while part := read_terminal(main):
        shown += part
    os.close(main)
    assert process.wait() == 0, shown.decode()
    return shown.decode().replace("\r\n", "\n")


def in_pipe(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    """Runs a command whose output is a pipe, and returns all that it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "miningflow", *words],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
        env={**_environment(), **(environment or {})},
    )
    return done.stderr + done.stdout


def read_terminal(terminal: int) -> bytes:
    """Reads what a program sent to its terminal; nothing once it has ended."""
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed
        return b""


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _DECIDING}
