"""Spark as a kind of store: driven by this process, or a Connect server."""

from __future__ import annotations

import re
from pathlib import Path

from miningflow.engines.engine import Engine
from miningflow.engines.file_access import FileAccess
from miningflow.engines.spark.address import FORMS, spark_address
from miningflow.engines.store_kind import Location, StoreKind


def _open(url: str, folder: Path, wait: float, read_only: bool, access: FileAccess) -> Engine:
    """Opens a Spark: as a client of a server, or as its driver."""
    address = spark_address(url, folder.resolve())
    if address.is_server:
        from miningflow.engines.spark.connect import ConnectEngine

        return ConnectEngine(address)
    from miningflow.engines.spark.engine import SparkEngine

    return SparkEngine(address)


def _location(url: str, folder: Path) -> Location:
    """Returns the folder of tables, unless a server has its own catalog."""
    return spark_address(url, folder).warehouse or "server"


def _lineage_names(url: str, folder: Path) -> tuple[str, str]:
    """Names the folder of tables, or the server that has the catalog."""
    address = spark_address(url, folder)
    return f"spark://{address.warehouse.resolve()}" if address.warehouse else address.shown, ""


def _shown(url: str) -> str:
    return spark_address(url, Path()).shown


SPARK = StoreKind(
    addresses=re.compile(r"local(\W|$|-cluster)|spark:|sc:"),
    examples=FORMS,
    dialect="spark",
    default_schema="default",
    open=_open,
    location=_location,
    lineage_names=_lineage_names,
    shown=_shown,
)
