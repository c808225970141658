"""A DuckDB store that a stranger prepared reads no files of the user, and replaces no functions."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from support.command_line import accepted, miningflow, refused, rows

CASE = """\
case: small
concepts:
  Person: {key: id, features: {id: key, age: numeric, name: nominal}}
steps:
  scaled: {operator: LinearScaling, input: Person, target: age, materialize: table}
  out: {operator: PrepareForExport, input: scaled, path: rows.csv}
connect:
  store: duckdb:///s.duckdb
  concepts: {Person: {table: people}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a stranger, in that of the user."""
    made = tmp_path / "stranger"
    made.mkdir()
    (made / "case.yml").write_text(CASE)
    (tmp_path / "private.txt").write_text("hidden")
    (tmp_path / "private.csv").write_text("id,age,name\n1,2,hidden\n2,3,hidden\n")
    return made


def prepare(folder: Path, *statements: str) -> None:
    """Runs statements in the store of the stranger."""
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement.replace("MINE", str(folder.parent)))


@pytest.mark.parametrize(
    "read",
    [
        "SELECT 1 AS id, 2 AS age, content AS name FROM read_text('MINE/private.txt')",
        "SELECT 1 AS id, 2 AS age, content::VARCHAR AS name FROM read_blob('MINE/private.txt')",
        "SELECT * FROM read_csv('MINE/private.csv')",
        "SELECT * FROM 'MINE/private.csv'",
        "SELECT row_number() OVER () AS id, 2 AS age, file AS name FROM glob('MINE/*')",
        "SELECT * FROM query('SELECT * FROM read_csv(''MINE/private.csv'')')",
        "SELECT * FROM taken()",
        "SELECT * FROM inner_view",
    ],
)
def test_a_view_reads_no_file_of_the_user(folder: Path, read: str) -> None:
    prepare(
        folder,
        "CREATE MACRO taken() AS TABLE SELECT * FROM read_csv('MINE/private.csv')",
        "CREATE VIEW inner_view AS SELECT * FROM read_csv('MINE/private.csv')",
        f"CREATE VIEW people AS {read}",
    )
    for verb in ("plan", "run"):
        said = refused(folder, verb, "case.yml")
        assert "case.yml:9:30: error: the view 'people' cannot be read" in said
        assert "{file: …}" in said
        assert "hidden" not in said
    assert not (folder / "target").exists()


@pytest.mark.parametrize(
    "macro", ["lower(x)", "md5(x)", "abs(x)", "hash(x)", '"+"(x, y)', "min(x)", '"="(x, y)']
)
def test_a_macro_does_not_replace_a_function(folder: Path, macro: str) -> None:
    name = macro.partition("(")[0].strip('"')
    prepare(
        folder,
        "CREATE TABLE people AS SELECT 1 AS id, 2 AS age, 'a' AS name UNION ALL SELECT 2, 4, 'b'",
        "CREATE MACRO duckdb_functions() AS TABLE SELECT 'x' AS function_name",
        f"CREATE MACRO {macro} AS 'taken'",
    )
    for verb in ("run", "plan", "clean"):
        said = refused(folder, verb, "case.yml")
        assert "case.yml:8:10: error: macros of the store take the place of built-in" in said
        assert name in said
        assert "DROP MACRO main." in said


def test_a_macro_with_a_name_of_its_own_is_none_of_our_business(folder: Path) -> None:
    prepare(
        folder,
        "CREATE TABLE people AS SELECT 1 AS id, 2 AS age, 'a' AS name UNION ALL SELECT 2, 4, 'b'",
        "CREATE MACRO my_rate(x) AS x / 2",
        "CREATE SCHEMA other",
        "CREATE MACRO other.lower(x) AS 'taken'",
    )
    accepted(folder, "run", "case.yml")
    accepted(folder, "run", "case.yml", "--full")
    assert rows(folder / "s.duckdb", "small_results.scaled") == [(1, 0.0, "a"), (2, 1.0, "b")]
    assert (
        folder / "target/small/export/rows.csv"
    ).read_text() == "id,age,name\n1,0.0,a\n2,1.0,b\n"


def test_a_store_is_locked_while_it_is_open(folder: Path) -> None:
    from miningflow.engines import open_engine
    from miningflow.engines.file_access import access_to
    from miningflow.errors import EngineError

    mine = folder.parent
    (folder / "out").mkdir()
    access = access_to([mine / "private.csv"], [folder / "out"])
    engine = open_engine("duckdb:///s.duckdb", folder, access=access)
    try:
        with engine.session() as session:
            assert len(session.rows(f"FROM read_csv('{mine}/private.csv')")) == 2
            assert session.write("SELECT 1 AS a", folder / "out" / "a.parquet") == 1
            for statement in (
                f"FROM read_text('{mine}/private.txt')",
                f"COPY (SELECT 1) TO '{mine}/made.csv'",
                f"COPY (SELECT 1) TO '{folder}/out/../../made.csv'",
                f"ATTACH '{mine}/made.duckdb' AS other",
                "INSTALL httpfs",
                "LOAD httpfs",
                "FROM read_csv('http://127.0.0.1:1/x.csv')",
                "SET enable_external_access = true",
                "SET threads = 3",
                "SET lock_configuration = false",
            ):
                with pytest.raises(EngineError):
                    session.execute(statement)
    finally:
        engine.close()
    assert sorted(p.name for p in mine.iterdir()) == ["private.csv", "private.txt", "stranger"]


def test_a_second_use_in_one_process_reaches_what_it_needs_or_says_so(folder: Path) -> None:
    from miningflow.engines import open_engine
    from miningflow.engines.file_access import access_to
    from miningflow.errors import EngineError

    one = open_engine("duckdb:///s.duckdb", folder)
    try:
        open_engine("duckdb:///s.duckdb", folder).close()
        with pytest.raises(EngineError, match="this process uses the store for something else"):
            open_engine("duckdb:///s.duckdb", folder, access=access_to([folder / "x.csv"]))
    finally:
        one.close()


def test_files_with_odd_names_are_still_read(folder: Path) -> None:
    (folder / "a'[1]*?.csv").write_text("id,age,name\n1,2,x\n2,4,y\n")
    text = CASE.replace("{table: people}", '{file: "a\'[1]*?.csv"}')
    (folder / "case.yml").write_text(text)
    accepted(folder, "run", "case.yml")
    assert len(rows(folder / "s.duckdb", "small_results.scaled")) == 2


def test_a_file_of_sqlite_is_no_store(folder: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(folder / "s.duckdb")
    connection.execute("CREATE TABLE people (id, age, name)")
    connection.commit()
    connection.close()
    said = miningflow(folder, "run", "case.yml")
    assert said.code == 1
    assert "cannot open the store" in said.err
