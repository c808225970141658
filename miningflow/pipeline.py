"""START HERE: the five phases in order, read → resolve → plan → compile → run.

Every door (command line, Python, web) goes through the functions of this file.

    text of a case ── read ──▶ Case                 what was written, with places
    Case ────────── resolve ─▶ BoundCase            names found, concepts derived; no data needed
    BoundCase ──────── plan ─▶ Plan                 stages: run or reuse, and why
    Plan ─────────── compile ▶ Piece per step       SQL blocks; pure, on learned artifacts
    pieces ───────────── run ▶ Report               views and tables in the store
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from miningflow.catalog import installed
from miningflow.compile import Compiled, Piece, ScoreScript, score_script
from miningflow.compile.uncollected import uncollected
from miningflow.declare.segmentation import artifacts_of
from miningflow.declare.selection import Selection
from miningflow.engines.opening import dialect_of
from miningflow.errors import CompileError, Mistake, RunError
from miningflow.export import (
    ExportRequest,
    Form,
    Origin,
    Written,
    check_folder,
    check_form,
    data_files,
    data_folder,
    data_home,
    exported_files,
    freeze_case,
    lineage_text,
    published_runs,
    usual_dialect,
    write_folder,
)
from miningflow.plan import Plan, Wish, plan_case
from miningflow.plan.selection import named
from miningflow.read import Case, ConnectionText, find_connection, read_case
from miningflow.repository import MadeObject
from miningflow.resolve import BoundCase, resolve_case
from miningflow.resolve.effects import Impact
from miningflow.resolve.impact import column_impact, feature_impact
from miningflow.run import (
    Report,
    Scores,
    SourceLocation,
    Store,
    built_before,
    clean_case,
    frozen_pieces,
    locate_sources,
    open_store,
    run_plan,
    score_rows,
    source_versions,
    stored_selections,
)
from miningflow.run.building import MOVED
from miningflow.run.comparing import Comparison, Question, compare_selectors, selecting_step
from miningflow.run.data_tests import published_tests
from miningflow.run.estimates import Estimated, estimates
from miningflow.run.events import Listener, silent
from miningflow.run.explaining import Explanation, explain_step
from miningflow.run.handing_over import hand_over, refuse_unlearned
from miningflow.run.moving import Moved, move_sources
from miningflow.run.row_comparison import TOLERANCE
from miningflow.run.scoring import NewRows, Scoring
from miningflow.run.statistics import Found, concept_statistics
from miningflow.run.store import needed, refuse_same_stores, store_exists
from miningflow.run.testing import TestReport, chosen_tests, without_holdouts
from miningflow.run.unit_tests import run_test
from miningflow.run.verifying import (
    PROGRAM,
    Site,
    Verification,
    compare_stores,
    refuse_to_disturb,
    renamed,
    run_on,
)


@dataclass(frozen=True)
class Project:
    """A case that is read and resolved, with the connection it runs on."""

    case: Case
    bound: BoundCase
    connection: ConnectionText | None


def check(path: Path, connect: Path | None = None, lazy: bool = False) -> Project:
    """Phases 1 and 2: reads and resolves a case. Touches no data and no database.

    With `lazy`, every segmentation keeps its first segment only, to try a case.
    """
    with uncollected():
        case = read_case(path)
        bound = resolve_case(case, installed(), lazy)
    return Project(case, bound, find_connection(case, connect))


def plan(project: Project, wish: Wish | None = None) -> Plan:
    """Phase 3: says what a run would do, and why. Changes nothing."""
    connection = needed(project.case, project.connection)
    locations = locate_sources(project.bound, connection)
    with reading(project) as store, uncollected():
        return _plan(project.bound, store, locations, wish)


def store_dialect(project: Project) -> str:
    """Names the dialect of the store of a case, which need not be there."""
    connection = project.connection
    return dialect_of(connection.store.text) if connection and connection.store else "duckdb"


def compile_case(project: Project) -> Compiled:
    """Phase 4: the SQL of every step, as far as what it needs was learned. Changes nothing."""
    with reading(project) as store, uncollected():
        return frozen_pieces(project.bound, store.repository if store else None)


def run(
    project: Project,
    wish: Wish | None = None,
    listener: Listener = silent,
    wait: float = 0.0,
    program: str = "",
    target: Path | None = None,
    test: bool = False,
) -> tuple[Report, dict[str, Piece]]:
    """All phases: builds what changed, then makes it visible at once.

    Exports go to a folder of the case within `target`, which is beside the case if it is not given.
    With `test`, nothing becomes visible if a data test fails.
    """
    locations = locate_sources(project.bound, needed(project.case, project.connection))
    with open_store(project.case, project.connection, wait) as store:
        planned = _plan(project.bound, store, locations, wish)
        folder = target or project.case.path.parent / "target"
        return run_plan(project.bound, planned, store, locations, folder, listener, program, test)


def score(
    project: Project,
    inputs: Mapping[str, NewRows],
    output: str | Path | None = None,
    step: str | None = None,
    keep: tuple[str, ...] = (),
    wait: float = 0.0,
) -> Scores:
    """Scores new rows with everything learned frozen: nothing refits."""
    sources = needed(project.case, project.connection).sources
    columns = {n: {f: c.text for f, c in s.columns.items()} for n, s in sources.items()}
    numbered = {n: s.number_rows.text for n, s in sources.items() if s.number_rows}
    with open_store(project.case, project.connection, wait, alone=False) as store:
        name = scoring_step(project.bound, step)
        compiled = frozen_pieces(project.bound, store.repository, upto=name)
        script = score_script(project.bound, compiled.pieces, name, keep)
        chosen = Scoring(project.bound, script, columns, numbered)
        return score_rows(chosen, store, inputs, output)


def scoring(
    bound: BoundCase, compiled: Compiled, step: str | None = None, keep: tuple[str, ...] = ()
) -> ScoreScript:
    """Gives the scoring script of a compiled case."""
    name = scoring_step(bound, step)
    if name not in compiled.pieces:
        raise CompileError(
            Mistake(
                f"there is no scoring script yet: step {name!r} {compiled.missing[name]}",
                bound.steps[name].place(),
                "run the case first: `miningflow run`",
            )
        )
    return score_script(bound, compiled.pieces, name, keep)


def export(
    project: Project,
    form: Form,
    output: Path,
    dialect: str | None = None,
    schema: str | None = None,
    with_data: bool = False,
    with_lineage: bool = False,
    force: bool = False,
) -> Written:
    """Writes a case, with everything learned frozen, as a script or a project of another tool.

    With `with_data`, files of sources are copied into it. Edited files need `force`.
    """
    bound, connection = project.bound, needed(project.case, project.connection)
    origin = Origin(bound.name, form)
    dialect = dialect or usual_dialect(form, store_dialect(project))
    check_form(form, dialect)
    check_folder(output, origin)
    locations = locate_sources(bound, connection)
    home = data_home(locations, connection.folder)
    folder = None if with_data else data_folder(home, output)
    schema = schema or f"{bound.name}_exported"
    request = ExportRequest(form, dialect, schema, folder or "data")
    with reading(project) as store:
        frozen = freeze_case(bound, store, locations, home, request)
    files = exported_files(frozen)
    if with_lineage:
        files["lineage.jsonl"] = lineage(project)
    data = data_files(bound, locations, home) if with_data else {}
    copied = {f"data/{name}": path for name, path in data.items()}
    return write_folder(output, origin, files, copied, force)


def lineage(project: Project) -> str:
    """Gives OpenLineage events, one in a line, of what was last published. Changes nothing."""
    bound, home = project.bound, project.case.path.parent
    locations = locate_sources(bound, needed(project.case, project.connection))
    request = ExportRequest("script", store_dialect(project), "", ".")
    with reading(project) as store:
        frozen = freeze_case(bound, store, locations, home, request)
        assert store is not None, "there is nothing to freeze without one"
        return lineage_text(frozen, published_runs(bound, store))


def selections(project: Project, step: str | None = None) -> dict[str, Selection]:
    """Gives what each selecting step found, or one of them, for those that ran.

    Where a step selects in segments, each segment has an entry.
    """
    with reading(project) as store:
        found = stored_selections(project.bound, store.repository) if store else {}
    return {
        f"{name}, {segment}" if segment.labels else name: selection
        for name, learned in found.items()
        if step in (None, name)
        for segment, selection in artifacts_of(learned)
    }


def compare(
    project: Project,
    step: str,
    question: Question | None = None,
    listener: Listener = silent,
) -> Comparison:
    """Runs several selectors on the rows that a selecting step learns from. Changes nothing."""
    selecting = selecting_step(project.bound, step)
    with reading(project) as store:
        if store is None:
            raise RunError(
                Mistake("there are no rows to compare on yet", None, "run the case first")
            )
        return compare_selectors(project.bound, store, selecting, question or Question(), listener)


def explain(project: Project, step: str | None = None, dialect: str | None = None) -> Explanation:
    """Explains a step: what it learned and where, the SQL it became, its cost. Changes nothing."""
    dialect = dialect or store_dialect(project)
    name = step or scoring_step(project.bound, None)
    with reading(project) as store:
        return explain_step(project.bound, store.repository if store else None, name, dialect)


def stats(
    project: Project,
    names: Sequence[str] = (),
    anew: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
) -> list[Found]:
    """Computes statistics of concepts and steps in the database, and keeps them there.

    Stored ones are given again as long as they are of the same rows.
    """
    with _planned(project, names, wait) as (planned, store, locations, wanted):
        bound = project.bound
        return concept_statistics(bound, planned, store, locations, wanted, listener, anew)


def estimate(
    project: Project, names: Sequence[str] = (), listener: Listener = silent, wait: float = 0.0
) -> list[Estimated]:
    """Estimates rows, missing and different values of steps from statistics of the sources.

    No step runs; the sources are read if there are no statistics of them yet.
    """
    with _planned(project, names, wait) as (planned, store, locations, wanted):
        bound, sources = project.bound, list(project.bound.sources)
        found = concept_statistics(bound, planned, store, locations, sources, listener)
        known = {f.concept: f.statistics["all"] for f in found if f.statistics}
        return estimates(bound, planned, store, known, wanted)


def impact(project: Project, what: str, column: bool = False) -> Impact:
    """Says what the removal of `Concept.feature`, or of `table.column`, would do. Needs no data."""
    if column:
        connection = needed(project.case, project.connection)
        return column_impact(project.bound, what, connection)
    return feature_impact(project.bound, what, project.connection)


def test(
    project: Project, names: Sequence[str] = (), unit: bool = True, data: bool = True
) -> TestReport:
    """Runs the tests of a case: unit tests in memory, data tests on what was last published.

    `names` are those of tests, or of concepts whose data tests are meant. Changes nothing.
    """
    chosen = chosen_tests(project.bound, names, unit, data)
    needs_store = chosen.data or any(t.learned == "stored" for t in chosen.unit)
    nothing_held_out = resolve_case(without_holdouts(project.case), installed())
    with reading(project) if needs_store else nullcontext() as store:
        stored = store.repository if store else None
        return TestReport(
            project.bound.name,
            tuple(run_test(nothing_held_out, each, stored) for each in chosen.unit),
            published_tests(project.bound, chosen.data, store),
        )


def verify(
    project: Project,
    on: Sequence[ConnectionText],
    tolerance: float = TOLERANCE,
    learn_once: bool = False,
    keep: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
) -> list[Verification]:
    """Runs a case on several stores under another name, and compares all with the first.

    What it made there is dropped again unless it is to be kept. With `learn_once`, the others take
    what was learned on the first.
    """
    case = renamed(project.case)
    bound = resolve_case(case, installed())
    refuse_same_stores(on)
    ran: list[tuple[Store, dict[str, Piece]]] = []
    with ExitStack() as stack:
        for connection in on:
            store = stack.enter_context(open_store(case, connection, wait))
            refuse_to_disturb(bound, store)
            if not keep:
                stack.callback(clean_case, bound.name, store)
            site = Site(store, locate_sources(bound, connection))
            planned = _plan(bound, store, site.locations, None)
            if learn_once and ran:
                hand_over(bound, planned, ran[0][0], store, PROGRAM)
            ran.append((store, run_on(bound, planned, site, listener)))
        first, *others = ran
        return [
            Verification(
                project.bound.name,
                first[0].url,
                other[0].url,
                compare_stores(bound, first, other, tolerance, listener),
            )
            for other in others
        ]


def move(
    project: Project,
    to: ConnectionText,
    keep_rows: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
    target: Path | None = None,
) -> Moved:
    """Copies sources and what was learned to another store, and runs the case there without it.

    With `keep_rows`, tables that are there keep their rows, and what was learned is used on them.
    """
    case, bound = project.case, project.bound
    origin = needed(case, project.connection)
    refuse_same_stores([origin, to])
    if not store_exists(origin):
        raise RunError(Mistake("there is nothing to move yet", None, "run the case first"))
    locations = locate_sources(bound, to)
    with (
        open_store(case, origin, wait, read_only=True) as source,
        open_store(case, to, wait) as destination,
    ):
        refuse_unlearned(bound, source)
        moved = move_sources(bound, source, destination, locations, keep_rows, listener)
        planned = _plan(bound, destination, locations, None)
        program = f"{MOVED}{source.url}"
        learned = hand_over(bound, planned, source, destination, program)
        folder = target or case.path.parent / "target"
        report, _ = run_plan(bound, planned, destination, locations, folder, listener, program)
        return Moved(source.url, destination.url, moved, tuple(learned), report)


def clean(project: Project, wait: float = 0.0) -> list[MadeObject]:
    """Drops exactly what the case made."""
    connection = needed(project.case, project.connection)
    if not store_exists(connection):
        return []
    with open_store(project.case, connection, wait) as store:
        return clean_case(project.bound.name, store)


@contextmanager
def reading(project: Project) -> Iterator[Store | None]:
    """Opens the store to read, if there is one."""
    if project.connection is None or not store_exists(project.connection):
        yield None
        return
    with open_store(project.case, project.connection, read_only=True) as store:
        yield store


def scoring_step(bound: BoundCase, step: str | None) -> str:
    """Finds the step to score with."""
    name = bound.chains.get(step, step) if step else bound.scoring
    if name is None:
        raise CompileError(
            Mistake(
                f"case {bound.name!r} has no step that predicts anything", bound.case.name.place
            )
        )
    if name not in bound.steps or not bound.steps[name].operator.scores:
        models = [n for n, s in bound.steps.items() if s.operator.scores]
        raise CompileError(
            Mistake(f"{name!r} is not a step that predicts", None, f"these do: {', '.join(models)}")
        )
    return name


def _plan(
    bound: BoundCase,
    store: Store | None,
    locations: Mapping[str, SourceLocation],
    wish: Wish | None,
) -> Plan:
    built = built_before(bound.name, store) if store else {}
    return plan_case(bound, source_versions(locations, store), built, wish)


@contextmanager
def _planned(
    project: Project, names: Sequence[str], wait: float
) -> Iterator[tuple[Plan, Store, dict[str, SourceLocation], list[str]]]:
    """Opens the store, plans, and finds the concepts and steps that are meant."""
    bound = project.bound
    locations = locate_sources(bound, needed(project.case, project.connection))
    with open_store(project.case, project.connection, wait) as store:
        planned = _plan(bound, store, locations, None)
        shown = {s.name: s.inputs for s in planned.stages if "[" not in s.name}
        wanted = named(names, shown, bound.chains) if names else list(shown)
        yield planned, store, locations, wanted
