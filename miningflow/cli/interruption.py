"""^C: the first ends a command in order, the second at once; the exit code is 130 either way.

What is raised after the first one is a consequence of it: a driver or a pool may turn it into
another error.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

CODE = 130
"""The exit code, as shells have it."""
_AT_ONCE = b"\ninterrupted at once; published results are complete\n"


class _State:
    came = False
    reported = False


def heed() -> None:
    """Takes notice of ^C, unless whoever started this process ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Ignores ^C from now on: the exit code is decided."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def came() -> bool:
    """Returns whether there was a ^C."""
    return _State.came


def report(state: str = "") -> None:
    """Says once that the command was interrupted, and in which state it left the results."""
    if not _State.reported:
        _State.reported = True
        said = f"\ninterrupted; {state or 'published results are unchanged'}\n"
        sys.stderr.write(said)
        sys.stderr.flush()


def _stop(_: int, __: FrameType | None) -> None:
    if _State.came:  # the store is as safe as if the power had failed
        if not _State.reported:
            os.write(2, _AT_ONCE)
        os._exit(CODE)
    _State.came = True
    raise KeyboardInterrupt


def _unraisable(unraisable: Any) -> None:
    """Prints what was raised where nobody can catch it, unless it is the ^C or follows from it."""
    if not _State.came:
        sys.__unraisablehook__(unraisable)
