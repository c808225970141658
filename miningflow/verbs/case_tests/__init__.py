"""`test`: rows given and expected, and rules for results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from miningflow.catalog import installed
from miningflow.pipeline import reading
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, resolve_case
from miningflow.run.data_tests import published_tests
from miningflow.verbs.case_tests.report import TestReport, chosen_tests, without_holdouts
from miningflow.verbs.case_tests.unit_tests import run_test

__all__ = ["TestReport", "run_tests"]


def run_tests(
    bound: BoundCase,
    connection: ConnectionText | None,
    names: Sequence[str] = (),
    unit: bool = False,
    data: bool = False,
    lazy: bool = False,
) -> TestReport:
    """Runs the tests of a case: unit tests in memory, data tests on what was last published.

    `names` are tests, or concepts whose data tests are meant. With `unit` or `data`, only tests of
    that kind run. Changes nothing.
    """
    chosen = chosen_tests(bound, names, unit or not data, data or not unit)
    needs_store = chosen.data or any(t.learned == "stored" for t in chosen.unit)
    nothing_held_out = resolve_case(without_holdouts(bound.case), installed(), lazy)
    with reading(bound, connection) if needs_store else nullcontext() as store:
        stored = store.repository if store else None
        return TestReport(
            bound.name,
            tuple(run_test(nothing_held_out, each, stored) for each in chosen.unit),
            published_tests(bound, chosen.data, store),
        )
