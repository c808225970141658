"""Objects that a case did not make are never replaced."""

from __future__ import annotations

from miningflow.compile import Names
from miningflow.errors import Diagnostic, RunError
from miningflow.plan import Plan
from miningflow.sql.stored import stored_name
from miningflow.store.opening import Store
from miningflow.store.snapshot import Snapshot


def refuse_shared_schemas(case: str, store: Store) -> None:
    """Refuses to run if another case has the same schemas, where upper and lower case are one."""
    if not store.engine.ignores_case:
        return
    for other in sorted(store.repository.cases_with_objects()):
        if other != case and other.casefold() == case.casefold():
            raise RunError(
                Diagnostic(
                    f"the store already has a case {other!r}, and this one is called {case!r}",
                    None,
                    "to this store these are the same name: rename one of the two cases, after "
                    "`miningflow clean` has dropped what it made",
                )
            )


def refuse_foreign_objects(plan: Plan, snapshot: Snapshot, dialect: str) -> None:
    """Refuses to run if a table that this case did not make has the name of one of its steps."""
    for stage in plan.stages:
        refuse_foreign_object(stage.name, snapshot, dialect)


def refuse_foreign_object(name: str, snapshot: Snapshot, dialect: str) -> None:
    """Compares without regard to case, as databases do; what the case shows are views only."""
    schema = Names(snapshot.case).schema
    own = {o.name for o in snapshot.objects if o.schema == schema and o.kind == "view"}
    same = {name.casefold(), stored_name(name, dialect).casefold()}
    for found, kind in snapshot.public.items():
        if found.casefold() in same and (found not in own or kind != "view"):
            raise RunError(
                Diagnostic(
                    f"the store already has a {kind} {schema}.{found} that this case did not make",
                    None,
                    "rename the case or the step, or move that object away; nothing was changed",
                )
            )
