"""What was measured, as it is kept between a measurement and the pages made of it."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks.choosing.measure import Run
from benchmarks.choosing.problems import Problem
from benchmarks.choosing.rows import training_size


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reader has to know of a data set."""

    name: str
    kind: str
    training: int
    test: int
    features: int
    classes: int
    commonest: float
    metric: str
    keep: int

    @classmethod
    def of(cls, problem: Problem) -> Facts:
        """Counts."""
        rows, width = problem.X.shape
        training = training_size(problem)
        return cls(
            problem.name,
            problem.kind,
            training,
            rows - training,
            width,
            problem.classes,
            problem.commonest,
            problem.metric,
            problem.keep,
        )


@dataclass(slots=True)
class Results:
    """All runs of a measurement, with its settings."""

    seeds: int
    limit: float
    day: str = field(default_factory=lambda: date.today().isoformat())
    python: str = field(default_factory=platform.python_version)
    scikit_learn: str = field(default_factory=lambda: version("scikit-learn"))
    note: str = ""
    problems: list[Facts] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    counts: list[Run] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Writes everything as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> Results:
        """Reads what `save` wrote."""
        content = json.loads(path.read_text())
        for name, kind in (("problems", Facts), ("runs", Run), ("counts", Run)):
            content[name] = [kind(**each) for each in content[name]]
        return cls(**content)
