"""Publishing: all results of a run become visible in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from miningflow.compile import Names, Piece, create_statement
from miningflow.compile.functions import named_functions
from miningflow.compile.statements import SQL_TYPES, read_all
from miningflow.errors import Mistake, RunError
from miningflow.plan import Plan
from miningflow.repository import MadeObject, StepRecord
from miningflow.resolve import BoundCase
from miningflow.run.building import Outcome
from miningflow.run.catalog import dropping, functions_of, objects_of
from miningflow.run.changing import Execute, changing, make_schema
from miningflow.run.cleaning import KINDS
from miningflow.run.keeping import (
    belongs,
    dead_builds,
    function_entry,
    function_name,
    values_object,
    values_of,
)
from miningflow.run.store import Store
from miningflow.sql.dialect import identifier, render
from miningflow.sql.stored import stored_name


def refuse_foreign_objects(plan: Plan, store: Store, names: Names) -> None:
    """Refuses to run if a table that this case did not make has the name of one of its steps."""
    made = store.repository.objects(plan.case)
    there = objects_of(plan.case, store, names.schema)
    for stage in plan.stages:
        _refuse_foreign(stage.name, names.schema, there, made, store.engine.dialect)


def _refuse_foreign(
    name: str, schema: str, there: Mapping[str, str], made: Sequence[MadeObject], dialect: str
) -> None:
    """Compares without case, as databases do; what the case shows there are views only."""
    own = {o.name for o in made if o.schema == schema and o.kind == "view"}
    same = {name.casefold(), stored_name(name, dialect).casefold()}
    for found, kind in there.items():
        if found.casefold() in same and (found not in own or kind != "view"):
            raise RunError(
                Mistake(
                    f"the store already has a {kind} {schema}.{found} that this case did not make",
                    None,
                    "rename the case or the step, or move that object away; nothing was changed",
                )
            )


def publish(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    names: Names,
    run: int,
    pieces: Mapping[str, Piece],
    outcomes: Mapping[str, Outcome],
) -> None:
    """Points the public views to what was built, in one transaction with the repository."""
    publisher = _Publisher(bound, plan, store, names, run, pieces, outcomes)
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
        names: Names,
        run: int,
        pieces: Mapping[str, Piece],
        outcomes: Mapping[str, Outcome],
    ) -> None:
        self.bound = bound
        self.plan = plan
        self.store = store
        self.names = names
        self.run = run
        self.pieces = pieces
        self.outcomes = outcomes
        self.records = store.repository.builds(bound.name)
        self.objects = store.repository.objects(bound.name)
        self.there = {
            schema: objects_of(bound.name, store, schema)
            for schema in (names.schema, names.built_schema)
        }
        self.current = {
            stage.name: (stage.fingerprint, outcomes[stage.name].run)
            for stage in plan.stages
            if stage.name in outcomes
        }
        self.changed = [
            r
            for r in self.records
            if r.status != "published" and self.current.get(r.step) == (r.fingerprint, r.run)
        ]
        self.skipped = {s.name for s in plan.stages if s.name not in outcomes}
        self.functions = named_functions(bound, pieces, names.public, store.engine.dialect)
        self.definitions = {
            name: function.create(names.schema, store.engine.dialect)
            for name, function in self.functions.items()
        }
        mine = [function_name(o.name) for o in self.objects if o.kind == "function"]
        dialect = store.engine.dialect
        foreign = functions_of(store, names.schema) - {stored_name(n, dialect) for n in mine}
        self.foreign_functions = {n for n in self.functions if stored_name(n, dialect) in foreign}
        self.shown = {
            name: outcome.object_name
            for name, outcome in outcomes.items()
            if outcome.object_name is not None
        }

    def dead_builds(self) -> list[StepRecord]:
        """Finds builds that neither are current nor are needed by one that is."""
        kept = [
            r
            for r in self.records
            if self.current.get(r.step) == (r.fingerprint, r.run)
            or (r.step in self.skipped and r.status == "published")
        ]
        return dead_builds(self.records, kept, self.there[self.names.built_schema])

    def change_store(self, execute: Execute, connection: Any, dead: list[StepRecord]) -> None:
        """Creates the public views and drops what is no longer needed."""
        schema, case = self.names.schema, self.bound.name
        make_schema(self.store, case, schema, self.run, execute, connection)
        unshown = self._unshown()
        # a database that knows no case would take a new view for the old one
        same = [o for o in unshown if o.name.casefold() in {n.casefold() for n in self._names()}]
        self._drop(same, execute, connection)
        for name, object_name in self.shown.items():
            self._show(name, object_name, execute, connection)
            for values in self.pieces[name].block.values():
                self._show_values(values.name, values.columns, object_name, execute, connection)
        self._make_functions(execute, connection)
        gone = {r.object_name for r in dead}
        built = [o for o in self.objects if o.schema == self.names.built_schema]
        dropped = [o for o in unshown if o not in same]
        dropped += [o for o in built if belongs(o.name, gone)]
        self._drop(dropped, execute, connection)

    def change_repository(self, connection: Any, dead: list[StepRecord]) -> None:
        """Records what is current now, and that the run is done."""
        repository, case = self.store.repository, self.bound.name
        repository.mark_published(case, self.changed, dead, connection)
        names = [r.step for r in self.changed]
        gone = {r.step for r in dead} - set(self.current) - self.skipped
        described = self._descriptions(names)
        repository.describe_concepts(case, [*names, *gone], described, connection)
        about = self.bound.case.about
        repository.describe_case(case, str(self.bound.case.path), about, self.run, connection)
        repository.end_run(self.run, "done", connection=connection)

    def _show(self, name: str, object_name: str, execute: Execute, connection: Any) -> None:
        concept = self.pieces[name].presence.concept
        step = self.bound.steps.get(name)
        comment = f"step '{name}'" if step else f"source '{name}'"
        query = read_all(concept, object_name, self.names.built)
        self._create_view(name, query, comment, execute, connection)

    def _show_values(
        self, name: str, columns: tuple[str, ...], owner: str, execute: Execute, connection: Any
    ) -> None:
        object_name = values_object(owner, name)
        # in a macro with a parameter of the same name DuckDB takes a bare column for either
        listed = ", ".join(f"own.{identifier(c, self.store.engine.dialect)}" for c in columns)
        target = render(self.names.public(name), self.store.engine.dialect)
        source = render(self.names.built(object_name), self.store.engine.dialect)
        there = self.there[self.names.schema]
        _refuse_foreign(name, self.names.schema, there, self.objects, self.store.engine.dialect)
        entry = MadeObject(self.names.schema, name, "view", self.run)
        self.store.repository.record_object(self.bound.name, entry, connection)
        made = f"CREATE OR REPLACE VIEW {target} AS SELECT {listed} FROM {source} AS own"
        execute(self.store.engine.replacing("view", self.names.schema, name, made))

    def _make_functions(self, execute: Execute, connection: Any) -> None:
        """Makes a function of each prediction, and drops those that nothing predicts any more."""
        schema = self.names.schema
        for name, definition in self.definitions.items():
            if name in self.foreign_functions:
                continue
            entry = MadeObject(schema, function_entry(name), "function", self.run)
            self.store.repository.record_object(self.bound.name, entry, connection)
            execute(self.store.engine.replacing("function", schema, name, definition))
            step = self.functions[name].step
            said = f"what step {step!r} of case {self.bound.name!r} predicts"
            for statement in self.store.engine.comment("function", schema, name, said):
                execute(statement)
        kept = {function_entry(name) for name in self.functions}
        for made in self.objects:
            if made.kind == "function" and made.name not in kept and not self.skipped:
                mine = [(schema, function_name(made.name))]
                for statement in dropping(self.store, "function", mine):
                    execute(statement)
                self.store.repository.forget_object(self.bound.name, made, connection)

    def _create_view(
        self, name: str, query: Any, comment: str, execute: Execute, connection: Any
    ) -> None:
        entry = MadeObject(self.names.schema, name, "view", self.run)
        self.store.repository.record_object(self.bound.name, entry, connection)
        target = self.names.public(name)
        view = create_statement(name, target, "view", query, comment, replace=True)
        engine, schema = self.store.engine, self.names.schema
        execute(engine.replacing("view", schema, name, view.sql(engine.dialect)))
        for statement in engine.comment("view", schema, name, self._said(name)):
            execute(statement)

    def _said(self, name: str) -> str:
        """Says what a view shows, in the words of the case."""
        step, case = self.bound.steps.get(name), self.bound.name
        if step is None:
            written = self.bound.case.concepts.get(name)  # a test gives rows to steps, too
            about = written.about if written else ""
            what = f"concept {name!r} of case {case!r}"
        else:
            about = step.about
            what = f"step {name!r} of case {case!r}: {type(step.operator).__name__}"
        return f"{what}\n{about}" if about else what

    def _names(self) -> set[str]:
        """Names the public views of this run."""
        return set(self.shown) | {v.name for n in self.shown for v in self.pieces[n].block.values()}

    def _unshown(self) -> list[MadeObject]:
        """Gives public views of steps that are gone from the case, or no longer shown."""
        known = self.skipped | self._names()
        for record in self.records:
            if record.step in self.skipped and record.status == "published" and record.object_name:
                built = self.there[self.names.built_schema]
                known |= {v for o in built if (v := values_of(record.object_name, o)) is not None}
        return [
            made
            for made in self.objects
            if made.schema == self.names.schema and made.kind == "view" and made.name not in known
        ]

    def _drop(self, objects: Sequence[MadeObject], execute: Execute, connection: Any) -> None:
        for kind in KINDS:
            mine = [o for o in objects if o.kind == kind == self.there[o.schema].get(o.name)]
            for statement in dropping(self.store, kind, [(o.schema, o.name) for o in mine]):
                execute(statement)
        for made in objects:
            self.store.repository.forget_object(self.bound.name, made, connection)

    def _descriptions(self, names: list[str]) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {
            "concepts": [],
            "features": [],
            "column_sets": [],
            "columns": [],
            "deselections": [],
            "functions": [],
        }
        case = self.bound.name
        for name in names:
            entry = {"case_name": case, "concept": name}
            concept, presence = self.bound.concept(name), self.pieces[name].presence
            step = self.bound.steps.get(name)
            found["concepts"].append(
                {
                    **entry,
                    "made_by": type(step.operator).__name__ if step else "source",
                    "key_feature": concept.key,
                    "parameters": json.dumps(step.parameters, ensure_ascii=False) if step else "{}",
                }
            )
            if name in self.shown:
                schema, made = self.names.built_schema, self.shown[name]
                kind = self.there[schema][made]
                placed = {"schema_name": schema, "object_name": made, "kind": kind}
                found["column_sets"].append({**entry, **placed})
            found["functions"] += [
                {
                    **entry,
                    "function_name": function.feature,
                    "schema_name": self.names.schema,
                    "feature": function.feature,
                    "parameters": json.dumps(dict(function.parameters), ensure_ascii=False),
                    "definition": self.definitions[function.feature],
                }
                for function in self.functions.values()
                if function.step == name and function.feature not in self.foreign_functions
            ]
            for position, feature in enumerate(concept.features.values()):
                mine = {**entry, "feature": feature.name}
                found["features"].append({**mine, "type": feature.type, "position": position})
                cause = presence.deselected.get(feature.name)
                if cause is not None:
                    found["deselections"].append(
                        {**mine, "by_step": cause.step, "reason": cause.reason}
                    )
                else:
                    sql_type = SQL_TYPES.get(feature.type, "key")
                    found["columns"].append(
                        {**mine, "column_name": feature.name, "sql_type": sql_type}
                    )
        return found
