"""How often does `init --from` type a column as a person would?

    python -m benchmarks.start.types [--only NAME] [--wrong]

The labels are in labels.yml. A key counts as right if it is the labelled one, or if there is none
and `init` finds none. Tables of packages that are not installed, and those of ../shared/data where
it is not, are skipped.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import miningflow
from benchmarks.start.tables import Absent, Labelled, labelled_tables, written


@dataclass(frozen=True)
class Typed:
    """How the columns of one table were typed."""

    table: Labelled
    columns: int
    wrong: tuple[str, ...]
    key: str | None
    seconds: float

    @property
    def is_key_right(self) -> bool:
        """Returns whether the key is the labelled one."""
        return self.key == self.table.key


def measure(table: Labelled) -> Typed:
    """Drafts a case from one table, and compares it with the labels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = written(table, folder)
        began = time.perf_counter()
        started = miningflow.start(file, folder / "case")
        seconds = time.perf_counter() - began
    keys = [each.column for each in started.findings if each.why == "unique, never missing"]
    wrong = tuple(
        f"{each.column or '(no name)'}: {each.type} instead of {' or '.join(right)} ({each.why})"
        for each in started.findings
        if each.type not in (right := table.right(each.column))
    )
    key = keys[0] if keys else None
    return Typed(table, len(started.findings), wrong, key, seconds)


def main() -> None:
    """Measures all tables, and prints a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--wrong", action="store_true", help="list the columns that are wrong")
    asked = parser.parse_args()
    found: list[Typed] = []
    print("| table | columns | typed right | key | seconds |\n| --- | --- | --- | --- | --- |")
    for table in labelled_tables():
        if asked.only and asked.only not in (table.name, table.part):
            continue
        try:
            one = measure(table)
        except Absent as error:
            print(f"skipped {error}")
            continue
        found.append(one)
        right = one.columns - len(one.wrong)
        key = "right" if one.is_key_right else f"{one.key} instead of {table.key}"
        print(f"| {table.name} | {one.columns} | {right} | {key} | {one.seconds:.1f} |", flush=True)
        for said in one.wrong[:12] if asked.wrong else ():
            print(f"    {said}")
    for part in ("seen", "fresh"):
        _summary(part, [one for one in found if one.table.part == part])


def _summary(part: str, found: Sequence[Typed]) -> None:
    if not found:
        return
    columns = sum(one.columns for one in found)
    wrong = sum(len(one.wrong) for one in found)
    mean = sum(1 - len(one.wrong) / one.columns for one in found) / len(found)
    narrow = [one for one in found if one.columns <= 100]
    few = sum(one.columns for one in narrow)
    few_wrong = sum(len(one.wrong) for one in narrow)
    named = sum(one.key is not None for one in found)
    right = sum(one.key is not None and one.is_key_right for one in found)
    wanted = sum(one.table.key is not None for one in found)
    print(
        f"\n{part}: {len(found)} tables; of {columns:,} columns {1 - wrong / columns:.1%} are "
        f"typed right, of the {few} in tables of at most 100 columns {1 - few_wrong / few:.1%}; "
        f"mean over tables {mean:.1%}; {right} of {wanted} keys found, {named - right} invented"
    )


if __name__ == "__main__":
    main()
