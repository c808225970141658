"""Functions of the store: each prediction of a model as a function of the features it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.compile import Names, Piece
from miningflow.compile.functions import named_functions
from miningflow.repository import MadeObject
from miningflow.resolve import BoundCase
from miningflow.run.concept_descriptions import MadeFunction
from miningflow.sql.stored import stored_name
from miningflow.store.object_names import function_entry, function_name
from miningflow.store.objects import dropping, functions_of
from miningflow.store.opening import Store
from miningflow.store.snapshot import Snapshot
from miningflow.store.transaction import Execute


class PublishedFunctions:
    """The functions that a run makes, and those of earlier runs that nothing predicts any more."""

    def __init__(
        self, bound: BoundCase, store: Store, snapshot: Snapshot, pieces: Mapping[str, Piece]
    ) -> None:
        self.store = store
        self.snapshot = snapshot
        self.schema = Names(bound.name).schema
        dialect = store.engine.dialect
        functions = named_functions(bound, pieces, Names(bound.name).public, dialect)
        mine = [function_name(o.name) for o in snapshot.objects if o.kind == "function"]
        foreign = functions_of(store, self.schema) - {stored_name(n, dialect) for n in mine}
        self._predicted = {function_entry(name) for name in functions}
        self.made = {
            name: MadeFunction(function, function.create(self.schema, dialect))
            for name, function in functions.items()
            if stored_name(name, dialect) not in foreign  # which the case did not make
        }

    def make(self, run: int, execute: Execute, connection: Any) -> None:
        """Makes or replaces the functions."""
        engine, case = self.store.engine, self.snapshot.case
        for name, made in self.made.items():
            entry = MadeObject(self.schema, function_entry(name), "function", run)
            self.store.repository.record_object(case, entry, connection)
            execute(engine.replacing("function", self.schema, name, made.definition))
            about = f"what step {made.function.step!r} of case {case!r} predicts"
            for statement in engine.comment("function", self.schema, name, about):
                execute(statement)

    def drop_others(self, execute: Execute, connection: Any) -> None:
        """Drops the functions of earlier runs that nothing predicts any more."""
        for entry in self.snapshot.objects:
            if entry.kind == "function" and entry.name not in self._predicted:
                mine = [(self.schema, function_name(entry.name))]
                for statement in dropping(self.store, "function", mine):
                    execute(statement)
                self.store.repository.forget_object(self.snapshot.case, entry, connection)
