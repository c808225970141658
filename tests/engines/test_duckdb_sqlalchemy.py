"""The SQLAlchemy dialect for DuckDB keeps transactions, types and names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from miningflow.engines import open_engine

METADATA = sa.MetaData(schema="some where")
THINGS = sa.Table(
    "select",
    METADATA,
    sa.Column("from", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("Größe", sa.Float),
    sa.Column("bytes", sa.LargeBinary),
    sa.Column("at", sa.DateTime),
    sa.Column('a "name"', sa.Text),
)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[sa.Engine]:
    store = open_engine("duckdb:///store.duckdb", tmp_path)
    engine = store.repository()
    assert engine is not None
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema("some where", if_not_exists=True))
        METADATA.create_all(connection)
        METADATA.create_all(connection)  # what exists stays
    yield engine
    store.close()


def _numbers(connection: sa.Connection) -> list[int]:
    return list(connection.execute(sa.select(THINGS.c["from"]).order_by("from")).scalars())


def test_values_come_back_as_they_went(repository: sa.Engine) -> None:
    row = (1, math.pi, b"\x00\xff", datetime(2026, 11, 18, 3, 4, 5, 678901), "%s ? :x {y}")
    with repository.begin() as connection:
        connection.execute(THINGS.insert(), dict(zip(THINGS.c.keys(), row, strict=True)))
        connection.execute(THINGS.insert(), {"from": 2})
    with repository.connect() as connection:
        found = connection.execute(sa.select(THINGS).order_by("from")).all()
    assert [tuple(r) for r in found] == [row, (2, None, None, None, None)]


def test_cursors_share_a_transaction_that_can_be_undone(repository: sa.Engine) -> None:
    def insert_and_fail(connection: sa.Connection) -> None:
        connection.execute(THINGS.insert(), [{"from": n} for n in range(2500)])
        assert len(_numbers(connection)) == 2500
        with repository.connect() as other:
            assert _numbers(other) == []
        connection.execute(THINGS.insert(), {"from": 7})

    with pytest.raises(sa.exc.IntegrityError, match="duplicate key"), repository.begin() as begun:
        insert_and_fail(begun)
    with repository.connect() as connection:
        assert _numbers(connection) == []


def test_a_result_outlives_the_next_statement(repository: sa.Engine) -> None:
    with repository.begin() as connection:
        connection.execute(THINGS.insert(), [{"from": n} for n in range(5)])
        result = connection.execute(sa.select(THINGS.c["from"]).order_by("from"))
        first = result.fetchone()
        connection.execute(THINGS.delete())
        assert first is not None
        assert [first[0], *result.scalars()] == [0, 1, 2, 3, 4]
        assert _numbers(connection) == []


def test_tables_are_found_by_schema(repository: sa.Engine) -> None:
    found = sa.inspect(repository)
    assert found.get_table_names(schema="some where") == ["select"]
    assert found.get_table_names() == []
    assert found.has_table("select", schema="some where")
    assert not found.has_table("select", schema="main")


def test_statements_may_be_run_as_written(repository: sa.Engine) -> None:
    as_written = {"no_parameters": True}
    with repository.begin() as connection:
        connection.exec_driver_sql("CREATE VIEW v AS SELECT '100 %' AS a", None, as_written)
        assert connection.exec_driver_sql("SELECT a FROM v").scalar_one() == "100 %"
