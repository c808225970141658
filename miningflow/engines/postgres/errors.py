"""What PostgreSQL says, in words that tell what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from miningflow.errors import Diagnostic, EngineError

KEPT = "finished steps are kept, and published results are unchanged: run again"
# Of each class of errors what to do; the first that fits counts.
_HINTS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, f"free some space; {KEPT}"),
    (errors.InsufficientPrivilege, "the case makes schemas: GRANT CREATE ON DATABASE … TO …"),
    (errors.UndefinedFunction, "are both keys numbers, or both text?"),
    (errors.StatementTooComplex, "use fewer features, or a linear kernel"),
    (errors.ProgramLimitExceeded, "use fewer features, or a linear kernel"),
    (errors.UntranslatableCharacter, "PostgreSQL holds no NUL characters in texts: mend the data"),
    (errors.CharacterNotInRepertoire, "PostgreSQL holds no NUL characters in texts"),
    (errors.ReadOnlySqlTransaction, "is this a standby? name the primary server in the store"),
)


def mistake_of(error: BaseException) -> Diagnostic:
    """Returns what went wrong, and what to do."""
    if isinstance(error, errors.QueryCanceled):
        return Diagnostic(f"PostgreSQL says: {_first_line(error)}", None, _timeout_hint(error))
    if isinstance(error, errors.DependentObjectsStillExist):
        detail = " ".join((error.diag.message_detail or "").split())
        return Diagnostic(
            f"PostgreSQL says: {_first_line(error)}: {detail}",
            None,
            "something that the case did not make reads these results, whose columns change: "
            "drop it, run, and make it again; nothing was changed",
        )
    if is_lost(error):
        return Diagnostic(
            f"the connection to PostgreSQL was lost: {_first_line(error)}", None, KEPT
        )
    hint = next((said for kind, said in _HINTS if isinstance(error, kind)), "")
    return Diagnostic(f"PostgreSQL says: {_first_line(error)}", None, hint)


def is_lost(error: BaseException) -> bool:
    """Returns whether the server, or the way to it, is gone."""
    ended = errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow
    without_code = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    return isinstance(error, ended) or without_code


@contextmanager
def plain_errors(interrupted: Callable[[], bool]) -> Iterator[None]:
    """Turns errors of the driver into mistakes; a statement that was cancelled on purpose is ^C."""
    try:
        yield
    except psycopg.Error as error:
        if isinstance(error, errors.QueryCanceled) and interrupted():
            raise KeyboardInterrupt from None
        raise EngineError(mistake_of(error)) from error


def _timeout_hint(error: psycopg.Error) -> str:
    if "statement timeout" in str(error):
        return f"raise `statement_timeout` in the store's URL, or on the server; {KEPT}"
    return f"somebody cancelled it on the server; {KEPT}"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
