"""Which builds can be used again, and which nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from miningflow.plan import Built
from miningflow.repository import StepRecord
from miningflow.store.snapshot import Snapshot

Index: TypeAlias = Mapping[tuple[str, str], Sequence[StepRecord]]
Reading: TypeAlias = tuple[StepRecord, int]
"""A build, and the run that read it."""


def built_before(snapshot: Snapshot) -> dict[str, list[Built]]:
    """Returns for the planner what is built of each step."""
    found: dict[str, list[Built]] = {}
    for record, usable in _judged(snapshot):
        found.setdefault(record.step, []).append(replace(record.built, usable=usable))
    return found


def usable_builds(snapshot: Snapshot) -> list[StepRecord]:
    """Returns the builds of a case whose results are in the store, with all that they read."""
    return [record for record, usable in _judged(snapshot) if usable]


def dead_builds(snapshot: Snapshot, kept: Iterable[StepRecord]) -> list[StepRecord]:
    """Finds the builds that are not kept, and that none of the kept ones was made from."""
    built = snapshot.built
    index = _index(r for r in snapshot.builds if r.object_name is None or r.object_name in built)
    seen: set[tuple[str, str, int, int]] = set()
    waiting: list[Reading] = [(record, record.run) for record in kept]
    while waiting:
        reading = waiting.pop()
        if _mark(reading) not in seen:
            seen.add(_mark(reading))
            waiting += _read_by(reading, index)
    alive = {(step, fingerprint, run) for step, fingerprint, run, _ in seen}
    return [r for r in snapshot.builds if (r.step, r.fingerprint, r.run) not in alive]


def _judged(snapshot: Snapshot) -> list[tuple[StepRecord, bool]]:
    index = _index(snapshot.builds)
    known: dict[tuple[str, str, int, int], bool] = {}
    return [(r, _usable((r, r.run), index, snapshot.built, known)) for r in snapshot.builds]


def _usable(
    reading: Reading,
    index: Index,
    there: Mapping[str, str],
    known: dict[tuple[str, str, int, int], bool],
) -> bool:
    mark, record = _mark(reading), reading[0]
    if mark not in known:
        made = record.object_name
        known[mark] = made is None or made in there
        if known[mark] and (made is None or there[made] == "view"):
            read = _read_by(reading, index)
            known[mark] = len(read) == len(record.built.recipe.inputs) and all(
                _usable(r, index, there, known) for r in read
            )
    return known[mark]


def _read_by(reading: Reading, index: Index) -> list[Reading]:
    """Returns the builds that a build reads: of each input the newest there was at the time.

    A step that was fused has no object; what it reads was read by the run that used it.
    """
    record, run = reading
    found: list[Reading] = []
    for mark in record.built.recipe.inputs.items():
        builds = [r for r in index.get(mark, ()) if r.run <= run]
        if builds:
            newest = max(builds, key=lambda r: r.run)
            found.append((newest, run if newest.object_name is None else newest.run))
    return found


def _index(records: Iterable[StepRecord]) -> Index:
    index: dict[tuple[str, str], list[StepRecord]] = {}
    for record in records:
        index.setdefault((record.step, record.fingerprint), []).append(record)
    return index


def _mark(reading: Reading) -> tuple[str, str, int, int]:
    record, run = reading
    return record.step, record.fingerprint, record.run, run
