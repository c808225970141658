"""Estimates beside what is known of real results, so that one can judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from miningflow.declare.estimates import ConceptEstimate
from miningflow.declare.statistics import ConceptStatistics
from miningflow.plan import Plan
from miningflow.plan.estimating import estimate_case
from miningflow.resolve import BoundCase
from miningflow.run.statistics import known_statistics
from miningflow.run.store import Store


@dataclass(frozen=True)
class Estimated:
    """What is estimated of a concept, and what is known of it if it ran."""

    concept: str
    operator: str
    estimate: ConceptEstimate
    rows: int | None = None
    """The rows that it really has, if results that are up to date are there."""
    statistics: ConceptStatistics | None = None
    """What `stats` has stored of them."""

    def as_json(self) -> dict[str, Any]:
        """Gives the estimate as plain data for programs."""
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
        """Gives a number that `stats` has stored."""
        found = self.statistics.of(feature) if self.statistics else None
        return None if found is None else int(getattr(found, what))


def estimates(
    bound: BoundCase,
    plan: Plan,
    store: Store,
    sources: Mapping[str, ConceptStatistics],
    names: Sequence[str],
) -> list[Estimated]:
    """Estimates steps from statistics of sources, and finds what is known of them."""
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
