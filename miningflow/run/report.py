"""The report of a run: every stage, what was deselected, how good the models are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from miningflow.repository import ParityRecord
from miningflow.run.data_tests import DataTestResult
from miningflow.run.exporting import Exported


@dataclass(frozen=True)
class StageReport:
    """What happened to one stage."""

    name: str
    operator: str
    builds: str
    action: str
    reason: str
    rows: int | None
    seconds: float
    notes: tuple[str, ...] = ()
    parity: ParityRecord | None = None
    """For a model: how well its SQL agrees with it."""


@dataclass(frozen=True)
class Dropped:
    """A feature that a step deselected."""

    step: str
    feature: str
    reason: str


@dataclass(frozen=True)
class Report:
    """What a run did."""

    case: str
    run: int | None
    store: str
    stages: tuple[StageReport, ...]
    dropped: tuple[Dropped, ...]
    evaluations: dict[str, list[dict[str, Any]]]
    seconds: float
    data_tests: tuple[DataTestResult, ...] = ()
    """What came of the data tests, if they were asked for."""
    exports: tuple[Exported, ...] = ()
    """The files that hold what steps made, of this run or an earlier one."""

    def as_json(self) -> dict[str, Any]:
        """Gives the report as plain data for programs."""
        tests = [result.as_json() for result in self.data_tests]
        return {**asdict(replace(self, data_tests=())), "data_tests": tests}
