"""The Python API: a loaded case, with every verb of the command line as a method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, overload

import pyarrow as pa

from miningflow import arguments, pipeline
from miningflow.declare.selection import Selection
from miningflow.describe.case_page import case_page
from miningflow.describe.features import FeatureTable
from miningflow.describe.plots import check_plot
from miningflow.describe.script import case_script, function_script
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.export import Written
from miningflow.notebook import listening
from miningflow.plan import Plan, PlanRequest
from miningflow.read import ConnectionText, SourceText, named_connection
from miningflow.repository import MadeObject
from miningflow.resolve import BoundCase
from miningflow.resolve.effects import Impact
from miningflow.run import Report
from miningflow.run.events import Listener
from miningflow.sql.dialect import known_dialect
from miningflow.store.given_sources import with_sources
from miningflow.verbs.add import Added, Refreshed, add, refresh
from miningflow.verbs.case_tests import TestReport, run_tests
from miningflow.verbs.clean import clean
from miningflow.verbs.compare import FEWEST_ROWS, MOST_FOLDS, Comparison, Question, compare
from miningflow.verbs.draw import draw
from miningflow.verbs.estimate import CaseEstimates, estimate
from miningflow.verbs.explain import Explanation, explain
from miningflow.verbs.export import export
from miningflow.verbs.impact import impact
from miningflow.verbs.lineage import lineage
from miningflow.verbs.move import Moved, move
from miningflow.verbs.run import run
from miningflow.verbs.score import Scores, score
from miningflow.verbs.score.script import scoring_script
from miningflow.verbs.selections import plot_trace, selections
from miningflow.verbs.show import show
from miningflow.verbs.start import Started
from miningflow.verbs.start import start as draft_and_write
from miningflow.verbs.stats import CaseStatistics, stats
from miningflow.verbs.step import StepDescription, describe_step
from miningflow.verbs.table import table
from miningflow.verbs.verify import TOLERANCE, Verification, verify

STORE_OR_FILE = "the URL of a store or the path of a connection file"
FILE_OR_TABLE = "a file or a table of the store"
FRAMES = "concepts to rows, such as {'Customer': frame}"


def load(path: str | Path, connect: str | Path | None = None, lazy: bool = False) -> LoadedCase:
    """Reads and resolves a case file, and raises all its errors together.

    `connect` is a connection file to use instead of the case's own connection. With `lazy`, every
    segmentation keeps its first segment only, to try a case.
    """
    file, given = arguments.path(path, "path"), arguments.optional_path(connect, "connect")
    bound, connection = pipeline.check(file, given, lazy)
    return LoadedCase(bound, connection, lazy)


def start(
    sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
    folder: str | Path | None = None,
    target: str | None = None,
    positive: str | None = None,
    in_place: bool = False,
) -> Started:
    """Drafts a case from tables and writes it into a new folder; returns what was inferred.

    `sources` are paths, globs, folders or addresses of databases, or a map of concepts to them.
    With `target`, a column or `table.column`, the case also prepares features, selects, learns and
    evaluates; `positive` is the class of interest. Small files are copied into the folder, unless
    the case is to read them `in_place`.
    """
    column = arguments.optional_text(target, "target", "a column")
    value = arguments.optional_text(positive, "positive", "a value")
    place = arguments.optional_path(folder, "folder")
    return draft_and_write(sources, place, column, value, in_place)


@dataclass(frozen=True)
class LoadedCase:
    """A case that is read and resolved, with the connection it runs on.

    Methods that may have to wait for a store take `wait`, in seconds; methods that may take long
    take a `listener`, which is called with each event; without one, a notebook shows progress.
    """

    bound: BoundCase
    connection: ConnectionText | None
    lazy: bool = False

    def __repr__(self) -> str:
        return f"<Case {self.name!r} in {self.path.name}>"

    def _repr_html_(self) -> str:
        return case_page(self.bound)

    @property
    def name(self) -> str:
        """Returns the name of the case."""
        return self.bound.name

    @property
    def path(self) -> Path:
        """Returns the path of the case file."""
        return self.bound.case.path

    @property
    def _stages(self) -> int:
        return len(self.bound.sources) + len(self.bound.steps)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Returns what may go wrong, such as a step that needs what a selection may drop."""
        return self.bound.warnings

    def plan(
        self,
        select: Sequence[str] = (),
        from_step: str | None = None,
        to_step: str | None = None,
        full: bool = False,
        sources: Mapping[str, Any] | None = None,
    ) -> Plan:
        """Returns what a run would do, and why, with the same `sources`. Changes nothing."""
        request = _request(select, from_step, to_step, full)
        return pipeline.plan(self.bound, self._reading(sources), request)

    def run(
        self,
        select: Sequence[str] = (),
        from_step: str | None = None,
        to_step: str | None = None,
        full: bool = False,
        target: str | Path = "target",
        test: bool = False,
        sources: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        listener: Listener | None = None,
    ) -> Report:
        """Builds what changed and publishes it all at once.

        The SQL and exported files go to a folder named after the case in `target`. With `test`,
        nothing is published if a data test fails. `sources` are frames, or names of files or
        tables, that concepts are read from this time.
        """
        request = _request(select, from_step, to_step, full)
        folder, seconds = arguments.path(target, "target"), arguments.number(wait, "wait")
        connection = self._reading(sources)
        total = None if select or from_step or to_step else self._stages
        with listening(f"running {self.name}", listener, total) as heard:
            return run(self.bound, connection, request, folder, test, seconds, heard)

    def compile(
        self,
        step: str | None = None,
        dialect: str | None = None,
        score: bool = False,
        functions: bool = False,
    ) -> str:
        """Returns the SQL of the case, or of one step, with what was learned.

        With `score`, returns the script that scores new rows without Python; with `functions`, the
        models as SQL functions.
        """
        step = arguments.optional_text(step, "step")
        meant = _dialect(dialect) or pipeline.store_dialect(self.connection)
        compiled = pipeline.compile_case(self.bound, self.connection)
        if score:
            return scoring_script(self.bound, compiled, step).sql(meant)
        if functions:
            return function_script(self.bound, compiled, meant, step)
        return case_script(self.bound, compiled, meant, step)

    @overload
    def score(
        self,
        inputs: Mapping[str, Any] | None = None,
        output: None = None,
        step: str | None = None,
        keep: Sequence[str] = (),
        wait: float = 0.0,
        *,
        report: Literal[False] = False,
    ) -> pa.Table: ...

    @overload
    def score(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        output: str | Path,
        step: str | None = None,
        keep: Sequence[str] = (),
        wait: float = 0.0,
        report: bool = False,
    ) -> Scores: ...

    @overload
    def score(
        self,
        inputs: Mapping[str, Any] | None = None,
        output: str | Path | None = None,
        step: str | None = None,
        keep: Sequence[str] = (),
        wait: float = 0.0,
        *,
        report: Literal[True],
    ) -> Scores: ...

    def score(
        self,
        inputs: Mapping[str, Any] | None = None,
        output: str | Path | None = None,
        step: str | None = None,
        keep: Sequence[str] = (),
        wait: float = 0.0,
        *,
        report: bool = False,
    ) -> pa.Table | Scores:
        """Scores new rows: frames of pandas, Arrow and the like, or paths, by their concept.

        Returns the scores as an Arrow table or, with `output`, writes them to that file or table.
        With `report`, returns the table together with a report of rows without a score and of
        values that were not learned, and with warnings.
        """
        scores = score(
            self.bound,
            self.connection,
            arguments.mapping(inputs, "inputs", FRAMES),
            None if output is None else arguments.location(output, "output", FILE_OR_TABLE),
            arguments.optional_text(step, "step"),
            arguments.texts(keep, "keep", "features"),
            arguments.number(wait, "wait"),
        )
        return scores if scores.table is None or report else scores.table

    def table(self, name: str) -> pa.Table:
        """Returns the rows of a concept or step, as last published, as an Arrow table."""
        return table(self.bound, self.connection, arguments.text(name, "name"))

    def features(self, what: str | None = None) -> FeatureTable:
        """Returns for each feature and step whether it is present, deselected or never there.

        `what` is a concept or step to look at only its features, or `step.feature` to follow one
        feature to that step.
        """
        return show(self.bound, self.connection, arguments.optional_text(what, "what"))

    def step(self, name: str) -> StepDescription:
        """Describes a step: its features and why others are gone, parameters, artifact and SQL."""
        return describe_step(self.bound, self.connection, arguments.text(name, "name"))

    def selections(
        self, step: str | None = None, plot: str | Path | None = None
    ) -> dict[str, Selection]:
        """Returns what each selecting step found, or one of them, with the trace of its search.

        With `plot`, also draws the trace of the step into a .svg, .png or .pdf file.
        """
        path = arguments.optional_path(plot, "plot")
        found = selections(self.bound, self.connection, arguments.optional_text(step, "step"))
        if path is not None:
            plot_trace(found, path)
        return found

    def draw(self, svg: str | Path) -> None:
        """Draws the case as a graph into an SVG file. Needs no data."""
        draw(self.bound, arguments.path(svg, "svg"))

    def plot(
        self,
        step: str,
        kind: str | None = None,
        ax: Any = None,
        output: str | Path | None = None,
    ) -> Any:
        """Draws a step that evaluates, selects or scores; returns axes of matplotlib.

        Without a `kind`, all plots of the step are drawn, each on its own axes. With `ax`, they
        are these; with `output`, the figure is also written to a .svg, .png or .pdf file.
        """
        from miningflow.verbs.plot import plot

        path, name = arguments.optional_path(output, "output"), arguments.text(step, "step")
        chosen = arguments.optional_text(kind, "kind")
        if ax is not None and not hasattr(ax, "stairs"):
            wanted = "give the axes of a figure, as `plt.subplots()` returns them"
            raise MiningFlowError(
                Diagnostic(f"'ax' is {ax!r}, no axes of matplotlib", None, wanted)
            )
        return plot(self.bound, self.connection, name, chosen, ax, path)

    def stats(
        self,
        *names: str,
        learned: bool = False,
        anew: bool = False,
        sources: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        listener: Listener | None = None,
    ) -> CaseStatistics:
        """Returns statistics of concepts and steps, by default of all, computed in the database.

        They are stored there until the rows change, unless they are computed `anew`. With
        `learned`, they are those of the rows that are not held out; with `sources`, those of these
        rows.
        """
        asked, seconds = arguments.texts(names, "names"), arguments.number(wait, "wait")
        connection = self._reading(sources)
        with listening(f"statistics of {self.name}", listener) as heard:
            return stats(self.bound, connection, asked, learned, anew, heard, seconds)

    def estimate(
        self,
        *names: str,
        sources: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        listener: Listener | None = None,
    ) -> CaseEstimates:
        """Estimates rows, missing and distinct values of steps, which need not have run."""
        asked, seconds = arguments.texts(names, "names"), arguments.number(wait, "wait")
        connection = self._reading(sources)
        with listening(f"estimating {self.name}", listener) as heard:
            return estimate(self.bound, connection, asked, heard, seconds)

    def impact(self, what: str, column: bool = False) -> Impact:
        """Returns what the removal of `Concept.feature` would break, shrink or lose.

        With `column`, `what` is a `table.column` or `file.column` of the connection.
        """
        return impact(self.bound, self.connection, arguments.text(what, "what"), column)

    def test(self, *names: str, unit: bool = False, data: bool = False) -> TestReport:
        """Runs the tests of the case: unit tests in memory, data tests on what was published.

        `names` are tests, or steps whose data tests are meant. With `unit` or `data`, only tests of
        that kind run.
        """
        asked = arguments.texts(names, "names")
        return run_tests(self.bound, self.connection, asked, unit, data, self.lazy)

    def compare(
        self,
        step: str,
        selectors: Sequence[str] = (),
        rows: int = 1000,
        folds: int = 5,
        metric: str = "error",
        plot: str | Path | None = None,
        sources: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
    ) -> Comparison:
        """Runs several selectors on the rows that a selecting step learns from. Changes nothing.

        `metric` is `error`, `accuracy`, `f1` or `auc`. With `plot`, also draws it into a .svg, .png
        or .pdf file. With `sources`, refuses rows that were not made from these.
        """
        path = arguments.optional_path(plot, "plot")
        if path is not None:
            check_plot(path)
        question = Question(
            arguments.texts(selectors, "selectors"),
            arguments.whole_number(rows, "rows", least=FEWEST_ROWS),
            arguments.whole_number(folds, "folds", least=2, most=MOST_FOLDS),
            arguments.text(metric, "metric"),
        )
        name = arguments.text(step, "step")
        connection = self._reading(sources)
        with listening(f"comparing at {name}", listener) as heard:
            comparison = compare(self.bound, connection, name, question, heard)
        if path is not None:
            from miningflow.verbs.compare.plot import plot_comparison

            plot_comparison(comparison, path)
        return comparison

    def explain(self, step: str | None = None, dialect: str | None = None) -> Explanation:
        """Explains a step: what it learned and where, the SQL it became, what that costs."""
        meant = _dialect(dialect)
        return explain(self.bound, self.connection, arguments.optional_text(step, "step"), meant)

    def export(
        self,
        to: str,
        output: str | Path | None = None,
        dialect: str | None = None,
        schema: str | None = None,
        with_data: bool = False,
        with_lineage: bool = False,
        force: bool = False,
    ) -> Written:
        """Writes the case as a script, a dbt or a SQLMesh project, with everything learned."""
        form, folder = arguments.text(to, "to"), arguments.optional_path(output, "output")
        own_schema = arguments.optional_text(schema, "schema")
        asked = _dialect(dialect), own_schema, with_data, with_lineage, force
        return export(self.bound, self.connection, form, folder, *asked)

    def lineage(self, output: str | Path | None = None) -> list[dict[str, Any]]:
        """Returns OpenLineage events of what was last published: an event for each step.

        With `output`, also writes them to that file, one per line.
        """
        path = arguments.optional_path(output, "output")
        if path is not None:
            arguments.check_folder(path)
        text = lineage(self.bound, self.connection)
        if path is not None:
            path.write_text(text, encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def verify(
        self,
        *on: str | Path,
        tolerance: float = TOLERANCE,
        learn_once: bool = False,
        keep: bool = False,
        sources: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        listener: Listener | None = None,
    ) -> list[Verification]:
        """Runs the case on several stores, or connection files, and compares all with the first.

        A single one is compared with the case's own store. With `learn_once`, the others take over
        what was learned on the first. With `keep`, what was made there is not dropped again.
        `sources` are read on all of them.
        """
        asked = [arguments.location(each, "on", STORE_OR_FILE) for each in on]
        own = self._reading(sources)
        named = [named_connection(each, own, "--on") for each in asked]
        if sources:  # a connection file says by itself where its rows are
            named = [replace(each, sources={**each.sources, **_given(own)}) for each in named]
        if len(named) < 2 and own is not None:
            named.insert(0, own)
        bound, seconds = arguments.number(tolerance, "tolerance"), arguments.number(wait, "wait")
        with listening(f"verifying {self.name}", listener) as heard:
            return verify(self.bound, named, bound, learn_once, keep, heard, seconds)

    def move(
        self,
        to: str | Path,
        origin: str | Path | None = None,
        keep_rows: bool = False,
        target: str | Path = "target",
        wait: float = 0.0,
        listener: Listener | None = None,
    ) -> Moved:
        """Copies sources and what was learned to another store, and runs the case there.

        With `keep_rows`, existing tables keep their rows, and what was learned is used on them.
        Exported files go to a folder in `target`.
        """
        own = self.connection
        if origin is not None:
            own = named_connection(
                arguments.location(origin, "origin", STORE_OR_FILE), self.connection, "--from"
            )
        there = named_connection(arguments.location(to, "to", STORE_OR_FILE), own, "--to")
        folder, seconds = arguments.path(target, "target"), arguments.number(wait, "wait")
        with listening(f"moving {self.name}", listener) as heard:
            return move(self.bound, own, there, keep_rows, heard, seconds, folder)

    def add(
        self,
        sources: Mapping[str, Any] | Sequence[str | Path] | str | Path,
        in_place: bool = False,
        dry_run: bool = False,
    ) -> Added:
        """Adds concepts for further tables to the files of the case; load it again afterwards.

        `sources` are paths, globs, folders, tables of the store, or a map of concepts to them or to
        frames. Small files are copied into the folder of the case, unless it is to read them
        `in_place`. With `dry_run`, nothing is written: `diff` has the lines.
        """
        return add(self.bound, self.connection, sources, in_place, dry_run, self.lazy)

    def refresh(self, dry_run: bool = False, force: bool = False) -> Refreshed:
        """Adapts the files of the case to data that changed shape; load it again afterwards.

        Features of columns that went are removed only if nothing uses them, or with `force`.
        """
        return refresh(self.bound, self.connection, dry_run, force, self.lazy)

    def clean(self, wait: float = 0.0) -> list[MadeObject]:
        """Drops exactly what the case made, and returns it."""
        return clean(self.bound, self.connection, arguments.number(wait, "wait"))

    def _reading(self, sources: Any) -> ConnectionText | None:
        """Returns the connection in which the given concepts are read from somewhere else."""
        found = arguments.mapping(sources, "sources", FRAMES)
        return with_sources(self.bound, self.connection, found)


def _request(select: Any, from_step: Any, to_step: Any, full: bool) -> PlanRequest:
    return PlanRequest(
        arguments.texts(select, "select"),
        arguments.optional_text(from_step, "from_step"),
        arguments.optional_text(to_step, "to_step"),
        full,
    )


def _given(connection: ConnectionText | None) -> dict[str, SourceText]:
    there = connection.sources if connection else {}
    return {name: source for name, source in there.items() if source.given}


def _dialect(name: Any) -> str | None:
    found = arguments.optional_text(name, "dialect")
    return None if found is None else known_dialect(found)
