"""Checks the dialect a person asks for."""

from __future__ import annotations

from miningflow.errors import CompileError, Mistake, suggestion
from miningflow.sql.dialect import DIALECTS


def known_dialect(name: str) -> str:
    """Gives a dialect that is known, and refuses others."""
    if name not in DIALECTS:
        hint = suggestion(name, DIALECTS, "dialects")
        raise CompileError(Mistake(f"there is no dialect {name!r}", None, hint))
    return name
