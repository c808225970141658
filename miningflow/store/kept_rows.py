"""Rows that an earlier run was given, and that only the store has now."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.errors import Diagnostic, RunError
from miningflow.plan import SourceVersion
from miningflow.read import ConnectionText
from miningflow.repository import StepRecord
from miningflow.resolve import BoundCase
from miningflow.store.snapshot import Snapshot
from miningflow.store.sources import SourceLocation


def kept_versions(
    locations: Mapping[str, SourceLocation], snapshot: Snapshot
) -> dict[str, SourceVersion]:
    """Returns what is published of the concepts that the connection says nothing about.

    A concept that no run was given rows of is a mistake. The rows of a table that was given are not
    kept, since they may have changed.
    """
    published = {r.step: r for r in snapshot.builds if r.status == "published"}
    found: dict[str, SourceVersion] = {}
    diagnostics: list[Diagnostic] = []
    for name, location in locations.items():
        if location.kept is None:
            continue
        version = _version(published.get(name))
        if version is None:
            diagnostics.append(location.kept)
        else:
            found[name] = version
    if diagnostics:
        raise RunError(*diagnostics)
    return found


def refuse_unnamed(bound: BoundCase, connection: ConnectionText, doing: str) -> None:
    """Refuses what needs a file or table of every concept, if the connection names none of one."""
    lacking = [
        Diagnostic(
            f"{doing} needs a file or table of {name!r}, and the connection names none",
            connection.place,
            f"save its rows, add `{name}: {{file: …}}` or `{name}: {{table: …}}` to the "
            "connection, and run the case",
        )
        for name in bound.sources
        if name not in connection.sources
    ]
    if lacking:
        raise RunError(*lacking)


def _version(record: StepRecord | None) -> SourceVersion | None:
    if record is None:
        return None
    recipe = record.built.recipe
    match recipe.parameters.get("given"):
        case "frame" | "file" as given:
            where = str(recipe.parameters.get("location"))
            return SourceVersion(where, recipe.source, given=given, kept_from=record.run)
        case _:
            return None
