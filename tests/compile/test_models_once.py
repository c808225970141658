"""A model is computed once for a row: as plans and counted calls show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from duckdb.func import PythonUDFType
from duckdb.sqltypes import DOUBLE
from support.postgres_stores import Database
from support.small_case import Rows, load, rows

import miningflow
from miningflow import pipeline
from miningflow.compile import score_script
from miningflow.compile.names import table
from miningflow.plan import layout
from miningflow.project import LoadedCase
from miningflow.sql.dialect import render

STEPS: dict[str, Any] = {
    "scored": {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "y",
        "positive": "yes",
        "kernel": "linear",
        "predictors": ["a", "b"],
        "output": "risk",
        "probability": "p",
    },
    "bands": {
        "operator": "EquidistantDiscretizationGivenNoOfIntervals",
        "input": "scored",
        "target": "p",
        "intervals": 6,
        "output": "band",
    },
    "sure": {"operator": "RowSelectionByQuery", "input": "bands", "where": "p > 0.1 and p < 0.95"},
    "statistics": {
        "operator": "SpecifiedStatistics",
        "input": "sure",
        "group_by": ["band"],
        "sum": ["p"],
        "rows": "n",
    },
    "second": {
        "operator": "SupportVectorMachineForClassification",
        "input": "sure",
        "target": "y",
        "positive": "yes",
        "kernel": "linear",
        "predictors": ["a", "p", "band"],
        "output": "late",
    },
}
_ROWS = 80


def _rows() -> Rows:
    random = np.random.default_rng(11)
    a, b, noise = random.normal(size=(3, _ROWS))
    y = np.where(a + b + noise > 0, "yes", "no")
    columns: dict[str, Any] = {"id": range(_ROWS), "a": a, "b": b, "y": y}
    return rows("id", {"id": "key", "a": "numeric", "b": "numeric", "y": "binary"}, columns)


class _Ran:
    """A case that ran, and what its engine computes for a query."""

    dialect: str

    def __init__(self, case: LoadedCase) -> None:
        self.case = case
        self.pieces = pipeline.compile_case(case.bound, case.connection).pieces

    def plan(self, query: str) -> str:
        """Returns the plan of a query."""
        raise NotImplementedError

    def evaluations(self, query: str) -> float:
        """Counts how often a query over T computes the machine of `scored` for a row."""
        raise NotImplementedError

    def printed(self, step: str) -> str:
        """Returns the SELECT of a step over the names of concepts and steps."""
        select = self.pieces[step].block.select(table, self.dialect)
        return render(select, self.dialect)

    def stacked(self, *steps: str) -> str:
        """Returns the steps as views one above the other."""
        return "\n".join(f"CREATE TEMP VIEW {s} AS {self.printed(s)};" for s in steps)

    def scoring(self) -> str:
        """Returns score.sql up to the second machine."""
        script = score_script(self.case.bound, self.pieces, "second")
        return script.sql(self.dialect)


class _OnDuckDB(_Ran):
    dialect = "duckdb"

    def plan(self, query: str) -> str:
        with duckdb.connect(self.case.path.parent / "store.duckdb", read_only=True) as connection:
            return str(connection.execute(f"EXPLAIN (FORMAT JSON) {query}").fetchall())

    def evaluations(self, query: str) -> float:
        """Counts by a function that each computation calls, since plans show names only."""
        computed = 0

        def counted(values: pa.ChunkedArray) -> pa.ChunkedArray:
            nonlocal computed
            computed += len(values)
            return values

        with duckdb.connect() as connection:
            connection.create_function(
                "counted", counted, [DOUBLE], DOUBLE, type=PythonUDFType.ARROW
            )
            connection.register("given", _rows().table)
            connection.execute("CREATE TEMP TABLE raw AS FROM given")
            connection.execute(
                'CREATE TEMP VIEW "T" AS SELECT * REPLACE (counted(b) AS b) FROM raw'
            )
            connection.execute(query).fetchall()
        return computed / _ROWS


class _OnPostgres(_Ran):
    dialect = "postgres"

    def __init__(self, case: LoadedCase, database: Database) -> None:
        super().__init__(case)
        self.database = database

    def plan(self, query: str) -> str:
        *before, last = query.rstrip().rstrip(";").split(";\n")
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            connection.execute("SET search_path TO small_results")
            for statement in before:
                connection.execute(statement.encode())
            found = connection.execute(f"EXPLAIN (VERBOSE) {last}".encode()).fetchall()
        return "\n".join(line for (line,) in found)

    def evaluations(self, query: str) -> float:
        """Counts a weight and the sigmoid in the plan, which shows what is computed where."""
        (weight,) = re.findall(r'(\d\.\d{9,})[^*"]*\*[^*"]*"b"', self.printed("scored"))
        plan = self.plan(query)
        return max(plan.count(weight[:9]), plan.count("exp("))


@pytest.fixture(params=["duckdb", "postgres"])
def ran(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Runs the steps, as they are or changed, and returns what the engine makes of them."""

    def run(**changed: str) -> _Ran:
        steps = {**STEPS, "scored": {**STEPS["scored"], **changed}}
        case = load(tmp_path, {"T": _rows()}, steps)
        if request.param == "duckdb":
            case.run()
            return _OnDuckDB(case)
        database = request.getfixturevalue("database")
        content = json.loads(case.path.read_text(encoding="utf-8"))
        content["connect"]["store"] = database.url
        case.path.write_text(json.dumps(content), encoding="utf-8")
        case = miningflow.load(case.path, connect=case.path)
        case.run()
        return _OnPostgres(case, database)

    yield run


def test_later_steps_read_what_a_model_predicted(ran: Any) -> None:
    found = ran()
    builds = layout(found.case.bound)
    assert [builds["scored"], builds["second"]] == ["table", "table"]
    assert "T__" in found.plan('SELECT * FROM small_results."T"')
    for step in ("bands", "sure", "statistics", "second"):
        assert "T__" not in found.plan(f'SELECT * FROM small_results."{step}"'), step
    first = "SELECT * FROM small_results.bands WHERE p > 0.5 ORDER BY band, p LIMIT 5"
    assert "T__" not in found.plan(first)


def test_a_model_is_computed_once_in_its_select_and_in_score_sql(ran: Any) -> None:
    found = ran()
    assert found.evaluations(found.printed("scored")) == 1
    assert found.evaluations(found.scoring()) == 1


def test_a_view_that_the_case_asks_for_computes_the_model_once(ran: Any) -> None:
    found = ran(materialize="view")
    assert layout(found.case.bound)["scored"] == "view"
    views = found.stacked("scored", "bands")
    assert found.evaluations(f"{views}\nSELECT * FROM bands") == 1
    counted = "SELECT band, count(*), sum(p) FROM bands GROUP BY band"
    assert found.evaluations(f"{views}\n{counted}") == 1
