"""Locks a case through its repository, for stores that have no locks.

A lock belongs to an open file or connection, so that it ends with the process that has it.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from miningflow.errors import Diagnostic, EngineError
from miningflow.sql.stored import stored_name

if TYPE_CHECKING:
    import sqlalchemy as sa


@contextmanager
def lock_case(repository: sa.Engine, case: str, wait: float) -> Iterator[None]:
    """Keeps other processes from changing what a case made.

    A repository in a DuckDB file needs nothing: who has opened the file has it alone.
    """
    kind, file = repository.dialect.name, repository.url.database
    if kind == "sqlite" and file:
        with _by_file(Path(f"{file}.{stored_name(case, 'spark')}.lock"), case, wait):
            yield
    elif kind == "postgresql":
        with _by_database(repository, case, wait):
            yield
    else:
        yield


@contextmanager
def _by_file(path: Path, case: str, wait: float) -> Iterator[None]:
    """Locks a file beside the repository; it stays, since removing it would race with others."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        yield
        return

    with _opened(path) as file:

        def take() -> str | None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return None
            except OSError:
                file.seek(0)
                return file.read().strip()

        _wait_for(take, case, wait)
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def _opened(path: Path) -> TextIO:
    """Opens a file to lock, or makes it; does not follow a link, since the file is overwritten."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else error.strerror
        hint = "remove it, or name another repository"
        raise EngineError(Diagnostic(f"cannot lock {path}: {reason}", None, hint)) from None
    return os.fdopen(descriptor, "r+", encoding="utf-8")


@contextmanager
def _by_database(repository: sa.Engine, case: str, wait: float) -> Iterator[None]:
    """Takes an advisory lock on a separate connection."""
    import sqlalchemy as sa

    asked = sa.text("SELECT pg_try_advisory_lock(hashtext('miningflow'), hashtext(:case))")
    with repository.connect() as connection:

        def take() -> str | None:
            taken = connection.execute(asked, {"case": case}).scalar_one()
            connection.commit()
            return None if taken else ""

        _wait_for(take, case, wait)
        try:
            yield
        finally:
            connection.execute(sa.text("SELECT pg_advisory_unlock_all()"))
            connection.commit()


def _wait_for(take: Callable[[], str | None], case: str, wait: float) -> None:
    """Tries until it has the lock; `take` returns who has it instead."""
    deadline = time.monotonic() + wait
    while (holder := take()) is not None:
        if time.monotonic() >= deadline:
            raise EngineError(
                Diagnostic(
                    f"case {case!r} is in use{f' by {holder}' if holder else ''}",
                    None,
                    "wait for it, end it, or let this command wait with `--wait SECONDS`",
                )
            )
        time.sleep(0.2)
