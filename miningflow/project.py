"""The Python door: the same verbs as the command line, on a loaded case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from miningflow import pipeline
from miningflow.compile import Names
from miningflow.declare.statistics import ConceptStatistics
from miningflow.describe.features import FeatureTable, feature_table
from miningflow.describe.script import case_script
from miningflow.errors import Mistake, RunError
from miningflow.export import Form, Written
from miningflow.plan import Plan, Wish
from miningflow.read import named_connection
from miningflow.repository import MadeObject
from miningflow.resolve.effects import Impact
from miningflow.run import Report
from miningflow.run.catalog import objects_of
from miningflow.run.comparing import Comparison, Question
from miningflow.run.estimates import Estimated
from miningflow.run.events import Listener, silent
from miningflow.run.explaining import Explanation
from miningflow.run.moving import Moved
from miningflow.run.row_comparison import TOLERANCE
from miningflow.run.testing import TestReport
from miningflow.run.verifying import Verification
from miningflow.sql.dialect import known_dialect, render


def load(path: str | Path, connect: str | Path | None = None) -> CaseProject:
    """Reads and resolves a case; raises all its mistakes together."""
    return CaseProject(pipeline.check(Path(path), Path(connect) if connect else None))


class CaseProject:
    """A case that can be planned, compiled, run and used for scoring."""

    def __init__(self, project: pipeline.Project) -> None:
        self.project = project

    @property
    def name(self) -> str:
        """Gives the name of the case."""
        return self.project.bound.name

    @property
    def warnings(self) -> tuple[Mistake, ...]:
        """Gives what may go wrong, such as a deselection that a later step cannot bear."""
        return self.project.bound.warnings

    def plan(self, select: tuple[str, ...] = (), full: bool = False) -> Plan:
        """Says what a run would do, and why."""
        return pipeline.plan(self.project, Wish(select=select, full=full))

    def compile(self, dialect: str | None = None) -> str:
        """Gives the SQL of the case, as far as what it needs was learned, for its store."""
        meant = known_dialect(dialect or pipeline.store_dialect(self.project))
        return case_script(self.project.bound, pipeline.compile_case(self.project), meant)

    def run(
        self,
        select: tuple[str, ...] = (),
        from_step: str | None = None,
        to_step: str | None = None,
        full: bool = False,
        listener: Listener = silent,
        target: str | Path | None = None,
        test: bool = False,
    ) -> Report:
        """Builds what changed and makes it visible at once, if data tests that are asked pass.

        Exports go to a folder in `target`.
        """
        wish = Wish(select, from_step, to_step, full)
        folder = Path(target) if target is not None else None
        report, _ = pipeline.run(self.project, wish, listener, target=folder, test=test)
        return report

    def stats(self, *names: str, anew: bool = False) -> dict[str, ConceptStatistics]:
        """Computes statistics of concepts and steps, or gives those that are stored."""
        found = pipeline.stats(self.project, names, anew)
        return {f.concept: f.statistics["all"] for f in found if f.statistics}

    def estimate(self, *names: str) -> dict[str, Estimated]:
        """Estimates rows, missing and different values of steps that need not have run."""
        return {e.concept: e for e in pipeline.estimate(self.project, names)}

    def impact(self, what: str, column: bool = False) -> Impact:
        """Says what the removal of `Concept.feature` would break, shrink or lose."""
        return pipeline.impact(self.project, what, column)

    def test(self, *names: str, unit: bool = True, data: bool = True) -> TestReport:
        """Runs the tests of the case, or those of some names; `report.passed` tells."""
        return pipeline.test(self.project, names, unit, data)

    def score(
        self,
        inputs: Mapping[str, Any] | None = None,
        step: str | None = None,
        keep: tuple[str, ...] = (),
    ) -> pa.Table:
        """Scores new rows: Arrow tables, pandas frames or paths by the name of their concept."""
        given = {name: _arrow(rows) for name, rows in (inputs or {}).items()}
        scores = pipeline.score(self.project, given, step=step, keep=keep)
        assert scores.table is not None
        return scores.table

    def scoring_sql(self, step: str | None = None, dialect: str | None = None) -> str:
        """Gives the script that scores new rows without Python."""
        compiled = pipeline.compile_case(self.project)
        meant = known_dialect(dialect or pipeline.store_dialect(self.project))
        return pipeline.scoring(self.project.bound, compiled, step).sql(meant)

    def export(
        self,
        to: Form,
        output: str | Path,
        dialect: str | None = None,
        schema: str | None = None,
        with_data: bool = False,
        with_lineage: bool = False,
        force: bool = False,
    ) -> Written:
        """Writes the case as a script, a dbt or a SQLMesh project, with everything learned."""
        asked = dialect, schema, with_data, with_lineage, force
        return pipeline.export(self.project, to, Path(output), *asked)

    def lineage(self) -> list[dict[str, Any]]:
        """Gives OpenLineage events of what was last published: an event for each step."""
        return [json.loads(line) for line in pipeline.lineage(self.project).splitlines()]

    def features(self) -> FeatureTable:
        """Tells for each feature and step whether it is present, deselected or was never there."""
        return feature_table(self.project.bound, pipeline.compile_case(self.project))

    def table(self, name: str) -> pa.Table:
        """Reads the rows of a concept or step, as last published; `.to_pandas()` gives a frame."""
        bound = self.project.bound
        meant = bound.chains.get(name, name)
        with pipeline.reading(self.project) as store:
            names = Names(bound.name)
            there = objects_of(bound.name, store, names.schema) if store else {}
            if store is None or meant not in there:
                raise RunError(
                    Mistake(
                        f"{name!r} has no rows to read",
                        None,
                        f"there are {', '.join(sorted(there)) or 'none: run the case first'}; "
                        "a step that was fused needs `materialize: view`",
                    )
                )
            with store.engine.session() as session:
                target = render(names.public(meant), store.engine.dialect)
                columns = ", ".join(map(session.quoted, session.columns(f"SELECT * FROM {target}")))
                return session.arrow(f"SELECT {columns} FROM {target}")

    def compare(
        self, step: str, selectors: Sequence[str] = (), rows: int = 1000, folds: int = 5
    ) -> Comparison:
        """Runs several selectors on the rows that a selecting step learns from."""
        question = Question(tuple(selectors), rows, folds)
        return pipeline.compare(self.project, step, question)

    def explain(self, step: str | None = None, dialect: str | None = None) -> Explanation:
        """Explains a step: what it learned and where, the SQL it became, what that costs."""
        return pipeline.explain(self.project, step, known_dialect(dialect) if dialect else None)

    def verify(
        self, *on: str | Path, tolerance: float = TOLERANCE, learn_once: bool = False
    ) -> list[Verification]:
        """Runs the case on several stores, or connection files, and compares all with the first.

        With one only, it is compared with the case's own store.
        """
        own = self.project.connection
        named = [named_connection(str(each), own, "on") for each in on]
        if len(named) < 2 and own is not None:
            named.insert(0, own)
        return pipeline.verify(self.project, named, tolerance, learn_once)

    def move(self, to: str | Path, keep_rows: bool = False) -> Moved:
        """Copies sources and what was learned to another store, and runs the case there."""
        target = named_connection(str(to), self.project.connection, "to")
        return pipeline.move(self.project, target, keep_rows)

    def clean(self) -> list[MadeObject]:
        """Drops exactly what the case made."""
        return pipeline.clean(self.project)


def _arrow(rows: Any) -> Any:
    if isinstance(rows, str | Path | pa.Table):
        return rows
    return pa.Table.from_pandas(rows, preserve_index=False)
