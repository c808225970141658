"""Exports: no two steps of a case may write the same file."""

from __future__ import annotations

from collections.abc import Iterable

from miningflow.errors import Diagnostic
from miningflow.resolve.bound import BoundStep


def clashing_exports(steps: Iterable[BoundStep]) -> list[Diagnostic]:
    """Finds steps that would write the same file, or one where another needs a folder."""
    owners: dict[tuple[str, ...], BoundStep] = {}
    diagnostics: list[Diagnostic] = []
    for step in steps:
        export = step.operator.exported()
        if export is None:
            continue
        if step.hidden:
            diagnostics.append(Diagnostic("'for_each' cannot repeat an export", step.place()))
            continue
        parts = tuple(export.path.casefold().split("/"))
        for other, owner in owners.items():
            shorter = min(len(parts), len(other))
            if parts[:shorter] == other[:shorter]:
                message = f"{export.path!r} is already the export of step {owner.name!r}"
                if parts != other:
                    message = f"{export.path!r} and what {owner.name!r} exports cannot both exist"
                hint = "file systems may not tell upper from lower case; choose another path"
                diagnostics.append(Diagnostic(message, step.place("path"), hint))
        owners.setdefault(parts, step)
    return diagnostics
