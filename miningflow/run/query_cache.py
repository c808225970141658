"""Statistics that several steps of a run need are computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class QueryCache:
    """Remembers results for the time of a run; a second step that asks waits for the first."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._values: dict[str, Any] = {}

    def get_or_compute(self, key: str, compute: Callable[[], Any]) -> Any:
        """Returns the value of a key; computes it if that was not done yet, or failed."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._values:
                self._values[key] = compute()
            return self._values[key]
