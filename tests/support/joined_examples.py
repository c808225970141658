"""Examples of many operators as steps of few cases: one run and one store for all of a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import duckdb
import pyarrow as pa
import pytest

from miningflow.declare import Operator
from miningflow.project import LoadedCase
from support.example_case import ExampleCase


@dataclass(frozen=True)
class Ran:
    """An example, and the case in whose store it ran."""

    example: ExampleCase
    case: LoadedCase
    folder: Path

    def table(self, step: str | None = None) -> pa.Table:
        """Reads what a step made, the example step unless another is named."""
        return table(self.folder / "store.duckdb", step or self.example.step)


def table(store: Path, step: str) -> pa.Table:
    """Reads a result in the plain DuckDB client."""
    return tables(store, [step])[step]


def tables(store: Path, steps: Iterable[str]) -> dict[str, pa.Table]:
    """Reads results in the plain DuckDB client, which is opened once."""
    with duckdb.connect(str(store), read_only=True) as connection:
        return {
            step: connection.sql(
                'SELECT * FROM "example_results"."{}"'.format(step.replace('"', '""'))
            ).to_arrow_table()
            for step in steps
        }


def chosen(request: pytest.FixtureRequest) -> list[type[Operator]]:
    """Lists the operators that the tests of this file will ask for, in this run and process."""
    found = [
        item.callspec.params["operator"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.path == request.path
        and hasattr(item, "callspec")
        and "operator" in item.callspec.params
    ]
    return cast(list[type[Operator]], list(dict.fromkeys(found)))


def joined(examples: Iterable[ExampleCase]) -> list[tuple[ExampleCase, list[ExampleCase]]]:
    """Puts examples over the same concepts and rows together, in cases of about equal size.

    Each keeps the names of its steps, so those with a name in common go to different cases.
    """
    given = list(examples)
    clashes = [sum(other.step == one.step for other in given) for one in given]
    groups: list[list[ExampleCase]] = [[] for _ in range(max(clashes, default=0))]
    for _, example in sorted(
        zip(clashes, given, strict=True), key=lambda pair: pair[0], reverse=True
    ):
        fitting = [group for group in groups if _fits(example, group)]
        if not fitting:
            fitting = [[]]
            groups += fitting
        min(fitting, key=len).append(example)
    return [(_one_case(group), group) for group in groups if group]


def _fits(example: ExampleCase, group: list[ExampleCase]) -> bool:
    return all(example.steps.keys().isdisjoint(other.steps) for other in group)


def _one_case(group: list[ExampleCase]) -> ExampleCase:
    steps = {name: body for example in group for name, body in example.steps.items()}
    return replace(group[0], steps=steps)


def run_joined(examples: Iterable[ExampleCase], new_folder: Callable[[], Path]) -> dict[str, Ran]:
    """Runs examples in as few cases as their names allow; returns each by its operator's name."""
    ran: dict[str, Ran] = {}
    for whole, group in joined(examples):
        folder = new_folder()
        case = whole.load(folder)
        case.run()
        ran |= {e.operator.__name__: Ran(e, case, folder) for e in group}
    return ran
