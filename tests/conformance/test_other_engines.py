"""What operators compute without a model is the same on PostgreSQL and Spark."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import example_data
import pandas as pd
import pyarrow as pa
import pytest
from example_case import OPERATORS, example_of
from postgres_server import Postgres
from scoring import Engine
from spark_session import Spark
from sqlglot import exp

from miningflow import pipeline
from miningflow.catalog import installed
from miningflow.project import CaseProject
from miningflow.sql.dialect import render

# What examples do not show; a change to None takes a parameter out.
FURTHER: list[tuple[str, dict[str, Any]]] = [
    *(("DateToNumeric", {"part": part}) for part in ("month", "hour", "second", "weekday")),
    ("AssignStochasticValue", {"target": "income"}),
    ("AssignDefaultValue", {"target": "since", "default": "2020-01-31 12:00:00"}),
    ("RowSelectionByUnbiasing", {"how_many": None}),
    ("RowSelectionByUnbiasing", {"how_many": None, "counts": {"yes": 7, "no": 3}}),
    ("RemoveDuplicates", {"targets": ["region"]}),
    ("JoinByKey", {"keys": ["Customer.region", "Rating.grade"]}),
    (
        "UnionByKey",
        {
            "concepts": ["Customer", "Rating", "Scored"],
            "rename": {"Rating.income": "rated", "Scored.lapsed": "scored_lapsed"},
        },
    ),
    (
        "AggregateByRelation",
        {"relation": "bought", "aggregates": {"n": "count()", "dearest": "max(price)"}},
    ),
    (
        "MultiRelationalFeatureConstruction",
        {
            "input": "Customer",
            "relations": ["bought"],
            "features": {"Product.price": "price"},
            "rows": "multiply",
        },
    ),
    ("SpecifiedStatistics", {"group_by": None}),
    (
        "Pivotize",
        {
            "input": "Customer",
            "index": {"household": [1, 2]},
            "values": ["since", "region"],
            "aggregate": "max",
            "empty": None,
            "group_by": ["lapsed"],
        },
    ),
    ("Pivotize", {"aggregate": "avg", "group_by": None}),
    ("Pivotize", {"aggregate": "count", "empty": None}),
    ("ReversePivotize", {"empty": "drop"}),
    (
        "ReversePivotize",
        {"columns": {"income": 1, "household": 2}, "index_type": "numeric", "value": "number"},
    ),
]
FAMILIES = ("rows", "construction", "joining", "aggregation")


def _steps() -> dict[str, dict[str, Any]]:
    """Gives the examples of operators that apply no model, and further ones."""
    chosen = [o for o in OPERATORS if o.family in FAMILIES]
    steps = {o.__name__: example_of(o).body for o in chosen}
    for operator, changes in FURTHER:
        words = " ".join(str(value) for value in changes.values() if isinstance(value, str))
        name = f"{operator} {words or ', '.join(changes)}"
        steps[name] = example_of(installed()[operator], changes).body
    return steps


STEPS = _steps()
TABLES = {**example_data.tables(), **example_data.shop()}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> CaseProject:
    """Runs the examples of all these operators on DuckDB, as steps of one case."""
    whole = example_of(OPERATORS[0])
    whole.steps = STEPS
    case = whole.load(tmp_path_factory.mktemp("engines"))
    case.run()
    return case


@contextmanager
def _loaded(engine: Engine, names: Collection[str]) -> Iterator[None]:
    """Gives an engine the rows of some concepts that the examples speak of."""
    for name in names:
        table = TABLES[name]
        columns = {c: table.column(c).to_pylist() for c in table.column_names}
        times = [c for c in columns if pa.types.is_temporal(table.schema.field(c).type)]
        for time in times:
            columns[time] = [moment.isoformat(" ") for moment in columns[time]]
        frame = pd.DataFrame({c: pd.Series(v, dtype=_dtype(v)) for c, v in columns.items()})
        chosen = ", ".join(f"CAST({c} AS TIMESTAMP) AS {c}" if c in times else c for c in columns)
        if isinstance(engine, Postgres):
            engine.load(frame, f"{name} loaded")
            engine.execute(f'CREATE VIEW "{name}" AS SELECT {chosen} FROM "{name} loaded"')
        else:
            assert isinstance(engine, Spark)
            engine.load(frame, f"{name}_loaded")
            query = f"SELECT {chosen} FROM {name}_loaded"
            engine.session.sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    yield
    for name in names:
        if isinstance(engine, Postgres):
            engine.execute(f'DROP VIEW "{name}"')
            engine.execute(f'DROP TABLE "{name} loaded"')
        else:
            assert isinstance(engine, Spark)
            engine.session.sql(f"DROP VIEW {name}")
            engine.session.sql(f"DROP VIEW {name}_loaded")


def _dtype(values: list[Any]) -> Any:
    return object if None in values else None


@pytest.mark.parametrize("step", STEPS)
def test_it_computes_the_same(step: str, case: CaseProject, engine: Engine) -> None:
    block = pipeline.compile_case(case.project).pieces[step].block
    select = block.select(lambda name: exp.Table(this=exp.to_identifier(name)), engine.dialect)
    with _loaded(engine, case.project.bound.steps[step].inputs):
        found = _fetched(engine, render(select, engine.dialect))
    expected = case.table(step).to_pandas().astype(object)
    assert list(found.columns) == list(expected.columns)
    assert _rows(found) == _rows(expected)


def _fetched(engine: Engine, query: str) -> pd.DataFrame:
    if isinstance(engine, Postgres):
        return engine.rows(query)
    assert isinstance(engine, Spark)
    result = engine.session.sql(query)
    return pd.DataFrame([tuple(row) for row in result.collect()], columns=result.columns)


def _rows(frame: pd.DataFrame) -> list[str]:
    """Gives the rows in an order of their own; numbers to twelve digits, NULL as None."""
    return sorted(repr([_plain(value) for value in row]) for row in frame.itertuples(index=False))


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    if isinstance(value, int | float):
        return float(f"{value:.12g}")
    return pd.Timestamp(value) if isinstance(value, datetime) else value
