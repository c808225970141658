"""Opens the engine of a store's URL."""

from __future__ import annotations

from pathlib import Path

from miningflow.engines.duckdb.store_kind import DUCKDB
from miningflow.engines.engine import Engine
from miningflow.engines.file_access import NO_FILES, FileAccess
from miningflow.engines.postgres.store_kind import POSTGRES
from miningflow.engines.spark.store_kind import SPARK
from miningflow.engines.store_kind import StoreKind
from miningflow.errors import Diagnostic, EngineError

STORES: tuple[StoreKind, ...] = (DUCKDB, POSTGRES, SPARK)


def find_store_kind(url: str) -> StoreKind | None:
    """Returns the kind of store that a URL belongs to, if it is one."""
    return next((kind for kind in STORES if kind.addresses.match(url)), None)


def store_kind(url: str) -> StoreKind:
    """Returns the kind of store that a URL belongs to, and refuses an unknown one."""
    kind = find_store_kind(url)
    if kind is None:
        # what precedes an @ may be a password
        scheme = url.partition("://")[0].rpartition("@")[2]
        examples = ", ".join(kind.examples for kind in STORES)
        raise EngineError(Diagnostic(f"unknown kind of store {scheme!r}", None, f"use {examples}"))
    return kind


def open_engine(
    url: str,
    folder: Path,
    wait: float = 0.0,
    read_only: bool = False,
    access: FileAccess = NO_FILES,
) -> Engine:
    """Opens a store; a relative path in its URL starts from the given folder."""
    return store_kind(url).open(url, folder, wait, read_only, access)
