"""Opens the engine of a store's URL."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

from miningflow.engines.engine import Engine
from miningflow.engines.postgres_address import KINDS as POSTGRES
from miningflow.engines.postgres_address import address_of
from miningflow.engines.spark_address import FORMS, SparkAddress, is_spark, spark_address
from miningflow.errors import EngineError, Mistake, suggestion

# What a connection may set; others, such as where extensions come from, reach outside the store.
SETTINGS = ("memory_limit", "threads")


def open_engine(url: str, folder: Path, wait: float = 0.0, read_only: bool = False) -> Engine:
    """Opens a store; a relative path in its URL starts from the given folder."""
    kind, _, rest = url.partition("://")
    if kind == "duckdb":
        from miningflow.engines.duckdb import DuckDBEngine

        return DuckDBEngine(store_path(rest, folder), wait, read_only, _settings(rest))
    if kind in POSTGRES:
        return _postgres(url, read_only)
    if is_spark(url):
        return _spark(spark_address(url, folder.resolve()))
    raise EngineError(
        Mistake(
            # what stands before an @ may be a password
            f"there is no engine for {kind.rpartition('@')[2]!r}",
            None,
            f"stores are: duckdb:///file.duckdb, postgresql://user@host/database, {FORMS}",
        )
    )


def shown_url(url: str) -> str:
    """Gives the URL of a store as it may be printed: without a password."""
    if is_spark(url):
        return spark_address(url, Path()).shown
    if url.partition("://")[0] not in POSTGRES:
        return url
    return address_of(url).shown


def dialect_of(url: str) -> str:
    """Names the dialect of a store that need not be open."""
    if is_spark(url):
        return "spark"
    return "postgres" if url.partition("://")[0] in POSTGRES else "duckdb"


def _postgres(url: str, read_only: bool) -> Engine:
    """Opens a PostgreSQL, whose driver is an extra."""
    address = address_of(url, read_only)
    try:
        from miningflow.engines.postgres import PostgresEngine
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg" and "libpq" not in str(error):
            raise
        raise EngineError(
            Mistake(
                "a PostgreSQL store needs the driver psycopg, which is not installed",
                None,
                "pip install 'miningflow[postgres]'",
            )
        ) from None
    return PostgresEngine(address)


def _spark(address: SparkAddress) -> Engine:
    """Opens a Spark: as a client of a server, or as its driver."""
    if address.is_server:
        from miningflow.engines.spark_connect import ConnectEngine

        return ConnectEngine(address)
    from miningflow.engines.spark import SparkEngine

    return SparkEngine(address)


def default_schema(url: str) -> str:
    """Names the schema of a table that is named without one."""
    if is_spark(url):
        return "default"
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


def store_folder(url: str, folder: Path) -> Path | None:
    """Gives the folder that a store fills, if it is one of Spark on this machine."""
    return spark_address(url, folder).warehouse if is_spark(url) else None


def store_path(rest: str, folder: Path) -> Path | None:
    """Gives the file of a DuckDB URL, or None for one in memory."""
    path = rest.partition("?")[0].removeprefix("/")
    if path in ("", ":memory:"):
        return None
    return folder / path
