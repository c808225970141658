"""SQL for databases that are no stores: equal to DuckDB on a real one, or refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import sqlglot
from sqlglot import exp
from support import example_data
from support.example_case import OPERATORS
from support.joined_examples import tables
from support.printed_engines import Printed, compared_rows, load, named, unload
from test_other_engines import STEPS, whole_catalogue

from miningflow import pipeline
from miningflow.compile import Piece
from miningflow.describe import engines
from miningflow.project import LoadedCase
from miningflow.sql.dialect import DIALECTS, NotInDialect, made_anew, removed, render
from miningflow.sql.literal_table import tables_read, values_select

REFUSED = Path(engines.__file__).with_name(engines.FILE)
PRINTED = [d.name for d in DIALECTS.values() if d.nodes is not None]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """Runs the examples of all operators on DuckDB, as steps of one case."""
    case = whole_catalogue().load(tmp_path_factory.mktemp("dialects"))
    case.run()
    return case


@pytest.fixture(scope="module")
def pieces(case: LoadedCase) -> dict[str, Piece]:
    return dict(pipeline.compile_case(case.bound, case.connection).pieces)


@pytest.fixture(scope="module")
def loaded(printed_for: Printed) -> Iterator[Printed]:
    """A database with the rows that the examples speak of."""
    tables = {**example_data.tables(), **example_data.shop()}
    for name, table in tables.items():
        load(printed_for, name, table)
    yield printed_for
    for name in tables:
        unload(printed_for, name)


def _refusal(piece: Piece, dialect: str) -> str:
    try:
        query = piece.block.select(named, dialect)
        render(query, dialect)
        for values in tables_read(piece.block.values(), piece.block.select(named, dialect)):
            render(values_select(values, dialect), dialect)
    except NotInDialect as error:
        return str(error)
    return ""


def test_the_table_of_operators_and_dialects_is_current(
    pieces: dict[str, Piece], request: pytest.FixtureRequest
) -> None:
    operators = [operator.__name__ for operator in OPERATORS]
    found = {
        dialect: {
            name: reason
            for name in operators
            for reason in [_refusal(pieces[name], dialect)]
            if reason
        }
        for dialect in DIALECTS
    }
    written = json.dumps({"operators": sorted(operators), "refused": found}, indent=1) + "\n"
    if request.config.getoption("--update-golden"):
        REFUSED.write_text(written, encoding="utf-8")
    assert written == REFUSED.read_text(encoding="utf-8"), "write it with --update-golden"
    assert not any(found[d] for d in ("duckdb", "duckdb1.5", "postgres", "spark"))


@pytest.fixture(scope="module")
def expected_rows(case: LoadedCase) -> dict[str, pd.DataFrame]:
    found = tables(case.bound.case.path.with_name("store.duckdb"), STEPS)
    return {step: table.to_pandas().astype(object) for step, table in found.items()}


@pytest.mark.parametrize("step", STEPS)
def test_it_computes_the_same_or_is_refused(
    step: str,
    case: LoadedCase,
    pieces: dict[str, Piece],
    expected_rows: dict[str, pd.DataFrame],
    loaded: Printed,
) -> None:
    dialect, block = loaded.dialect, pieces[step].block
    before = [name for name in case.bound.steps[step].inputs if name in STEPS]
    refusals = [_refusal(pieces[name], dialect) for name in (step, *before)]
    if any(refusals):
        assert any(STEPS[name]["operator"] in engines.refused(dialect) for name in (step, *before))
        return
    query = block.select(named, dialect)
    made = {name: pieces[name].block.select(named, dialect) for name in before}
    tables = tables_read(block.values(), query)
    made |= {values.name: values_select(values, dialect) for values in tables}
    for name, select in made.items():
        for statement in made_anew(named(name), select, dialect):
            loaded.execute(statement)
    found = loaded.rows(render(query, dialect))
    for name in made:
        loaded.execute(removed(named(name), dialect))
    expected = expected_rows[step]
    assert list(found.columns) == list(expected.columns)
    assert compared_rows(found) == compared_rows(expected)


@pytest.mark.parametrize("dialect", PRINTED)
def test_what_is_printed_can_be_read_again(dialect: str, pieces: dict[str, Piece]) -> None:
    printer = DIALECTS[dialect].printer
    for step in STEPS:
        if not _refusal(pieces[step], dialect):
            sql = render(pieces[step].block.select(named, dialect), dialect)
            again = sqlglot.parse_one(sql, dialect=printer).find(exp.Select)
            assert again is not None
            assert len(again.selects) == len(pieces[step].block.columns), step
