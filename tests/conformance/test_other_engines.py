"""What operators on rows and single features compute is the same on PostgreSQL and Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import example_data
import pandas as pd
import pytest
from example_case import OPERATORS, example_of
from postgres_server import Postgres
from scoring import Engine
from spark_session import Spark
from sqlglot import exp

from miningflow import pipeline
from miningflow.catalog import installed
from miningflow.declare import Operator
from miningflow.project import CaseProject
from miningflow.sql.block import values_select
from miningflow.sql.dialect import made_anew, removed, render

# What examples do not show; a change to None takes a parameter out.
FURTHER: list[tuple[str, dict[str, Any]]] = [
    *(("DateToNumeric", {"part": part}) for part in ("month", "hour", "second", "weekday")),
    ("AssignStochasticValue", {"target": "income"}),
    ("AssignDefaultValue", {"target": "since", "default": "2020-01-31 12:00:00"}),
    ("RowSelectionByUnbiasing", {"how_many": None}),
    ("RowSelectionByUnbiasing", {"how_many": None, "counts": {"yes": 7, "no": 3}}),
    ("RemoveDuplicates", {"targets": ["region"]}),
]


def _steps() -> dict[str, dict[str, Any]]:
    """Gives the examples of operators on rows and single features, and further ones."""
    chosen = [o for o in OPERATORS if o.family in ("rows", "construction", "series")]
    chosen += [o for o in OPERATORS if "Decision" in o.__name__]
    steps = {o.__name__: example_of(o).body for o in chosen}
    for operator, changes in FURTHER:
        words = " ".join(str(value) for value in changes.values() if isinstance(value, str))
        name = f"{operator} {words or ', '.join(changes)}"
        steps[name] = example_of(installed()[operator], changes).body
    return steps


STEPS = _steps()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> CaseProject:
    """Runs the examples of all these operators on DuckDB, as steps of one case."""
    whole = example_of(OPERATORS[0])
    whole.steps = STEPS
    case = whole.load(tmp_path_factory.mktemp("engines"))
    case.run()
    return case


@pytest.fixture
def customers(engine: Engine) -> Iterator[Engine]:
    """An engine with the rows that the examples speak of."""
    table = example_data.tables()["Customer"]
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    columns["since"] = [moment.isoformat(" ") for moment in columns["since"]]
    frame = pd.DataFrame({name: pd.Series(v, dtype=_dtype(v)) for name, v in columns.items()})
    chosen = ", ".join("CAST(since AS TIMESTAMP) AS since" if n == "since" else n for n in columns)
    if isinstance(engine, Postgres):
        engine.load(frame, "loaded")
        engine.execute(f'CREATE VIEW "Customer" AS SELECT {chosen} FROM loaded')
        yield engine
        engine.execute('DROP VIEW "Customer"')
        engine.execute("DROP TABLE loaded")
    else:
        assert isinstance(engine, Spark)
        engine.load(frame, "loaded")
        engine.session.sql(f"CREATE TEMPORARY VIEW Customer AS SELECT {chosen} FROM loaded")
        yield engine
        engine.session.sql("DROP VIEW Customer")
        engine.session.sql("DROP VIEW loaded")


def _dtype(values: list[Any]) -> Any:
    return object if None in values else None


@pytest.mark.parametrize("step", STEPS)
def test_it_computes_the_same(step: str, case: CaseProject, customers: Engine) -> None:
    block = pipeline.compile_case(case.project).pieces[step].block
    select = block.select(lambda name: exp.Table(this=exp.to_identifier(name)), customers.dialect)
    found = _fetched(customers, render(select, customers.dialect))
    expected = case.table(step).to_pandas().astype(object)
    assert list(found.columns) == list(expected.columns)
    assert _rows(found) == _rows(expected)


PATTERNS = [o for o in OPERATORS if o.family == "patterns"]


@pytest.mark.parametrize("operator", PATTERNS, ids=lambda o: o.__name__)
def test_what_was_found_reads_the_same(
    operator: type[Operator], engine: Engine, tmp_path: Path
) -> None:
    example = example_of(operator)
    case = example.load(tmp_path)
    case.run()
    block = pipeline.compile_case(case.project).pieces[example.step].block

    def naming(name: str) -> exp.Table:
        return exp.Table(this=exp.to_identifier(name, quoted=True))

    execute = engine.execute if isinstance(engine, Postgres) else engine.session.sql  # type: ignore[attr-defined]  # or Spark's
    for values in block.values():
        for statement in made_anew(
            naming(values.name), values_select(values, engine.dialect), engine.dialect
        ):
            execute(statement)
    found = _fetched(engine, render(block.select(naming, engine.dialect), engine.dialect))
    for values in block.values():
        execute(removed(naming(values.name), engine.dialect))
    expected = case.table(example.step).to_pandas().astype(object)
    assert len(expected) > 2
    assert _rows(found, found.columns[0]) == _rows(expected, found.columns[0])


def _fetched(engine: Engine, query: str) -> pd.DataFrame:
    if isinstance(engine, Postgres):
        return engine.rows(query)
    assert isinstance(engine, Spark)
    result = engine.session.sql(query)
    return pd.DataFrame([tuple(row) for row in result.collect()], columns=result.columns)


def _rows(frame: pd.DataFrame, key: str = "customer_id") -> list[list[Any]]:
    """Gives the rows in the order of their key; numbers to twelve digits, NULL as None."""
    return [
        [_plain(value) for value in row] for row in frame.sort_values(key).itertuples(index=False)
    ]


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    return float(f"{value:.12g}") if isinstance(value, float) else value
