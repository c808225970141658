"""Records: what the repository returns, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from miningflow.plan.recipe import Built
from miningflow.repository.run_origin import RunOrigin


@dataclass(frozen=True)
class MadeObject:
    """A view, table or schema that a case made: its entry in the trash index."""

    schema: str
    name: str
    kind: str
    run: int = 0


@dataclass(frozen=True)
class StepRecord:
    """What is known of one build of a step."""

    step: str
    fingerprint: str
    run: int
    status: str
    object_name: str | None
    rows: int | None
    seconds: float
    notes: str
    built: Built


@dataclass(frozen=True)
class RunRecord:
    """What is known of one run."""

    run: int
    started: datetime
    ended: datetime | None
    status: str
    message: str
    origin: RunOrigin


@dataclass(frozen=True)
class ParityRecord:
    """How well the SQL of a model agrees with the model, on rows of its result."""

    compared_rows: int
    largest_difference: float
    """Of a number, relative to the largest number of its feature."""
    labels: int
    """Labels compared; all are equal, but for those too close to call."""
    labels_too_close: int

    def __str__(self) -> str:
        off = self.largest_difference
        said = [f"largest difference {off:.0e}" if off else "equal numbers"]
        if self.labels:
            said.append(f"{self.labels - self.labels_too_close:,} of {self.labels:,} labels equal")
        if self.labels_too_close:
            said.append(f"{self.labels_too_close} too close to call")
        return f"SQL against the model on {self.compared_rows:,} rows: {', '.join(said)}"
