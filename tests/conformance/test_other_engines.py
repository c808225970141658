"""What operators compute is the same on PostgreSQL and Spark as on DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from sqlglot import exp
from support import example_data
from support.catalogue import Changed, catalogue
from support.compared_stores import assert_equal
from support.example_case import ExampleCase
from support.joined_examples import tables
from support.postgres_server import Postgres
from support.postgres_stores import Database
from support.scoring import Engine
from support.spark_session import Spark
from support.spark_stores import Warehouse

from miningflow import pipeline
from miningflow.compile import Piece
from miningflow.project import LoadedCase
from miningflow.sql.dialect import made_anew, removed, render
from miningflow.sql.literal_table import values_select

# What examples do not show; a change to None takes a parameter out.
FURTHER: list[Changed] = [
    *(("DateToNumeric", {"part": part}) for part in ("month", "hour", "second", "weekday")),
    ("AssignStochasticValue", {"target": "income"}),
    ("AssignDefaultValue", {"target": "since", "default": "2020-01-31 12:00:00"}),
    ("RowSelectionByRandomSampling", {"how_many": 20}),
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
    ("ComputeSVMError", {"positive": None, "decision": None, "costs": None}),
    (
        "ComputeSVMError",
        {
            **dict.fromkeys(["positive", "decision"]),
            "input": "Customer",
            "actual": "age",
            "predicted": "household",
            "costs": {"too_low": 2, "too_high": 1},
        },
    ),
    ("ComputeSVMError", {"probability": "risk", "by": "risk_label"}),
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
    ("SupportVectorMachineForRegression", {"sample_weight": "household", "predictors": ["age"]}),
    (
        "PredictionWithDecisionTree",
        {"class_weight": {"yes": 5, "no": 1}, "sample_weight": "household", "predictors": ["age"]},
    ),
]


def _name(operator: str, changes: dict[str, Any]) -> str:
    words = " ".join(str(value) for value in changes.values() if isinstance(value, str))
    return f"{operator} {words or ', '.join(changes)}"


def whole_catalogue() -> ExampleCase:
    """Returns the examples of all operators, and further ones, as steps of one case."""
    return catalogue({_name(*changed): changed for changed in FURTHER})


STEPS = whole_catalogue().steps


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """Runs the examples of all these operators on DuckDB, as steps of one case."""
    case = whole_catalogue().load(tmp_path_factory.mktemp("engines"))
    case.run()
    return case


def test_it_learns_and_computes_the_same_in_a_store(
    case: LoadedCase, tmp_path: Path, database: Database
) -> None:
    stored = whole_catalogue().load(tmp_path, store=database.url)
    stored.run()
    for step in STEPS:
        found, expected = (c.table(step).to_pandas().astype(object) for c in (stored, case))
        assert list(found.columns) == list(expected.columns), step
        assert _rows(found) == _rows(expected), step


@pytest.mark.slow
def test_it_learns_and_computes_the_same_in_a_store_of_spark(
    case: LoadedCase, tmp_path: Path, warehouse: Warehouse
) -> None:
    stored = whole_catalogue().load(tmp_path, warehouse.master, "sqlite:///repository.db")
    stored.run()
    for step in STEPS:
        assert_equal(stored.table(step), case.table(step), step)


@pytest.fixture(scope="module")
def loaded(engine: Engine) -> Iterator[Engine]:
    """An engine with the rows that the examples speak of."""
    tables = {**example_data.tables(), **example_data.shop()}
    for name, table in tables.items():
        _load(engine, name, table)
    yield engine
    for name in tables:
        if isinstance(engine, Postgres):
            engine.execute(f'DROP VIEW "{name}"')
            engine.execute(f'DROP TABLE "loaded {name}"')
        else:
            assert isinstance(engine, Spark)
            engine.session.sql(f"DROP VIEW {name}")
            engine.session.sql(f"DROP VIEW `loaded {name}`")


def _load(engine: Engine, name: str, table: pa.Table) -> None:
    """Loads times as texts, and shows them as times."""
    times = [f.name for f in table.schema if pa.types.is_timestamp(f.type)]
    columns = {column: table.column(column).to_pylist() for column in table.column_names}
    columns |= {time: [moment.isoformat(" ") for moment in columns[time]] for time in times}
    frame = pd.DataFrame({n: pd.Series(v, dtype=_dtype(v)) for n, v in columns.items()})
    shown = ", ".join(f"CAST({n} AS TIMESTAMP) AS {n}" if n in times else n for n in columns)
    if isinstance(engine, Postgres):
        engine.load(frame, f"loaded {name}")
        engine.execute(f'CREATE VIEW "{name}" AS SELECT {shown} FROM "loaded {name}"')
    else:
        assert isinstance(engine, Spark)
        engine.load(frame, f"`loaded {name}`")
        engine.session.sql(f"CREATE TEMPORARY VIEW {name} AS SELECT {shown} FROM `loaded {name}`")


def _dtype(values: list[Any]) -> Any:
    return object if None in values else None


@pytest.fixture(scope="module")
def pieces(case: LoadedCase) -> dict[str, Piece]:
    return dict(pipeline.compile_case(case.bound, case.connection).pieces)


@pytest.fixture(scope="module")
def expected_rows(case: LoadedCase) -> dict[str, pd.DataFrame]:
    found = tables(case.bound.case.path.with_name("store.duckdb"), STEPS)
    return {step: table.to_pandas().astype(object) for step, table in found.items()}


@pytest.mark.parametrize("step", STEPS)
def test_it_computes_the_same(
    step: str,
    case: LoadedCase,
    pieces: dict[str, Piece],
    expected_rows: dict[str, pd.DataFrame],
    loaded: Engine,
) -> None:
    block = pieces[step].block
    before = [name for name in case.bound.steps[step].inputs if name in STEPS]
    made = {name: pieces[name].block.select(_named, loaded.dialect) for name in before}
    made |= {values.name: values_select(values, loaded.dialect) for values in block.values()}
    for name, query in made.items():
        for statement in made_anew(_named(name), query, loaded.dialect):
            _execute(loaded, statement)
    found = _fetched(loaded, render(block.select(_named, loaded.dialect), loaded.dialect))
    for name in made:
        _execute(loaded, removed(_named(name), loaded.dialect))
    expected = expected_rows[step]
    assert list(found.columns) == list(expected.columns)
    assert _rows(found) == _rows(expected)


def _named(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _execute(engine: Engine, statement: str) -> None:
    if isinstance(engine, Postgres):
        engine.execute(statement)
    else:
        assert isinstance(engine, Spark)
        engine.session.sql(statement)


def _fetched(engine: Engine, query: str) -> pd.DataFrame:
    if isinstance(engine, Postgres):
        return engine.rows(query)
    assert isinstance(engine, Spark)
    result = engine.session.sql(query)
    return pd.DataFrame([tuple(row) for row in result.collect()], columns=result.columns)


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    """Returns the rows in the order of their first column; numbers to ten digits, NULL as None."""
    rows = [[_plain(value) for value in row] for row in frame.itertuples(index=False)]
    return sorted(rows, key=lambda row: (repr(row[0]), repr(row)))


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    if not isinstance(value, float):
        return value
    # what is left of a difference of equal numbers depends on the order of sums
    return float(f"{value:.10g}") if abs(value) > 1e-15 else 0.0
