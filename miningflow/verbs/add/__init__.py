"""`add`: adds tables to a case, and adapts a case to data that changed shape."""

from __future__ import annotations

from miningflow.verbs.add.adding import Added, add
from miningflow.verbs.add.refreshing import Refreshed, refresh

__all__ = ["Added", "Refreshed", "add", "refresh"]
