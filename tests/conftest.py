"""Fixtures for all tests: cases written to a separate folder, real engines."""

from __future__ import annotations

import contextlib
import functools
import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from support import example_data
from support.drawn_examples import drawn
from typer.main import get_command

import miningflow
from miningflow.project import LoadedCase

if TYPE_CHECKING:
    from support.postgres_stores import Database
    from support.ran_cases import RanCases
    from support.scoring import Engine
    from support.spark_stores import Warehouse

# A busy machine is no mistake of the code.
settings.register_profile("no deadline", deadline=None, max_examples=drawn(100))
settings.load_profile("no deadline")

WriteCase = Callable[..., Path]
LoadCase = Callable[..., LoadedCase]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden SQL files instead of comparing"
    )


@pytest.fixture(scope="session", autouse=True)
def working_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs all tests in a separate folder, since `run` writes to ./target."""
    folder = tmp_path_factory.mktemp("working")
    os.environ.pop("COLUMNS", None)  # workers set it, and tables would get narrower
    with contextlib.chdir(folder):
        yield folder


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Keeps typer from making all commands anew for each that a test runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", functools.cache(get_command))
        yield


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

    def load(steps: str, **parts: str) -> LoadedCase:
        return miningflow.load(write_case(steps, **parts))

    return load


@pytest.fixture(scope="session")
def ran_cases(tmp_path_factory: pytest.TempPathFactory, run_folder: Path) -> RanCases:
    """Returns the cases of cases/, each of which runs when it is first asked for."""
    from support.ran_cases import RanCases

    return RanCases(run_folder / "ran_cases", tmp_path_factory.mktemp("ran") / "cases")


@pytest.fixture(scope="session")
def dbt(pytestconfig: pytest.Config) -> Path:
    """Returns dbt, in a separate environment."""
    from support.tool_environments import environment

    # dbt-core 1.12 needs a parser that is not on PyPI
    packages = ["dbt-core>=1.11,<1.12", "dbt-duckdb>=1.11", "dbt-postgres>=1.10"]
    return environment(pytestconfig, "dbt", packages) / "dbt"


@pytest.fixture(scope="session")
def sqlmesh(pytestconfig: pytest.Config) -> Path:
    """Returns SQLMesh, in a separate environment; it brings a DuckDB before 2.0."""
    from support.tool_environments import environment

    return environment(pytestconfig, "sqlmesh", ["sqlmesh>=0.236,<0.237"]) / "sqlmesh"


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder that all processes of a test run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def postgres_address(run_folder: Path) -> str:
    """Starts a PostgreSQL; `MININGFLOW_TEST_POSTGRES` names another one than that of the wheel."""
    from support import postgres_server

    return postgres_server.address(run_folder / "postgres")


@pytest.fixture(scope="session")
def postgres(postgres_address: str) -> Iterator[Engine]:
    """Returns a schema of a PostgreSQL to load rows into."""
    from support.postgres_server import Postgres

    engine = Postgres(postgres_address)
    yield engine
    engine.close()


@pytest.fixture
def database(postgres_address: str) -> Iterator[Database]:
    """Returns a database of a PostgreSQL as a store."""
    from support import postgres_stores

    with postgres_stores.database(postgres_address) as made:
        yield made


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Returns a Spark, if it is installed."""
    from support import spark_session

    missing = spark_session.why_absent()
    if missing:
        pytest.skip(missing)
    engine = spark_session.Spark(tmp_path_factory.mktemp("warehouse"))
    yield engine
    engine.close()


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """Returns the folder of a Spark that this process drives, if it can, beside the test's case."""
    from support import spark_session
    from support.spark_stores import Warehouse

    missing = spark_session.why_absent()
    if missing:
        pytest.skip(missing)
    return Warehouse(tmp_path / "spark-warehouse")


@pytest.fixture(scope="session", params=["postgres", pytest.param("spark", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Returns each engine in turn; Spark takes a quarter of a minute to start."""
    engine: Engine = request.getfixturevalue(request.param)
    return engine


@pytest.fixture(scope="session")
def sqlite() -> Iterator[Engine]:
    """Returns the SQLite of Python, in memory."""
    from support import sqlite_engine

    absent = sqlite_engine.why_absent()
    if absent:
        pytest.skip(absent)
    engine = sqlite_engine.SQLite()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Engine]:
    """Returns a database of a MariaDB server that is started for the tests."""
    from support import mariadb_server

    absent = mariadb_server.why_absent()
    if absent:
        pytest.skip(absent)
    with mariadb_server.running() as socket:
        engine = mariadb_server.MariaDB(socket)
        yield engine
        engine.close()


@pytest.fixture(scope="session")
def clickhouse() -> Iterator[Engine]:
    """Returns a ClickHouse within this process."""
    from support import clickhouse_engine

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
    """Returns in turn each real database that SQL is only printed for."""
    engine: Engine = request.getfixturevalue(request.param)
    return engine
