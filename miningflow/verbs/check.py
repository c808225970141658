"""`check`: what is wrong with one or several cases, and what they consist of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from miningflow import arguments, pipeline
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.resolve import BoundCase
from miningflow.verbs.check_data import data_diagnostics


@dataclass(frozen=True)
class Contents:
    """What a case consists of, counted as `plan` and `run` count it."""

    concepts: int
    steps: int
    stages: int
    """Concepts and steps, where every turn of a loop counts as one."""
    loops: Mapping[str, int]
    """Step → the number of its turns."""
    segmentations: tuple[str, ...]
    """Steps after which others run once for each segment; how many there are is in the data."""


@dataclass(frozen=True)
class Checked:
    """The result of a check of one case file: errors and warnings, or none."""

    path: Path
    case: str | None
    diagnostics: tuple[Diagnostic, ...]
    contents: Contents | None = None
    connected: bool = False

    @property
    def passed(self) -> bool:
        """Returns whether the case has no errors; warnings do not count."""
        return all(each.severity != "error" for each in self.diagnostics)

    def as_json(self) -> dict[str, Any]:
        """Returns the result as plain data for programs."""
        found: dict[str, Any] = {
            "file": str(self.path),
            "case": self.case,
            "diagnostics": [each.as_json() for each in self.diagnostics],
        }
        if self.contents is not None:
            found |= vars(self.contents)
        return found


def check(
    *cases: str | Path, connect: str | Path | None = None, lazy: bool = False, data: bool = False
) -> tuple[Checked, ...]:
    """Checks case files, and returns what is wrong with each; raises no errors of the cases.

    `connect` is a connection file to use instead of the cases' own connections. With `lazy`, every
    segmentation keeps its first segment only. With `data`, it also looks whether the files, tables
    and columns of the sources exist and have fitting types, and notes columns that came; of CSV
    files it reads the first rows.
    """
    given = arguments.optional_path(connect, "connect")
    paths = [arguments.path(each, "cases") for each in cases]
    if not paths:
        raise MiningFlowError(Diagnostic("there is no case to check", None, "name a case file"))
    return tuple(_checked(path, given, lazy, data) for path in paths)


def _checked(path: Path, connect: Path | None, lazy: bool, data: bool) -> Checked:
    try:
        bound, connection = pipeline.check(path, connect, lazy)
    except MiningFlowError as error:
        return Checked(path, None, error.diagnostics)
    found = data_diagnostics(bound, connection) if data else ()
    checked = Checked(path, bound.name, (*found, *bound.warnings))
    if not checked.passed:
        return checked
    return replace(checked, contents=contents(bound), connected=connection is not None)


def contents(bound: BoundCase) -> Contents:
    """Counts the parts of a case."""
    turns = Counter(step.loop for step in bound.steps.values() if step.loop is not None)
    segmented = {s.step for step in bound.steps.values() for s in step.output.segmentations}
    return Contents(
        concepts=len(bound.sources),
        steps=sum(not step.hidden for step in bound.steps.values()),
        stages=len(bound.sources) + len(bound.steps),
        loops=dict(turns),
        segmentations=tuple(name for name in bound.steps if name in segmented),
    )
