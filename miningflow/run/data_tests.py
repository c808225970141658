"""Data tests: finds the rows of a concept that break a rule, inside the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from miningflow.compile import Names, Piece, PublishedBuilds, compile_bound, published_builds
from miningflow.compile.data_tests import breaking_rows, breaks, count_of_breaking
from miningflow.declare.concept import Concept
from miningflow.engines import Engine, Session
from miningflow.errors import Diagnostic, Severity
from miningflow.resolve import BoundCase
from miningflow.resolve.data_tests import BoundDataTest, Related, Unique
from miningflow.sql.block import Block, Naming, grouped
from miningflow.sql.conditions import when
from miningflow.sql.dialect import render
from miningflow.sql.literals import column, double
from miningflow.store.opening import Store
from miningflow.store.stored_builds import stored_builds

ROWS_SHOWN = 3
FEATURES_SHOWN = 8


@dataclass(frozen=True)
class DataTestResult:
    """How many rows break a rule, the first of them, or why it was not tested."""

    test: BoundDataTest
    broken: int = 0
    rows: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)
    skipped: str = ""
    """Why there is nothing to test: a feature is deselected."""
    untested: str = ""
    """Why it could not be tested: the step has no results."""

    @property
    def passed(self) -> bool:
        """Returns whether no row breaks the rule."""
        return not self.broken and not self.untested

    def diagnostic(self) -> Diagnostic:
        """Describes the rows that break the rule."""
        first = "; ".join(
            ", ".join(f"{name} = {'NULL' if v is None else v}" for name, v in row.items())
            for row in self.rows
        )
        rows = "1 row breaks" if self.broken == 1 else f"{self.broken:,} rows break"
        said = f"{rows} the data test of {self.test.concept!r}: {self.test.said}"
        severity: Severity = "error" if self.test.severity == "error" else "warning"
        return Diagnostic(said, self.test.place, f"the first: {first}", severity)

    def as_json(self) -> dict[str, Any]:
        """Returns the result as plain data for programs."""
        place = self.test.place
        return {
            "concept": self.test.concept,
            "test": self.test.said,
            "severity": self.test.severity,
            "passed": self.passed,
            "broken": self.broken,
            "rows": [dict(row) for row in self.rows],
            "skipped": self.skipped,
            "untested": self.untested,
            "file": place.file,
            "line": place.line,
            "column": place.column,
        }


def run_data_tests(
    tests: Iterable[BoundDataTest], pieces: Mapping[str, Piece], naming: Naming, engine: Engine
) -> tuple[DataTestResult, ...]:
    """Runs data tests on the pieces of a case, whose scans `naming` finds."""
    by_concept: dict[str, list[BoundDataTest]] = {}
    for test in tests:
        by_concept.setdefault(test.concept, []).append(test)
    results: list[DataTestResult] = []
    with engine.session() as session:
        tester = _Tester(session, naming, engine.dialect)
        for name, some in by_concept.items():
            lacking = [t for t in some if not _reads(t) <= pieces.keys()]
            results += [DataTestResult(test, untested="there are no results") for test in lacking]
            able = [t for t in some if t not in lacking]
            if able:
                results += tester.run(able, pieces[name])
    return tuple(results)


def _why(builds: PublishedBuilds, test: BoundDataTest) -> str:
    name = next(n for n in sorted(_reads(test)) if n in builds.changed)
    return f"{name!r} {builds.changed[name]}"


def _reads(test: BoundDataTest) -> set[str]:
    """Names the concepts whose rows a rule reads."""
    return {test.concept, *([test.rule.to] if isinstance(test.rule, Related) else [])}


def published_tests(
    bound: BoundCase, tests: Sequence[BoundDataTest], store: Store | None
) -> tuple[DataTestResult, ...]:
    """Runs data tests on what was last published, if the case is still the one that ran."""
    if store is None:
        return tuple(DataTestResult(test, untested="the case has not run yet") for test in tests)
    stored = stored_builds(bound.name, store.repository)
    builds = published_builds(bound, stored)
    pieces = compile_bound(bound, stored).pieces
    usable = {name: piece for name, piece in pieces.items() if name in builds.fingerprints}
    results = run_data_tests(tests, usable, Names(bound.name).public, store.engine)
    return tuple(replace(r, untested=_why(builds, r.test)) if r.untested else r for r in results)


class _Tester:
    """Tests one concept after the other."""

    def __init__(self, session: Session, naming: Naming, dialect: str) -> None:
        self.session = session
        self.naming = naming
        self.dialect = dialect

    def run(self, tests: list[BoundDataTest], piece: Piece) -> list[DataTestResult]:
        """Counts what breaks the rules; those that one row can tell are counted in one scan."""
        concept = piece.presence.concept
        deselected = piece.presence.deselected
        lost = [next((f for f in test.features if f in deselected), None) for test in tests]
        present = [test for test, name in zip(tests, lost, strict=True) if name is None]
        counts = self._counts(present, piece, concept)
        results = []
        for test, name in zip(tests, lost, strict=True):
            if name is not None:
                why = f"{name!r} was deselected in step {deselected[name].step!r}"
                results.append(DataTestResult(test, skipped=why))
                continue
            broken = counts[present.index(test)]
            rows = self._first(test, piece, concept) if broken else ()
            results.append(DataTestResult(test, broken, rows))
        return results

    def _counts(self, tests: list[BoundDataTest], piece: Piece, concept: Concept) -> list[int]:
        alone = {i: c for i, t in enumerate(tests) if (c := breaks(t.rule, concept)) is not None}
        counts: dict[int, int] = {}
        if alone:
            sums = {
                f"broken {i}": exp.Sum(this=when(c, double(1), double(0))) for i, c in alone.items()
            }
            row = self._rows(grouped(piece.source(), (), sums).prune(sums))[0]
            counts = {i: int(n or 0) for i, n in zip(alone, row, strict=True)}
        for i, test in enumerate(tests):
            if i not in counts:
                block = count_of_breaking(test, piece.source(), concept)
                counts[i] = int(self._rows(block.prune(["n"]))[0][0] or 0)
        return [counts[i] for i in range(len(tests))]

    def _first(
        self, test: BoundDataTest, piece: Piece, concept: Concept
    ) -> tuple[Mapping[str, Any], ...]:
        """Returns the first rows that break a rule: by key, or by the features that are tested."""
        key = [concept.key] if concept.key else []
        named = [*dict.fromkeys([*key, *test.features])] or list(concept.features)
        features = named[:FEATURES_SHOWN]
        alike = isinstance(test.rule, Unique)
        ordered = [*test.features, *key] if alike or not key else key
        block = breaking_rows(test, piece.source(), concept)
        first = block.first(ROWS_SHOWN, [column(name) for name in ordered])
        rows = self._rows(first.project(features).prune(features))
        return tuple(dict(zip(features, row, strict=True)) for row in rows)

    def _rows(self, block: Block) -> list[tuple[Any, ...]]:
        select = block.select(self.naming, self.dialect)
        return self.session.rows(render(select, self.dialect, "data test"))
