"""`stats --estimate`: estimates of steps, beside what is known of real results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miningflow.declare.concept_statistics import ConceptStatistics
from miningflow.declare.estimates import Amount, ConceptEstimate
from miningflow.html.page import FrameHtml
from miningflow.plan import Plan
from miningflow.plan.estimating import estimate_case
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.run.events import Listener, silent
from miningflow.store.opening import Store
from miningflow.verbs.planned_concepts import planned_concepts
from miningflow.verbs.stats.computing import concept_statistics, known_statistics

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Estimated(FrameHtml):
    """The estimate of a concept, and what is known of it if it has run."""

    concept: str
    operator: str
    estimate: ConceptEstimate
    rows: int | None = None
    """The real number of rows, if its results are up to date."""
    statistics: ConceptStatistics | None = None
    """Stored statistics of its rows."""

    def as_json(self) -> dict[str, Any]:
        """Returns the estimate as plain data for programs."""
        return {
            "concept": self.concept,
            "operator": self.operator,
            "rows": {**self.estimate.rows.as_json(), "real": self.rows},
            "features": {
                name: {
                    "missing": {**f.missing.as_json(), "real": self.real(name, "missing")},
                    "distinct": {**f.distinct.as_json(), "real": self.real(name, "distinct")},
                    "may_be_deselected": f.may_go,
                }
                for name, f in self.estimate.features.items()
            },
        }

    def real(self, feature: str, what: str) -> int | None:
        """Returns a number that `stats` has stored."""
        found = self.statistics.of(feature) if self.statistics else None
        return None if found is None else int(getattr(found, what))

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each feature: estimates, their bounds and what is known."""
        import pandas as pd

        rows = {
            name: {
                **_numbers("missing", f.missing, self.real(name, "missing")),
                **_numbers("distinct", f.distinct, self.real(name, "distinct")),
                "may_be_deselected": f.may_go,
            }
            for name, f in self.estimate.features.items()
        }
        counts = {name: "Int64" for what in ("missing", "distinct") for name in _numbers(what)}
        columns = [*counts, "may_be_deselected"]
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(counts)
        return frame.rename_axis("feature").reset_index()


@dataclass(frozen=True, eq=False)  # equal as mappings are
class CaseEstimates(Mapping[str, Estimated], FrameHtml):
    """Concept or step → its estimate."""

    found: tuple[Estimated, ...]

    def __getitem__(self, name: str) -> Estimated:
        return {e.concept: e for e in self.found}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(e.concept for e in self.found)

    def __len__(self) -> int:
        return len(self.found)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each concept or step: estimated rows, their bounds and real rows."""
        import pandas as pd

        rows = [
            {
                "concept": e.concept,
                "operator": e.operator,
                **_numbers("rows", e.estimate.rows, e.rows),
            }
            for e in self.found
        ]
        counts = dict.fromkeys(_numbers("rows"), "Int64")
        return pd.DataFrame(rows, columns=["concept", "operator", *counts]).astype(counts)


def _numbers(
    what: str, amount: Amount | None = None, real: int | None = None
) -> dict[str, int | None]:
    """Names the columns of an amount, and rounds its numbers."""
    found = amount or Amount()
    numbers = {"": found.likely, "_low": found.low, "_high": found.high, "_real": real}
    return {f"{what}{n}": None if v is None else round(v) for n, v in numbers.items()}


def estimate(
    bound: BoundCase,
    connection: ConnectionText | None,
    names: Sequence[str] = (),
    listener: Listener = silent,
    wait: float = 0.0,
) -> CaseEstimates:
    """Estimates rows, missing and distinct values of steps from statistics of the sources.

    No step runs; sources are read only if there are no statistics of them yet.
    """
    with planned_concepts(bound, connection, names, wait) as on:
        sources = list(bound.sources)
        found = concept_statistics(bound, on.plan, on.store, on.locations, sources, listener)
        known = {f.concept: f.statistics["all"] for f in found if f.statistics}
        return CaseEstimates(tuple(estimates(bound, on.plan, on.store, known, on.names)))


def estimates(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    sources: Mapping[str, ConceptStatistics],
    names: Sequence[str],
) -> list[Estimated]:
    """Estimates steps from statistics of sources, and looks up what is known of them."""
    made = estimate_case(bound, sources)
    stored = store.repository.statistics(bound.name)
    counts = {(r.step, r.fingerprint): r.rows for r in store.repository.builds(bound.name)}
    found: list[Estimated] = []
    for name in names:
        if name not in made:
            continue
        stage = plan.stage(name)
        real = known_statistics(stored, stage).get("all")
        rows = counts.get((name, stage.fingerprint)) if stage.action == "reuse" else None
        if real is not None:
            rows = real.rows
        found.append(Estimated(name, stage.operator, made[name], rows, real))
    return found
