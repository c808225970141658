"""Options that give a concept its rows: `Concept=rows`, repeated."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def assignments(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """Splits each `Concept=rows` at its first equals sign."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, rows = text.partition("=")
        if not equals or not name or not rows:
            raise typer.BadParameter(
                f"{text!r}: write Concept=file or Concept=table", param_hint=option
            )
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = rows
    return found
