"""Node selection as in dbt: `scored`, `+scored` (with all before), `relevant+` (with all after)."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import find_node, nodes, written_name


def selected(patterns: Iterable[str], bound: BoundCase) -> set[str]:
    """Returns the sources and steps that any of the patterns selects."""
    found: set[str] = set()
    for pattern in patterns:
        for part in pattern.replace(",", " ").split():
            found |= _selected(part, bound)
    return found


def named(names: Iterable[str], bound: BoundCase) -> list[str]:
    """Returns the nodes of these names in running order; a star stands for any text."""
    known = nodes(bound)
    found: set[str] = set()
    for name in names:
        fitting = [n for n in known if fnmatch.fnmatchcase(n, name)] if "*" in name else []
        found |= set(fitting or [written_name(find_node(name, bound), bound)])
    return [name for name in known if name in found]


def _selected(part: str, bound: BoundCase) -> set[str]:
    with_before, with_after = part.startswith("+"), part.endswith("+")
    names = named([part.strip("+")], bound)
    found = set(names)
    for name in names:
        found |= bound.ancestors(name) if with_before else set()
        found |= bound.descendants(name) if with_after else set()
    return found
