"""Opens the engine of a store's URL."""

from __future__ import annotations

from pathlib import Path

from miningflow.engines.engine import Engine
from miningflow.errors import EngineError, Mistake


def open_engine(url: str, folder: Path, wait: float = 0.0, read_only: bool = False) -> Engine:
    """Opens a store; a relative path in its URL starts from the given folder."""
    kind, _, rest = url.partition("://")
    if kind == "duckdb":
        from miningflow.engines.duckdb import DuckDBEngine

        return DuckDBEngine(store_path(rest, folder), wait, read_only)
    raise EngineError(
        Mistake(
            f"there is no engine for {kind or url!r}", None, "stores are: duckdb:///file.duckdb"
        )
    )


def store_path(rest: str, folder: Path) -> Path | None:
    """Gives the file of a DuckDB URL, or None for one in memory."""
    path = rest.removeprefix("/")
    if path in ("", ":memory:"):
        return None
    return folder / path
