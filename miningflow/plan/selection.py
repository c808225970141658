"""Node selection as in dbt: `scored`, `+scored` (with all before), `relevant+` (with all after)."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

from miningflow.errors import Mistake, PlanError, suggestion

Edges = Mapping[str, tuple[str, ...]]


def selected(patterns: Iterable[str], inputs: Edges, chains: Mapping[str, str]) -> set[str]:
    """Gives the names that any of the patterns selects."""
    found: set[str] = set()
    for pattern in patterns:
        for part in pattern.replace(",", " ").split():
            found |= _selected(part, inputs, chains)
    return found


def before(name: str, inputs: Edges) -> set[str]:
    """Gives a node and all it depends on."""
    return _closure(name, inputs)


def after(name: str, inputs: Edges) -> set[str]:
    """Gives a node and all that depends on it."""
    users: dict[str, list[str]] = {n: [] for n in inputs}
    for user, used in inputs.items():
        for other in used:
            users[other].append(user)
    return _closure(name, users)


def node(name: str, inputs: Edges, chains: Mapping[str, str]) -> str:
    """Finds a step, chain or concept by its exact name."""
    meant = chains.get(name, name)
    if meant not in inputs:
        known = [n for n in [*inputs, *chains] if "[" not in n]
        raise PlanError(
            Mistake(f"there is no step or concept {name!r}", None, suggestion(name, known, "steps"))
        )
    return meant


def named(names: Iterable[str], inputs: Edges, chains: Mapping[str, str]) -> list[str]:
    """Gives the nodes of these names, in the order of the graph; a star stands for any text."""
    found: set[str] = set()
    for name in names:
        fitting = [n for n in inputs if fnmatch.fnmatchcase(n, name)] if "*" in name else []
        found |= set(fitting or [node(name, inputs, chains)])
    return [name for name in inputs if name in found]


def _selected(part: str, inputs: Edges, chains: Mapping[str, str]) -> set[str]:
    with_before, with_after = part.startswith("+"), part.endswith("+")
    core = part.strip("+")
    names = named([core], inputs, chains)
    found = set(names)
    for name in names:
        found |= before(name, inputs) if with_before else set()
        found |= after(name, inputs) if with_after else set()
    return found


def _closure(name: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found
