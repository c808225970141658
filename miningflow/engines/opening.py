"""Opens the engine of a store's URL."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

from miningflow.engines.engine import Engine
from miningflow.errors import EngineError, Mistake, suggestion

# What a connection may set; others, such as where extensions come from, reach outside the store.
SETTINGS = ("memory_limit", "threads")


def open_engine(url: str, folder: Path, wait: float = 0.0, read_only: bool = False) -> Engine:
    """Opens a store; a relative path in its URL starts from the given folder."""
    kind, _, rest = url.partition("://")
    if kind == "duckdb":
        from miningflow.engines.duckdb import DuckDBEngine

        return DuckDBEngine(store_path(rest, folder), wait, read_only, _settings(rest))
    raise EngineError(
        Mistake(
            f"there is no engine for {kind or url!r}", None, "stores are: duckdb:///file.duckdb"
        )
    )


def default_schema(url: str) -> str:
    """Names the schema of a table that is named without one."""
    return "main" if url.startswith("duckdb:") else "public"


def _settings(rest: str) -> dict[str, str]:
    """Reads settings of the engine behind a question mark: `?memory_limit=1GB&threads=2`."""
    settings: dict[str, str] = {}
    for name, value in parse_qsl(rest.partition("?")[2], keep_blank_values=True):
        if name not in SETTINGS:
            hint = suggestion(name, SETTINGS, "settings")
            raise EngineError(Mistake(f"there is no setting {name!r} of a store", None, hint))
        settings[name] = value
    return settings


def store_path(rest: str, folder: Path) -> Path | None:
    """Gives the file of a DuckDB URL, or None for one in memory."""
    path = rest.partition("?")[0].removeprefix("/")
    if path in ("", ":memory:"):
        return None
    return folder / path
