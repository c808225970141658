"""Tests of a case that give rows and expect rows: each runs in a database of its own, in memory."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from miningflow.compile import Names
from miningflow.compile.names import table
from miningflow.declare.concept import Concept
from miningflow.engines import open_engine
from miningflow.errors import MiningFlowError, Mistake
from miningflow.plan import Plan, SourceVersion, plan_case
from miningflow.read.nodes import Scalar
from miningflow.repository import Repository
from miningflow.resolve import BoundCase
from miningflow.resolve.bound import BoundTest, Row
from miningflow.resolve.tests import steps_between
from miningflow.run.differences import Difference, differences
from miningflow.run.frozen import frozen_pieces, stored_build
from miningflow.run.runner import run_plan
from miningflow.run.sources import SourceLocation
from miningflow.run.store import Store
from miningflow.sql.dialect import render

_ARROW = {
    "numeric": pa.float64(),
    "nominal": pa.string(),
    "binary": pa.string(),
    "time": pa.timestamp("us"),
}


@dataclass(frozen=True)
class TestResult:
    """What came of a test: nothing differs, or what does, or why it could not run."""

    __test__ = False  # pytest would take it for one of its own

    test: BoundTest
    seconds: float
    differences: tuple[Difference, ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    @property
    def passed(self) -> bool:
        """Says whether the step made what was expected."""
        return not self.differences and not self.mistakes


def run_test(bound: BoundCase, test: BoundTest, stored: Repository | None) -> TestResult:
    """Runs one test; `bound` holds nothing out, `stored` knows what the last run learned."""
    start = time.perf_counter()
    differing: tuple[Difference, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    try:
        differing = _differences(bound, test, stored)
    except MiningFlowError as error:
        mistakes = error.mistakes
    return TestResult(test, time.perf_counter() - start, differing, mistakes)


def _differences(
    bound: BoundCase, test: BoundTest, stored: Repository | None
) -> tuple[Difference, ...]:
    small = _small_case(bound, test)
    learned = _learned(bound, test, small, stored) if test.learned == "stored" else {}
    with ExitStack() as stack:
        engine = stack.enter_context(closing(open_engine("duckdb:///:memory:", Path())))
        memory = engine.repository()
        assert memory is not None
        store = Store("duckdb:///:memory:", engine, Repository(memory, in_store=True))
        session = stack.enter_context(engine.session())
        locations = {}
        keys = _keys(test, small.sources)
        for i, (name, concept) in enumerate(small.sources.items()):
            given = f"given {i}"
            session.register(f"{given} rows", _arrow(concept, test.given[name], keys))
            made, read = session.quoted(given), session.quoted(f"{given} rows")
            session.execute(f"CREATE TABLE {made} AS FROM {read}")
            scalar = Scalar(name, "text", test.place)
            at = table(given, "main")
            locations[name] = SourceLocation(name, scalar, table=at, may_be_empty=True)
        versions = {name: SourceVersion(name, "", loaded=False) for name in small.sources}
        plan = plan_case(small, versions, {})
        _offer(learned, plan, store)
        aside = Path(stack.enter_context(TemporaryDirectory()))  # a test exports nothing
        _, pieces = run_plan(small, plan, store, locations, aside)
        presence = pieces[test.step].presence
        features = list(presence.concept.features)
        shown = ", ".join(map(session.quoted, features))
        made = render(Names(small.name).public(test.step), engine.dialect)
        rows = [
            dict(zip(features, row, strict=True))
            for row in session.rows(f"SELECT {shown} FROM {made}")
        ]
        return tuple(differences(test, presence, rows))


def _small_case(bound: BoundCase, test: BoundTest) -> BoundCase:
    """Cuts out the steps from what is given to the step that is tested."""
    between = steps_between(test.step, test.given, bound.steps)
    return replace(
        bound,
        # rows that stand for a segmented concept are those of one segment
        sources={name: replace(bound.concept(name), segmentations=()) for name in test.given},
        steps={name: step for name, step in bound.steps.items() if name in between},
        chains={},
        scoring=None,
        warnings=(),
        tests={},
        data_tests=(),
    )


def _learned(
    bound: BoundCase, test: BoundTest, small: BoundCase, stored: Repository | None
) -> dict[str, Any]:
    """Gives what the steps of a test learned in the last run; raises if they have not."""
    frozen_pieces(bound, stored, upto=test.step)
    assert stored is not None
    learning = [step for step in small.steps.values() if step.operator.learns is not None]
    return {step.name: stored_build(bound, step, stored)[1] for step in learning}


def _offer(learned: Mapping[str, Any], plan: Plan, store: Store) -> None:
    """Puts what was learned where a run looks for it before it learns."""
    for name, artifact in learned.items():
        if artifact is not None:
            store.repository.save_artifact(plan.case, 0, plan.stage(name), artifact)


def _keys(test: BoundTest, sources: Mapping[str, Concept]) -> pa.DataType:
    """Decides for all keys together, since they are joined: whole numbers, or texts."""
    written = [
        row.values[f.name]
        for name, concept in sources.items()
        for f in concept.of_type("key")
        for row in test.given[name]
        if row.values.get(f.name) is not None
    ]
    return pa.int64() if all(_is_whole(text) for text in written) else pa.string()


def _is_whole(text: str) -> bool:
    try:
        return str(int(text)) == text and -(2**63) <= int(text) < 2**63
    except ValueError:
        return False


def _arrow(concept: Concept, rows: tuple[Row, ...], keys: pa.DataType) -> pa.Table:
    columns = {}
    for feature in concept.features.values():
        values = [row.values.get(feature.name) for row in rows]
        if feature.type == "key" and keys == pa.int64():
            values = [None if v is None else int(v) for v in values]
        columns[feature.name] = pa.array(values, _ARROW.get(feature.type, keys))
    return pa.table(columns)
