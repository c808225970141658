"""Functions that others put into a PostgreSQL database are not called instead of built-in ones."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path

from support.postgres_stores import Database

from miningflow.engines import open_engine


def test_built_in_functions_come_first_whatever_the_database_says(database: Database) -> None:
    name = database.query("SELECT current_database()")[0][0]
    database.query(f'ALTER DATABASE "{name}" SET search_path = public, pg_catalog')
    database.query(
        "CREATE FUNCTION public.md5(text) RETURNS text LANGUAGE sql AS $$ SELECT 'taken' $$"
    )
    database.query(
        "CREATE FUNCTION public.abs(integer) RETURNS integer LANGUAGE sql AS $$ SELECT 7 $$"
    )
    assert database.query("SELECT md5('a'), abs(-2)") == [("taken", 7)]
    engine = open_engine(database.url, Path())
    try:
        with engine.session() as session:
            found = session.rows("SELECT md5('a'), abs(-2)")
        repository = engine.repository()
        assert repository is not None
        with repository.connect() as connection:
            stored = connection.exec_driver_sql("SELECT md5('a')").scalar_one()
    finally:
        engine.close()
    assert found == [(md5(b"a").hexdigest(), 2)]
    assert stored == md5(b"a").hexdigest()


def test_types_of_other_schemas_are_recognized(database: Database) -> None:
    database.query("CREATE TYPE public.mood AS ENUM ('low', 'high')")
    database.query("CREATE TABLE public.felt (id integer, mood public.mood)")
    engine = open_engine(database.url, Path())
    try:
        with engine.session() as session:
            found = session.columns("SELECT * FROM public.felt")
            families = {name: session.family(kind) for name, kind in found.items()}
    finally:
        engine.close()
    assert families == {"id": "number", "mood": "text"}
