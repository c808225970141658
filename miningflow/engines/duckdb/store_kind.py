"""DuckDB as a kind of store: a file, or a database in memory."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

from miningflow.engines.engine import Engine
from miningflow.engines.file_access import FileAccess
from miningflow.engines.store_kind import Location, StoreKind
from miningflow.errors import Diagnostic, EngineError, suggestion

MOST_THREADS = 512
# Other settings, such as where extensions come from, reach outside the store.
SETTINGS = {
    "memory_limit": re.compile(r"\d{1,9}(\.\d{1,3})? ?[KMGT]i?B", re.IGNORECASE),
    "threads": re.compile(r"\d{1,9}"),
}


def _open(url: str, folder: Path, wait: float, read_only: bool, access: FileAccess) -> Engine:
    from miningflow.engines.duckdb.engine import DuckDBEngine

    file = _location(url, folder)
    path = file if isinstance(file, Path) else None
    return DuckDBEngine(path, wait, read_only, _settings(url), access)


def _location(url: str, folder: Path) -> Location:
    """Reads the path of `duckdb:///folder/file.duckdb`; `duckdb://` is in memory.

    It is made absolute, since DuckDB takes `md:x` or `http:x` for something else than a file.
    """
    _settings(url)  # an address with wrong ones is none
    name = url.partition("://")[2].partition("?")[0].removeprefix("/")
    if name in ("", ":memory:"):
        return "memory"
    if ":" in name and not Path(name).is_absolute():
        raise EngineError(
            Diagnostic(
                f"{name!r} is not the name of a DuckDB file: it contains ':'",
                None,
                "a store is a file of this computer, such as duckdb:///shop.duckdb",
            )
        )
    return (folder / name).absolute()


def _lineage_names(url: str, folder: Path) -> tuple[str, str]:
    file = _location(url, folder)
    return f"duckdb://{file.resolve() if isinstance(file, Path) else '/:memory:'}", ""


def _settings(url: str) -> dict[str, str]:
    """Reads settings behind a question mark: `?memory_limit=1GB&threads=2`."""
    settings: dict[str, str] = {}
    for name, value in parse_qsl(url.partition("?")[2], keep_blank_values=True):
        if name not in SETTINGS:
            hint = suggestion(name, SETTINGS, "settings")
            raise EngineError(Diagnostic(f"unknown store setting {name!r}", None, hint))
        if not SETTINGS[name].fullmatch(value) or (
            name == "threads" and not 1 <= int(value) <= MOST_THREADS
        ):
            hint = f"write for example memory_limit=2GB, or threads=4 (at most {MOST_THREADS})"
            raise EngineError(Diagnostic(f"{name} cannot be {value!r}", None, hint))
        settings[name] = value
    return settings


DUCKDB = StoreKind(
    addresses=re.compile("duckdb://"),
    examples="duckdb:///file.duckdb",
    dialect="duckdb",
    default_schema="main",
    open=_open,
    location=_location,
    lineage_names=_lineage_names,
    stays_in_folder=True,
)
