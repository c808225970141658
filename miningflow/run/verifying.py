"""Verifying: a case runs on several stores, and what it made there is compared row by row."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from miningflow.compile import Names, Piece
from miningflow.declare.concept import Concept
from miningflow.errors import MiningFlowError, Mistake, RunError
from miningflow.plan import Plan
from miningflow.read import Case
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener
from miningflow.run.row_comparison import RowComparison, compare_rows, ordered_query
from miningflow.run.runner import run_plan
from miningflow.run.sources import SourceLocation
from miningflow.run.store import Store

PROGRAM = "miningflow verify"


@dataclass(frozen=True)
class Site:
    """A store on which a case is verified, and where its sources lie there."""

    store: Store
    locations: Mapping[str, SourceLocation]


@dataclass(frozen=True)
class StepComparison:
    """One concept or step on two stores."""

    name: str
    operator: str
    rows: RowComparison = field(default_factory=RowComparison)
    only_left: tuple[str, ...] = ()
    """Features that were deselected on the other store."""
    only_right: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Says whether nothing differs."""
        return not (self.rows.differing or self.only_left or self.only_right)

    def as_json(self) -> dict[str, Any]:
        """Gives the comparison as plain data for programs."""
        return {
            "name": self.name,
            "operator": self.operator,
            "equal": self.equal,
            "rows": self.rows.rows,
            "differing": self.rows.differing,
            "largest_difference": self.rows.largest,
            "first": [difference.as_json() for difference in self.rows.first],
            "only_left": list(self.only_left),
            "only_right": list(self.only_right),
        }


@dataclass(frozen=True)
class Verification:
    """What a case made on one store, compared with what it made on another."""

    case: str
    left: str
    right: str
    steps: tuple[StepComparison, ...]

    @property
    def equal(self) -> bool:
        """Says whether nothing differs."""
        return all(step.equal for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        """Gives the verification as plain data for programs."""
        shown = {"case": self.case, "left": self.left, "right": self.right, "equal": self.equal}
        return {**shown, "steps": [step.as_json() for step in self.steps]}


def renamed(case: Case) -> Case:
    """Gives a case another name, so that nothing of the case itself is touched."""
    return replace(case, name=replace(case.name, text=f"{case.name.text}_verify"))


def run_on(bound: BoundCase, plan: Plan, site: Site, listener: Listener) -> dict[str, Piece]:
    """Runs the case on one of the stores; files that it exports are forgotten."""
    listener(Event("note", bound.name, f"runs on {site.store.url}"))
    try:
        with tempfile.TemporaryDirectory(prefix="miningflow-verify-") as folder:
            _, pieces = run_plan(
                bound, plan, site.store, site.locations, Path(folder), listener, PROGRAM
            )
    except MiningFlowError as error:
        where = f"on {site.store.url}"
        raise RunError(
            *(replace(m, message=f"{where}: {m.message}") for m in error.mistakes)
        ) from error
    return pieces


def refuse_to_disturb(bound: BoundCase, store: Store) -> None:
    """Refuses a store in which a case of this name was run by somebody."""
    programs = {run["program"] for run in store.repository.runs(bound.name, most=1000)}
    if programs - {PROGRAM}:
        raise RunError(
            Mistake(
                f"{store.url} has a case {bound.name!r} already, and that name is what "
                "`verify` would use for a while",
                None,
                "verify on another store",
            )
        )


def compare_stores(
    bound: BoundCase,
    left: tuple[Store, Mapping[str, Piece]],
    right: tuple[Store, Mapping[str, Piece]],
    tolerance: float,
    listener: Listener,
) -> tuple[StepComparison, ...]:
    """Compares everything that can be read of a case on two stores."""
    names = Names(bound.name)
    shown = left[0].engine.objects(names.schema)
    found = []
    for name in (n for n in [*bound.sources, *bound.steps] if n in shown):
        listener(Event("started", name, "compares"))
        compared = _compared(name, bound, left, right, tolerance)
        found.append(compared)
        listener(Event("compared", name))
    return tuple(found)


def _compared(
    name: str,
    bound: BoundCase,
    left: tuple[Store, Mapping[str, Piece]],
    right: tuple[Store, Mapping[str, Piece]],
    tolerance: float,
) -> StepComparison:
    step = bound.steps.get(name)
    operator = type(step.operator).__name__ if step else "source"
    one, other = (side[1][name].presence.concept for side in (left, right))
    both = one.only(f for f in one.features if f in other.features)
    only = _beyond(one, other), _beyond(other, one)
    table = Names(bound.name).public(name)
    with left[0].engine.session() as first, right[0].engine.session() as second:
        compared = compare_rows(
            both,
            (first, ordered_query(both, table.copy(), left[0].engine.dialect)),
            (second, ordered_query(both, table.copy(), right[0].engine.dialect)),
            tolerance,
        )
    return StepComparison(name, operator, compared, *only)


def _beyond(one: Concept, other: Concept) -> tuple[str, ...]:
    return tuple(name for name in one.features if name not in other.features)
