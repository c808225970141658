"""Reads `Concept=rows` options."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def assignments(texts: Iterable[str]) -> dict[str, str]:
    """Splits each text at its first equals sign."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, rows = text.partition("=")
        if not equals or not name or not rows:
            raise typer.BadParameter(
                f"{text!r}: write Concept=file or Concept=table", param_hint="--input"
            )
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint="--input")
        found[name] = rows
    return found
