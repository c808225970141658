"""Whether output is coloured: on a terminal, unless the environment says otherwise."""

from __future__ import annotations

import os
from typing import TextIO

_FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")


def is_coloured(stream: TextIO) -> bool:
    """Returns whether a stream takes escape sequences for colours; NO_COLOR wins."""
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "") not in ("", "0") for name in _FORCING):
        return True
    return os.environ.get("CLICOLOR") != "0" and is_live(stream)


def is_live(stream: TextIO) -> bool:
    """Returns whether a stream is a terminal on which a line can be written again."""
    return stream.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")
