"""The builds of a case, and what was learned in them, for the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from miningflow.compile import StoredBuilds
from miningflow.plan import Built
from miningflow.repository import StepRecord
from miningflow.resolve import BoundStep

if TYPE_CHECKING:
    from miningflow.repository.repository import Repository


def stored_builds(
    case: str, repository: Repository | None, records: Iterable[StepRecord] | None = None
) -> StoredBuilds:
    """Returns what the repository knows of a case; artifacts are loaded only when asked for.

    `records` are the builds of the case, if they were read before.
    """
    if repository is None:
        return StoredBuilds()

    def load(step: BoundStep, build: Built) -> Any:
        mark = case, step.name, build.fingerprint, step.learns
        # a build that took over what an interrupted run had learned has no artifact of its run
        return repository.artifact(*mark, build.run) or repository.artifact(*mark)

    found = repository.builds(case) if records is None else records
    return StoredBuilds(tuple(record.built for record in found), load)
