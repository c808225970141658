"""What a case made: what the repository lists counts only if the store confirms it.

A repository may come from anyone. An object is a case's own if it is in one of the two schemas of
the case and looks as only a run makes it: what is built has the name of a step and the number of
the run that is recorded; what people read is a view over something built. That holds on every
engine, and for stores of every age.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from miningflow.compile import Names
from miningflow.repository import MadeObject
from miningflow.sql.stored import stored_name
from miningflow.store.opening import Store


def own_objects(store: Store, case: str, listed: Iterable[MadeObject]) -> list[MadeObject]:
    """Returns those of the listed objects that the case made."""
    names, dialect = Names(case), store.engine.dialect
    entries = [o for o in listed if o.schema in (names.schema, names.built_schema)]
    definitions: Mapping[str, str] = {}
    if any(o.schema == names.schema and o.kind == "view" for o in entries):
        definitions = store.engine.view_definitions(stored_name(names.schema, dialect))
    built = stored_name(names.built_schema, dialect)

    def made(entry: MadeObject) -> bool:
        if entry.kind == "schema":
            return entry.name == ""
        if entry.schema == names.built_schema:
            return entry.kind in ("table", "view") and _is_of_run(entry.name, entry.run)
        if entry.kind == "view":  # one that is gone is as good as the case's own
            definition = definitions.get(stored_name(entry.name, dialect))
            return definition is None or _reads(definition, built)
        return entry.kind == "function" and entry.name.endswith("()")

    return [entry for entry in entries if made(entry)]


def _is_of_run(name: str, run: int) -> bool:
    """Returns whether a run gives such names: `step__7`, or `step__7: values`."""
    return name.endswith(f"__{run}") or f"__{run}: " in name


def _reads(definition: str, schema: str) -> bool:
    """Returns whether a view reads a schema; how names are quoted differs between engines."""
    return schema.replace('"', '""').casefold() in definition.casefold()
