"""`stats`: statistics of concepts and steps, computed in the database and kept there."""

from __future__ import annotations

from collections.abc import Sequence

from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.run.events import Listener, silent
from miningflow.verbs.planned_concepts import planned_concepts
from miningflow.verbs.stats.case_statistics import CaseStatistics
from miningflow.verbs.stats.computing import concept_statistics

__all__ = ["CaseStatistics", "stats"]


def stats(
    bound: BoundCase,
    connection: ConnectionText | None,
    names: Sequence[str] = (),
    learned: bool = False,
    anew: bool = False,
    listener: Listener = silent,
    wait: float = 0.0,
) -> CaseStatistics:
    """Computes statistics of concepts and steps in the database, and stores them there.

    Stored statistics are returned as long as they describe the same rows, unless `anew`. With
    `learned`, they are those of the rows that are not held out.
    """
    with planned_concepts(bound, connection, names, wait) as on:
        found = concept_statistics(bound, on.plan, on.store, on.locations, on.names, listener, anew)
    return CaseStatistics(tuple(found), learned)
