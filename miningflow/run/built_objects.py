"""The objects that a run makes: each is in the trash index before it is in the store."""

from __future__ import annotations

import threading

from sqlglot import exp

from miningflow.compile import Names
from miningflow.errors import Diagnostic, EngineError, RunError
from miningflow.repository import MadeObject
from miningflow.sql.stored import stored_name
from miningflow.store.object_names import step_object, values_object
from miningflow.store.opening import Store
from miningflow.store.snapshot import Snapshot
from miningflow.store.transaction import make_schema


class BuiltObjects:
    """What a run built, or took over, for each source, step and table of values."""

    def __init__(self, store: Store, run: int, snapshot: Snapshot) -> None:
        self.names = Names(snapshot.case)
        self.made: list[MadeObject] = []
        """What this run made, in the order in which it was announced."""
        self._store = store
        self._run = run
        self._objects: dict[str, str] = {}
        self._lock = threading.Lock()
        self._schema_made = False
        self._foreign = set(snapshot.built) - {o.name for o in snapshot.objects}

    def __contains__(self, name: str) -> bool:
        with self._lock:
            return name in self._objects

    def naming(self, name: str) -> exp.Table:
        """Finds what was built for a source, a step or a table of values."""
        with self._lock:
            return self.names.built(self._objects[name])

    def add(self, name: str, object_name: str) -> None:
        """Lets later stages find an object by the name of its step."""
        with self._lock:
            self._objects[name] = object_name

    def announce(self, name: str, kind: str, owner: str | None = None) -> str:
        """Names an object and enters it into the trash index before it is made."""
        made = step_object(name, self._run) if owner is None else values_object(owner, name)
        self._refuse_long(made)
        self._ensure_schema()
        schema = self.names.built_schema
        if {made, stored_name(made, self._store.engine.dialect)} & self._foreign:
            raise RunError(
                Diagnostic(
                    f"the store already has {schema}.{made}, which this case did not make",
                    None,
                    f"move it away: {schema} is where runs build",
                )
            )
        entry = MadeObject(schema, made, kind, self._run)
        self._store.repository.record_object(self.names.case, entry)
        with self._lock:
            self.made.append(entry)
        return made

    def _refuse_long(self, made: str) -> None:
        """Refuses a table of values whose name the database would cut off."""
        longest = self._store.engine.longest_name
        if longest is not None and len(made.encode()) > longest:
            message = f"it needs a table {made!r}, and names have at most {longest} bytes"
            raise EngineError(Diagnostic(message, None, "give the step a shorter name"))

    def _ensure_schema(self) -> None:
        with self._lock:
            if not self._schema_made:
                with self._store.engine.session() as session:
                    schema, case = self.names.built_schema, self.names.case
                    make_schema(self._store, case, schema, self._run, session.execute)
                self._schema_made = True
