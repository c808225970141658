"""Chooses the tests of a case that are to run, and reports their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from miningflow.errors import Diagnostic, PlanError, suggestion
from miningflow.html.page import FrameHtml
from miningflow.read import Case
from miningflow.resolve import BoundCase
from miningflow.resolve.bound import BoundTest
from miningflow.resolve.data_tests import BoundDataTest
from miningflow.run.data_tests import DataTestResult
from miningflow.verbs.case_tests.unit_tests import TestResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ChosenTests:
    """Tests of a case that are to run."""

    unit: tuple[BoundTest, ...]
    data: tuple[BoundDataTest, ...]


@dataclass(frozen=True)
class TestReport(FrameHtml):
    """The results of the tests of a case."""

    __test__ = False  # pytest would take it for a test class

    case: str
    unit: tuple[TestResult, ...]
    data: tuple[DataTestResult, ...]

    @property
    def passed(self) -> bool:
        """Returns whether all tests passed, except for data tests that only warn."""
        data = all(r.passed or (r.broken and r.test.severity == "warn") for r in self.data)
        return data and all(result.passed for result in self.unit)

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data for programs."""
        return {
            "case": self.case,
            "passed": self.passed,
            "tests": [_plain(result) for result in self.unit],
            "data_tests": [result.as_json() for result in self.data],
        }

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each test: what it tests, whether it passed, how many rows failed."""
        import pandas as pd

        columns = ["kind", "concept", "test", "severity", "passed", "failing_rows", "not_tested"]
        unit = [
            ("unit", r.test.step, r.test.name, "error", r.passed, len(r.differences), "")
            for r in self.unit
        ]
        data = [
            (
                *("data", r.test.concept, r.test.said, r.test.severity),
                *(r.passed, r.broken, r.skipped or r.untested),
            )
            for r in self.data
        ]
        return pd.DataFrame([*unit, *data], columns=columns)


def chosen_tests(bound: BoundCase, names: Sequence[str], unit: bool, data: bool) -> ChosenTests:
    """Finds the tests to run: all, or those with these names."""
    meant = {bound.chains.get(name, name) for name in names}
    tested = {test.concept for test in bound.data_tests}
    diagnostics = [
        Diagnostic(f"there is no test {name!r}", None, suggestion(name, known, "tests"))
        for name in names
        if name not in (known := [*bound.tests, *tested]) and bound.chains.get(name) not in tested
    ]
    if diagnostics:
        raise PlanError(*diagnostics)
    return ChosenTests(
        tuple(t for n, t in bound.tests.items() if unit and (not names or n in meant)),
        tuple(t for t in bound.data_tests if data and (not names or t.concept in meant)),
    )


def without_holdouts(case: Case) -> Case:
    """Returns the case with nothing held out, since a test uses all the rows that it gives."""
    concepts = {name: replace(concept, holdout=None) for name, concept in case.concepts.items()}
    return replace(case, concepts=concepts)


def _plain(result: TestResult) -> dict[str, Any]:
    place = result.test.place
    return {
        "test": result.test.name,
        "step": result.test.step,
        "passed": result.passed,
        "seconds": result.seconds,
        "differences": [
            {
                "said": d.said,
                "row": dict(d.row),
                "expected": dict(d.expected),
                "found": dict(d.found),
                "file": d.place.file,
                "line": d.place.line,
                "column": d.place.column,
            }
            for d in result.differences
        ],
        "diagnostics": [m.as_json() for m in result.diagnostics],
        "file": place.file,
        "line": place.line,
        "column": place.column,
    }
