"""Which operators are installed: asked of the entry-point group `miningflow.operators`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType

from miningflow.declare.operator import Operator
from miningflow.errors import Diagnostic, MiningFlowError

GROUP = "miningflow.operators"

Catalog = Mapping[str, type[Operator]]


@cache
def installed() -> Catalog:
    """Returns all installed operators by name; libraries of other people join the group."""
    found: dict[str, type[Operator]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        for cls in entry.load():
            if cls.__name__ in found:
                raise MiningFlowError(f"two installed operators are called {cls.__name__!r}")
            found[cls.__name__] = cls
    if not found:
        raise MiningFlowError(
            Diagnostic(
                "no operators are installed",
                None,
                "a bare checkout is not enough: install it with `pip install -e .`",
            )
        )
    return MappingProxyType(dict(sorted(found.items())))
