"""Which tests of a case are meant, and the report of what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from miningflow.errors import Mistake, PlanError, suggestion
from miningflow.read import Case
from miningflow.resolve import BoundCase
from miningflow.resolve.bound import BoundTest
from miningflow.resolve.data_tests import BoundDataTest
from miningflow.run.data_tests import DataTestResult
from miningflow.run.unit_tests import TestResult


@dataclass(frozen=True)
class ChosenTests:
    """Tests of a case that are to run."""

    unit: tuple[BoundTest, ...]
    data: tuple[BoundDataTest, ...]


@dataclass(frozen=True)
class TestReport:
    """What came of the tests of a case."""

    __test__ = False  # pytest would take it for one of its own

    case: str
    unit: tuple[TestResult, ...]
    data: tuple[DataTestResult, ...]

    @property
    def passed(self) -> bool:
        """Says whether all tests passed, but for data tests that only warn."""
        data = all(r.passed or (r.broken and r.test.severity == "warn") for r in self.data)
        return data and all(result.passed for result in self.unit)

    def as_json(self) -> dict[str, Any]:
        """Gives the report as plain data for programs."""
        return {
            "case": self.case,
            "passed": self.passed,
            "tests": [_plain(result) for result in self.unit],
            "data_tests": [result.as_json() for result in self.data],
        }


def chosen_tests(bound: BoundCase, names: Sequence[str], unit: bool, data: bool) -> ChosenTests:
    """Finds the tests that are meant: all, or those of some names."""
    meant = {bound.chains.get(name, name) for name in names}
    tested = {test.concept for test in bound.data_tests}
    mistakes = [
        Mistake(f"there is no test {name!r}", None, suggestion(name, known, "tests"))
        for name in names
        if name not in (known := [*bound.tests, *tested]) and bound.chains.get(name) not in tested
    ]
    if mistakes:
        raise PlanError(*mistakes)
    return ChosenTests(
        tuple(t for n, t in bound.tests.items() if unit and (not names or n in meant)),
        tuple(t for t in bound.data_tests if data and (not names or t.concept in meant)),
    )


def without_holdouts(case: Case) -> Case:
    """Gives the case with nothing held out, since a test means all the rows that it gives."""
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
        "mistakes": [m.as_json() for m in result.mistakes],
        "file": place.file,
        "line": place.line,
        "column": place.column,
    }
