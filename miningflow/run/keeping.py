"""Which builds can be used again, and which nothing needs any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from miningflow.compile import Names
from miningflow.plan import Built
from miningflow.repository import StepRecord
from miningflow.run.catalog import objects_of
from miningflow.run.store import Store

Index: TypeAlias = Mapping[tuple[str, str], Sequence[StepRecord]]
Reading: TypeAlias = tuple[StepRecord, int]
"""A build, and the run that read it."""

_OF_A_STEP = re.compile(r"__\d+$")
_SAME = "~"


def built_before(case: str, store: Store) -> dict[str, list[Built]]:
    """Tells the planner what is built of each step."""
    found: dict[str, list[Built]] = {}
    for record, usable in _judged(case, store):
        found.setdefault(record.step, []).append(replace(record.built, usable=usable))
    return found


def usable_builds(case: str, store: Store) -> list[StepRecord]:
    """Gives the builds of a case whose results are in the store, with all that they read."""
    return [record for record, usable in _judged(case, store) if usable]


def dead_builds(
    records: Sequence[StepRecord], kept: Iterable[StepRecord], there: Collection[str]
) -> list[StepRecord]:
    """Finds the builds that are not kept, and that none of the kept ones was made from."""
    index = _index([r for r in records if r.object_name is None or r.object_name in there])
    seen: set[tuple[str, str, int, int]] = set()
    waiting: list[Reading] = [(record, record.run) for record in kept]
    while waiting:
        reading = waiting.pop()
        if _mark(reading) not in seen:
            seen.add(_mark(reading))
            waiting += _read_by(reading, index)
    alive = {(step, fingerprint, run) for step, fingerprint, run, _ in seen}
    return [r for r in records if (r.step, r.fingerprint, r.run) not in alive]


def values_object(owner: str, values: str) -> str:
    """Names the table of some values, such as support vectors, that an object of a run reads.

    The name of the step stands in both; it is written once, since some databases know no long ones.
    """
    step = _OF_A_STEP.sub("", owner)
    return f"{owner}: {_SAME + values.removeprefix(step) if values.startswith(step) else values}"


def values_of(owner: str, object_name: str) -> str | None:
    """Gives the name of the values that an object holds for another, if it does.

    Objects of steps end in the number of a run; so a step may have any name.
    """
    if object_name.startswith(f"{owner}: ") and not _OF_A_STEP.search(object_name):
        values = object_name.removeprefix(f"{owner}: ")
        same = values.startswith(_SAME)
        return _OF_A_STEP.sub("", owner) + values.removeprefix(_SAME) if same else values
    return None


def function_entry(name: str) -> str:
    """Names a function in the trash index, where a view may have the same name."""
    return f"{name}()"


def function_name(entry: str) -> str:
    """Gives the function of an entry of the trash index."""
    return entry.removesuffix("()")


def belongs(object_name: str, owners: Collection[str | None]) -> bool:
    """Says whether an object is one of the owners, or holds values of one."""
    return object_name in owners or any(
        values_of(owner, object_name) is not None for owner in owners if owner
    )


def _judged(case: str, store: Store) -> list[tuple[StepRecord, bool]]:
    records = store.repository.builds(case)
    there = objects_of(case, store, Names(case).built_schema)
    index = _index(records)
    known: dict[tuple[str, str, int, int], bool] = {}
    return [(r, _usable((r, r.run), index, there, known)) for r in records]


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
    """Gives the builds that a build reads: of each input the newest there was at the time.

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
