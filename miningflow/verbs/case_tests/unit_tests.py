"""Unit tests of a case, with given and expected rows; each runs in a database in memory."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from miningflow.compile import Names, compile_bound
from miningflow.compile.names import table
from miningflow.declare.concept import Concept
from miningflow.engines import open_engine
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.nodes import Scalar
from miningflow.plan import Plan, SourceVersion, plan_case
from miningflow.resolve import BoundCase
from miningflow.resolve.bound import BoundTest, Row
from miningflow.resolve.case_graph import between
from miningflow.run.exporting import exports_of
from miningflow.run.runner import run_plan
from miningflow.sql.dialect import render
from miningflow.store.opening import Store
from miningflow.store.snapshot import take_snapshot
from miningflow.store.sources import SourceLocation
from miningflow.store.stored_builds import stored_builds
from miningflow.verbs.case_tests.differences import Difference, differences

if TYPE_CHECKING:
    from miningflow.repository.repository import Repository

_ARROW = {
    "numeric": pa.float64(),
    "nominal": pa.string(),
    "binary": pa.string(),
    "time": pa.timestamp("us"),
}


@dataclass(frozen=True)
class TestResult:
    """The result of a test: what differs, if anything, or why it could not run."""

    __test__ = False  # pytest would take it for a test class

    test: BoundTest
    seconds: float
    differences: tuple[Difference, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def passed(self) -> bool:
        """Returns whether the step made what was expected."""
        return not self.differences and not self.diagnostics


def run_test(bound: BoundCase, test: BoundTest, stored: Repository | None) -> TestResult:
    """Runs one test; `bound` holds nothing out, and `stored` has what the last run learned."""
    start = time.perf_counter()
    differing: tuple[Difference, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    try:
        differing = _differences(bound, test, stored)
    except MiningFlowError as error:
        diagnostics = error.diagnostics
    return TestResult(test, time.perf_counter() - start, differing, diagnostics)


def _differences(
    bound: BoundCase, test: BoundTest, stored: Repository | None
) -> tuple[Difference, ...]:
    from miningflow.repository.repository import Repository

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
        snapshot = take_snapshot(small.name, store)
        aside = Path(stack.enter_context(TemporaryDirectory()))  # a test exports nothing
        _, pieces = run_plan(small, plan, store, snapshot, locations, exports_of(small, aside))
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
    needed = between(bound.graph, test.given, test.step)
    return replace(
        bound,
        # rows that stand for a segmented concept are those of one segment
        sources={name: replace(bound.concept(name), segmentations=()) for name in test.given},
        steps={name: step for name, step in bound.steps.items() if name in needed},
        chains={},
        scoring=None,
        warnings=(),
        tests={},
        data_tests=(),
    )


def _learned(
    bound: BoundCase, test: BoundTest, small: BoundCase, stored: Repository | None
) -> dict[str, Any]:
    """Returns what the steps of a test learned in the last run; raises if they have not run."""
    builds = stored_builds(bound.name, stored)
    compile_bound(bound, builds, upto=test.step)
    learning = [step for step in small.steps.values() if step.operator.learns is not None]
    return {step.name: builds.artifact(step) for step in learning}


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
