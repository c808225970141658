"""Which operators are installed: asked of the entry-point group `miningflow.operators`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from miningflow.catalog.catalog import Catalog
from miningflow.errors import Diagnostic, MiningFlowError

GROUP = "miningflow.operators"


@cache
def installed() -> Catalog:
    """Returns all installed operators; libraries of other people join the group."""
    entries = sorted(entry_points(group=GROUP), key=lambda e: e.name)
    found = Catalog(cls for entry in entries for cls in entry.load())
    if not found:
        raise MiningFlowError(
            Diagnostic(
                "no operators are installed",
                None,
                "a bare checkout is not enough: install it with `pip install -e .`",
            )
        )
    return found
