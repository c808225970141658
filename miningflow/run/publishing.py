"""Publishing: all results of a run become visible in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from miningflow.compile import Names, create_statement
from miningflow.compile.statements import read_all
from miningflow.plan import Plan
from miningflow.repository import MadeObject, StepRecord
from miningflow.resolve import BoundCase
from miningflow.run.concept_descriptions import describe_concepts
from miningflow.run.foreign_objects import refuse_foreign_object
from miningflow.run.outcome import Outcome
from miningflow.run.published_functions import PublishedFunctions
from miningflow.sql.dialect import identifier, render
from miningflow.store.cleaning import KINDS
from miningflow.store.object_names import is_part_of, values_object, values_of
from miningflow.store.objects import dropping
from miningflow.store.opening import Store
from miningflow.store.reusable_builds import dead_builds
from miningflow.store.snapshot import Snapshot, with_public_objects
from miningflow.store.transaction import Execute, changing, make_schema


def publish(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    snapshot: Snapshot,
    run: int,
    outcomes: Mapping[str, Outcome],
) -> None:
    """Points the public views to what was built, in one transaction with the repository.

    `snapshot` is the store with what this run built; only what people may have made in the public
    schema while the run took its time is read again.
    """
    now = with_public_objects(snapshot, store)
    publisher = _Publisher(bound, plan, store, now, run, outcomes)
    dead = publisher.dead_builds()
    with changing(store) as (execute, connection):
        publisher.change_store(execute, connection, dead)
        publisher.change_repository(connection, dead)


class _Publisher:
    """Knows what to show, what to drop and what to record."""

    def __init__(
        self,
        bound: BoundCase,
        plan: Plan,
        store: Store,
        snapshot: Snapshot,
        run: int,
        outcomes: Mapping[str, Outcome],
    ) -> None:
        self.bound = bound
        self.store = store
        self.snapshot = snapshot
        self.names = Names(bound.name)
        self.run = run
        self.outcomes = outcomes
        self.pieces = {name: outcome.piece for name, outcome in outcomes.items()}
        self.current = {
            stage.name: (stage.fingerprint, outcomes[stage.name].run)
            for stage in plan.stages
            if stage.name in outcomes
        }
        self.changed = [
            r
            for r in snapshot.builds
            if r.status != "published" and self.current.get(r.step) == (r.fingerprint, r.run)
        ]
        self.skipped = {s.name for s in plan.stages if s.name not in outcomes}
        self.functions = PublishedFunctions(bound, store, snapshot, self.pieces)
        self.shown = {
            name: outcome.object_name
            for name, outcome in outcomes.items()
            if outcome.object_name is not None
        }

    def dead_builds(self) -> list[StepRecord]:
        """Finds builds that neither are current nor are needed by one that is."""
        kept = [
            r
            for r in self.snapshot.builds
            if self.current.get(r.step) == (r.fingerprint, r.run)
            or (r.step in self.skipped and r.status == "published")
        ]
        return dead_builds(self.snapshot, kept)

    def change_store(self, execute: Execute, connection: Any, dead: list[StepRecord]) -> None:
        """Creates the public views and drops what is no longer needed."""
        schema, case = self.names.schema, self.bound.name
        make_schema(self.store, case, schema, self.run, execute, connection)
        unshown = self._unshown()
        # a database that ignores case would take a new view for the old one
        same = [o for o in unshown if o.name.casefold() in {n.casefold() for n in self._views()}]
        self._drop(same, execute, connection)
        for name, object_name in self.shown.items():
            self._show(name, object_name, execute, connection)
            for values in self.pieces[name].block.values():
                self._show_values(values.name, values.columns, object_name, execute, connection)
        self.functions.make(self.run, execute, connection)
        if not self.skipped:  # a step that was not selected may predict it
            self.functions.drop_others(execute, connection)
        gone = {r.object_name for r in dead}
        built = [o for o in self.snapshot.objects if o.schema == self.names.built_schema]
        dropped = [o for o in unshown if o not in same]
        dropped += [o for o in built if is_part_of(o.name, gone)]
        self._drop(dropped, execute, connection)

    def change_repository(self, connection: Any, dead: list[StepRecord]) -> None:
        """Records what is current now, and that the run is done."""
        repository, case = self.store.repository, self.bound.name
        repository.mark_published(case, self.changed, dead, connection)
        names = [r.step for r in self.changed]
        gone = {r.step for r in dead} - set(self.current) - self.skipped
        functions = self.functions.made.values()
        described = describe_concepts(self.bound, self.snapshot, self.outcomes, functions, names)
        repository.describe_concepts(case, [*names, *gone], described, connection)
        about = self.bound.case.about
        repository.describe_case(case, str(self.bound.case.path), about, self.run, connection)
        repository.end_run(self.run, "done", connection=connection)

    def _show(self, name: str, object_name: str, execute: Execute, connection: Any) -> None:
        """Makes the public view of a source or step."""
        query = read_all(self.pieces[name].presence.concept, object_name, self.names.built)
        kind = "step" if name in self.bound.steps else "source"
        self._create_view(name, query, f"{kind} '{name}'", execute, connection)
        for statement in self.store.engine.comment(
            "view", self.names.schema, name, self._description(name)
        ):
            execute(statement)

    def _create_view(
        self, name: str, query: exp.Expression, comment: str, execute: Execute, connection: Any
    ) -> None:
        entry = MadeObject(self.names.schema, name, "view", self.run)
        self.store.repository.record_object(self.bound.name, entry, connection)
        engine, target = self.store.engine, self.names.public(name)
        view = create_statement(name, target, "view", query, comment, replace=True)
        execute(engine.replacing("view", self.names.schema, name, view.sql(engine.dialect)))

    def _show_values(
        self, name: str, columns: tuple[str, ...], owner: str, execute: Execute, connection: Any
    ) -> None:
        """Makes the public view of a table of values, such as support vectors."""
        engine, schema = self.store.engine, self.names.schema
        # in a macro with a parameter of the same name DuckDB takes a bare column for either
        listed = ", ".join(f"own.{identifier(c, engine.dialect)}" for c in columns)
        target = render(self.names.public(name), engine.dialect)
        source = render(self.names.built(values_object(owner, name)), engine.dialect)
        refuse_foreign_object(name, self.snapshot, engine.dialect)
        entry = MadeObject(schema, name, "view", self.run)
        self.store.repository.record_object(self.bound.name, entry, connection)
        made = f"CREATE OR REPLACE VIEW {target} AS SELECT {listed} FROM {source} AS own"
        execute(engine.replacing("view", schema, name, made))

    def _description(self, name: str) -> str:
        """Describes a view in the words of the case."""
        step, case = self.bound.steps.get(name), self.bound.name
        if step is None:
            written = self.bound.case.concepts.get(name)  # a test gives rows to steps, too
            about = written.about if written else ""
            what = f"concept {name!r} of case {case!r}"
        else:
            about = step.about
            what = f"step {name!r} of case {case!r}: {type(step.operator).__name__}"
        return f"{what}\n{about}" if about else what

    def _views(self) -> set[str]:
        """Returns the names of the public views of this run."""
        return set(self.shown) | {v.name for n in self.shown for v in self.pieces[n].block.values()}

    def _unshown(self) -> list[MadeObject]:
        """Returns public views of steps that are gone from the case, or no longer shown."""
        known = self.skipped | self._views()
        for record in self.snapshot.builds:
            if record.step in self.skipped and record.status == "published" and record.object_name:
                built = self.snapshot.built
                known |= {v for o in built if (v := values_of(record.object_name, o)) is not None}
        return [
            made
            for made in self.snapshot.objects
            if made.schema == self.names.schema and made.kind == "view" and made.name not in known
        ]

    def _drop(self, objects: Sequence[MadeObject], execute: Execute, connection: Any) -> None:
        there = self.snapshot.there
        for kind in KINDS:
            mine = [o for o in objects if o.kind == kind == there[o.schema].get(o.name)]
            for statement in dropping(self.store, kind, [(o.schema, o.name) for o in mine]):
                execute(statement)
        for made in objects:
            self.store.repository.forget_object(self.bound.name, made, connection)
