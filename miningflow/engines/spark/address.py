"""The address of a Spark: a master that this process drives, or a Connect server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from miningflow.errors import Diagnostic, EngineError, suggestion

FORMS = "local[*], local[2], spark://host:7077 or sc://host:15002"
WAREHOUSE = "spark-warehouse"
_MASTER = re.compile(
    r"local(\[(\d+|\*)(,\s*\d+)?\])?"
    r"|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
    r"|spark://[^/?;@\s]+(,[^/?;@\s]+)*"
)
_SERVER = re.compile(r"sc://[^/?;@\s]+(/(;[^?]*)?)?")
# Other settings load code, or reach outside the store.
_SETTINGS = (
    "spark.cores.max",
    "spark.default.parallelism",
    "spark.driver.bindAddress",
    "spark.driver.host",
    "spark.driver.maxResultSize",
    "spark.driver.memory",
    "spark.dynamicAllocation.enabled",
    "spark.executor.cores",
    "spark.executor.instances",
    "spark.executor.memory",
    "spark.network.timeout",
    "spark.sql.shuffle.partitions",
    "spark.ui.enabled",
    "spark.ui.port",
)
# What a session may set on a server that is already running.
_OF_A_SESSION = ("spark.sql.shuffle.partitions",)


@dataclass(frozen=True)
class SparkAddress:
    """Where a Spark is, and how to start a session there."""

    shown: str
    """The address without what may be secret."""
    master: str
    is_server: bool
    settings: dict[str, str] = field(default_factory=dict)
    warehouse: Path | None = None
    """The folder of tables, unless a server has its own catalog."""

    @property
    def is_local(self) -> bool:
        """Returns whether all runs on this machine."""
        return self.master.startswith("local")

    @property
    def hosts(self) -> list[tuple[str, int]]:
        """Returns the hosts and ports that must answer."""
        if self.is_local:
            return []
        named = self.master.partition("://")[2].partition("/")[0].partition(";")[0]
        port = "15002" if self.is_server else "7077"
        parts = [
            host.rpartition(":") if ":" in host else (host, "", port) for host in named.split(",")
        ]
        return [(host.strip("[]"), int(number)) for host, _, number in parts if number.isdigit()]


def spark_address(url: str, folder: Path) -> SparkAddress:
    """Reads an address such as `local[2]?spark.driver.memory=4g&warehouse=tables`."""
    place, _, query = url.partition("?")
    master = place if place.startswith("sc://") else place.rstrip("/")
    is_server = bool(_SERVER.fullmatch(master))
    if not is_server and not _MASTER.fullmatch(master):
        raise EngineError(Diagnostic("this is not the address of a Spark", None, f"use {FORMS}"))
    known = _OF_A_SESSION if is_server else ("warehouse", *_SETTINGS)
    settings: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            hint = suggestion(name, known, "settings")
            if is_server and name in ("warehouse", *_SETTINGS):
                hint = "this is a setting of the Connect server, given when it starts"
            raise EngineError(Diagnostic(f"unknown store setting {name!r}", None, hint))
        settings[name] = value
    named = settings.pop("warehouse", WAREHOUSE)
    warehouse = None if is_server else folder / named
    shown = master.partition(";")[0].rstrip("/") if is_server else url
    return SparkAddress(shown, master, is_server, settings, warehouse)
