"""Exports: files that a case may name, and that no two of its steps name alike."""

from __future__ import annotations

from collections.abc import Iterable

from miningflow.errors import Mistake
from miningflow.resolve.bound import BoundStep

LIST_OF_EXPORTS = "exports.json"
"""The file in an export folder that says what the others hold."""

LONGEST_PATH = 200


def wrong_export_path(text: str) -> str:
    """Says why a text cannot be a file in an export folder; nothing if it can.

    A case comes from anywhere, so it must not reach out of the folder in any way of writing.
    """
    parts = text.split("/")
    if not text.isprintable() or len(text) > LONGEST_PATH:
        return f"takes a path of at most {LONGEST_PATH} printable characters"
    if "\\" in text or ":" in text:
        return "takes a path without backslashes and colons"
    if text.startswith(("/", "~")):
        return f"takes a path within the export folder, and {text!r} leads elsewhere"
    if ".." in parts:
        return f"takes a path within the export folder, and {text!r} leads out of it"
    if any(not part.strip() or part.startswith(".") for part in parts):
        return "takes a path whose parts are not empty and do not begin with a dot"
    if parts[-1].casefold() == LIST_OF_EXPORTS:
        return f"cannot be {text!r}, which is where exports are listed"
    return ""


def clashing_exports(steps: Iterable[BoundStep]) -> list[Mistake]:
    """Finds steps that would write the same file, or one where another needs a folder."""
    owners: dict[tuple[str, ...], BoundStep] = {}
    mistakes: list[Mistake] = []
    for step in steps:
        export = step.operator.exported()
        if export is None:
            continue
        if step.hidden:
            mistakes.append(Mistake("'for_each' cannot repeat an export", step.place()))
            continue
        parts = tuple(export.path.casefold().split("/"))
        for other, owner in owners.items():
            shorter = min(len(parts), len(other))
            if parts[:shorter] == other[:shorter]:
                message = f"{export.path!r} is where step {owner.name!r} exports to"
                if parts != other:
                    message = f"{export.path!r} and what {owner.name!r} exports exclude each other"
                hint = "file systems may not tell upper from lower case; choose another path"
                mistakes.append(Mistake(message, step.place("path"), hint))
        owners.setdefault(parts, step)
    return mistakes
