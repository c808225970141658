"""The concepts and steps that a verb is asked about, with an open store and a plan of the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from miningflow.pipeline import plan_on
from miningflow.plan import Plan
from miningflow.plan.selection import named
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import nodes
from miningflow.store.opening import Store, needed, open_store
from miningflow.store.snapshot import take_snapshot
from miningflow.store.sources import SourceLocation, locate_sources


@dataclass(frozen=True)
class PlannedConcepts:
    """Names of concepts and steps, and what is needed to look at their rows."""

    names: tuple[str, ...]
    plan: Plan
    store: Store
    locations: Mapping[str, SourceLocation]


@contextmanager
def planned_concepts(
    bound: BoundCase, connection: ConnectionText | None, names: Sequence[str], wait: float
) -> Iterator[PlannedConcepts]:
    """Opens the store, plans, and finds the concepts and steps of these names; none means all."""
    locations = locate_sources(bound, needed(bound.case, connection))
    with open_store(bound.case, connection, wait) as store:
        plan = plan_on(bound, store, take_snapshot(bound.name, store), locations)
        wanted = named(names, bound) if names else nodes(bound)
        yield PlannedConcepts(tuple(wanted), plan, store, locations)
