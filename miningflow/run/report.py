"""The report of a run: every stage, what was deselected, how good the models are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from miningflow.repository import ParityRecord
from miningflow.run.data_tests import DataTestResult
from miningflow.run.exporting import Exported
from miningflow.warn import ResultWarning

if TYPE_CHECKING:
    import pandas as pd


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
    warnings: tuple[ResultWarning, ...] = ()
    """What makes results doubtful, and what to do about it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Where the SQL was written: `score` is a script, `compiled` a folder with a file per step."""

    def __repr__(self) -> str:
        ran = sum(stage.action == "run" for stage in self.stages)
        return f"<Report of {self.case!r}: {ran} of {len(self.stages)} stages ran>"

    def _repr_html_(self) -> str:
        from miningflow.run.report_page import report_page

        return report_page(self)

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data for programs."""
        tests = [result.as_json() for result in self.data_tests]
        return {**asdict(replace(self, data_tests=())), "data_tests": tests}

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each stage: what was done, how many rows it has, how long it took."""
        import pandas as pd

        columns = ["name", "operator", "builds", "action", "reason", "rows", "seconds"]
        rows = [[getattr(stage, name) for name in columns] for stage in self.stages]
        return pd.DataFrame(rows, columns=columns).astype({"rows": "Int64"})
