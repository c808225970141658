"""Fixtures for all tests: cases written to a folder of their own, real engines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import example_data
import pytest
from hypothesis import settings

import miningflow
from miningflow.project import CaseProject

if TYPE_CHECKING:
    from exported_cases import RanCases
    from postgres_stores import Database
    from scoring import Engine
    from spark_stores import Warehouse

# A busy machine is no mistake of the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

WriteCase = Callable[..., Path]
LoadCase = Callable[..., CaseProject]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden SQL files instead of comparing"
    )


@pytest.fixture
def write_case(tmp_path: Path) -> WriteCase:
    """Writes a case with the given steps over the example concepts, and their data beside it."""

    def write(
        steps: str, concepts: str = example_data.CONCEPTS, connect: str = example_data.CONNECT
    ) -> Path:
        example_data.write(tmp_path, example_data.tables())
        body = textwrap.indent(textwrap.dedent(steps).strip("\n"), "  ")
        path = tmp_path / "case.yml"
        path.write_text(f"case: example\n{concepts}\nsteps:\n{body}\n{connect}", encoding="utf-8")
        return path

    return write


@pytest.fixture
def load_case(write_case: WriteCase) -> LoadCase:
    """Writes a case and loads it."""

    def load(steps: str, **parts: str) -> CaseProject:
        return miningflow.load(write_case(steps, **parts))

    return load


@pytest.fixture(scope="session")
def ran_cases(tmp_path_factory: pytest.TempPathFactory) -> RanCases:
    """Gives the cases of cases/, each of which runs when it is first asked for."""
    from exported_cases import RanCases

    return RanCases(tmp_path_factory.mktemp("ran") / "cases")


@pytest.fixture(scope="session")
def dbt(pytestconfig: pytest.Config) -> Path:
    """Gives dbt, in an environment of its own."""
    from tool_environments import environment

    # dbt-core 1.12 needs a parser that is not on PyPI
    packages = ["dbt-core>=1.11,<1.12", "dbt-duckdb>=1.11", "dbt-postgres>=1.10"]
    return environment(pytestconfig, "dbt", packages) / "dbt"


@pytest.fixture(scope="session")
def sqlmesh(pytestconfig: pytest.Config) -> Path:
    """Gives SQLMesh, in an environment of its own; it brings a DuckDB before 2.0."""
    from tool_environments import environment

    return environment(pytestconfig, "sqlmesh", ["sqlmesh>=0.236,<0.237"]) / "sqlmesh"


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """Starts a PostgreSQL; `MININGFLOW_TEST_POSTGRES` names another one than that of the wheel."""
    from postgres_server import running

    with running() as address:
        yield address


@pytest.fixture(scope="session")
def postgres(postgres_address: str) -> Iterator[Engine]:
    """Gives a schema of a PostgreSQL to load rows into."""
    from postgres_server import Postgres

    engine = Postgres(postgres_address)
    yield engine
    engine.close()


@pytest.fixture
def database(postgres_address: str) -> Iterator[Database]:
    """Gives a database of a PostgreSQL as a store."""
    import postgres_stores

    with postgres_stores.database(postgres_address) as made:
        yield made


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Gives a Spark, if it is installed."""
    import spark_session

    missing = spark_session.why_absent()
    if missing:
        pytest.skip(missing)
    engine = spark_session.Spark(tmp_path_factory.mktemp("warehouse"))
    yield engine
    engine.close()


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """Gives the folder of a Spark that this process drives, if it can, beside the test's case."""
    import spark_session
    from spark_stores import Warehouse

    missing = spark_session.why_absent()
    if missing:
        pytest.skip(missing)
    return Warehouse(tmp_path / "spark-warehouse")


@pytest.fixture(scope="session", params=["postgres", pytest.param("spark", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Gives each engine in turn; Spark takes a quarter of a minute to start."""
    engine: Engine = request.getfixturevalue(request.param)
    return engine


@pytest.fixture(scope="session")
def sqlite() -> Iterator[Engine]:
    """Gives the SQLite of Python, in memory."""
    import sqlite_engine

    absent = sqlite_engine.why_absent()
    if absent:
        pytest.skip(absent)
    engine = sqlite_engine.SQLite()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Engine]:
    """Gives a database of a MariaDB server that is started for the tests."""
    import mariadb_server

    absent = mariadb_server.why_absent()
    if absent:
        pytest.skip(absent)
    with mariadb_server.running() as socket:
        engine = mariadb_server.MariaDB(socket)
        yield engine
        engine.close()


@pytest.fixture(scope="session")
def clickhouse() -> Iterator[Engine]:
    """Gives a ClickHouse within this process."""
    import clickhouse_engine

    absent = clickhouse_engine.why_absent()
    if absent:
        pytest.skip(absent)
    engine = clickhouse_engine.ClickHouse()
    yield engine
    engine.close()


@pytest.fixture(
    scope="session",
    params=[
        "sqlite",
        pytest.param("mariadb", marks=pytest.mark.slow),
        pytest.param("clickhouse", marks=pytest.mark.slow),
    ],
)
def printed_for(request: pytest.FixtureRequest) -> Engine:
    """Gives in turn each real database that SQL is only printed for."""
    engine: Engine = request.getfixturevalue(request.param)
    return engine
