"""`run`: all phases, then the SQL of the run as files that people can review."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from miningflow import pipeline
from miningflow.plan import PlanRequest
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.run import Report
from miningflow.run.events import Listener, silent
from miningflow.verbs.sql_files import check_target, write_sql_files


def run(
    bound: BoundCase,
    connection: ConnectionText | None,
    request: PlanRequest | None = None,
    target: Path = Path("target"),
    test: bool = False,
    wait: float = 0.0,
    listener: Listener = silent,
) -> Report:
    """Builds what changed, makes it visible at once, and writes the SQL to a folder in `target`."""
    check_target(bound, target)
    report, pieces = pipeline.run(bound, connection, request, listener, wait, target, test)
    files = write_sql_files(bound, pieces, target, pipeline.store_dialect(connection))
    return replace(report, files={name: str(path) for name, path in files.items()})
