"""Runs a case on a store, and compares its results on two stores row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from miningflow.compile import Names, Piece
from miningflow.declare.concept import Concept
from miningflow.errors import Diagnostic, EngineError, MiningFlowError, RunError
from miningflow.html.page import FrameHtml
from miningflow.plan import Plan
from miningflow.repository import RunOrigin
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener
from miningflow.run.exporting import Exports
from miningflow.run.runner import run_plan
from miningflow.store.opening import Store
from miningflow.store.snapshot import Snapshot
from miningflow.store.sources import SourceLocation
from miningflow.verbs.verify.row_comparison import RowComparison, compare_rows, ordered_query

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Site:
    """A store on which a case is verified, and where its sources are there."""

    store: Store
    snapshot: Snapshot
    locations: Mapping[str, SourceLocation]
    exports: Exports


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
        """Returns whether nothing differs."""
        return not (self.rows.differing or self.only_left or self.only_right)

    def as_json(self) -> dict[str, Any]:
        """Returns the comparison as plain data for programs."""
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
class Verification(FrameHtml):
    """What a case made on one store, compared with what it made on another."""

    case: str
    left: str
    right: str
    steps: tuple[StepComparison, ...]

    @property
    def equal(self) -> bool:
        """Returns whether nothing differs."""
        return all(step.equal for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        """Returns the verification as plain data for programs."""
        shown = {"case": self.case, "left": self.left, "right": self.right, "equal": self.equal}
        return {**shown, "steps": [step.as_json() for step in self.steps]}

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each concept and step: is it equal, and how many rows differ."""
        import pandas as pd

        columns = ["name", "operator", "equal", "rows", "differing", "largest_difference"]
        return pd.DataFrame([step.as_json() for step in self.steps], columns=columns)


def renamed(bound: BoundCase) -> BoundCase:
    """Renames a case, so that nothing of the case itself is touched."""
    name = f"{bound.name}_verify"
    case = replace(bound.case, name=replace(bound.case.name, text=name))
    return replace(bound, name=name, case=case)


def run_on(bound: BoundCase, plan: Plan, site: Site, listener: Listener) -> dict[str, Piece]:
    """Runs the case on one of the stores; files that it exports are discarded."""
    listener(Event("note", bound.name, f"runs on {site.store.url}"))
    try:
        _, pieces = run_plan(
            bound,
            plan,
            site.store,
            site.snapshot,
            site.locations,
            site.exports,
            listener,
            RunOrigin("verify"),
        )
    except MiningFlowError as error:
        where = f"on {site.store.url}"
        raise RunError(
            *(replace(m, message=f"{where}: {m.message}") for m in error.diagnostics)
        ) from error
    return pieces


def refuse_to_disturb(bound: BoundCase, store: Store) -> None:
    """Refuses a store in which somebody else's case has this name."""
    runs = store.repository.runs(bound.name, most=1000)
    if any(run.origin.kind != "verify" for run in runs):
        raise RunError(
            Diagnostic(
                f"{store.url} already has a case {bound.name!r}, a name that `verify` would "
                "use temporarily",
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
        try:
            compared = _compared(name, bound, left, right, tolerance)
        except EngineError as error:  # a view is computed only when it is read
            place = bound.steps[name].place() if name in bound.steps else None
            said = [
                replace(m, message=f"{name!r}: {m.message}", place=place) for m in error.diagnostics
            ]
            raise RunError(*said) from error
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
