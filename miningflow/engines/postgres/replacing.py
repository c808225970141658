"""Replacing views and functions in PostgreSQL, which others may read.

CREATE OR REPLACE keeps what others built on an object, but cannot take columns or parameters away;
only then is the object dropped, which fails if others need it. A block does either at once.
"""

from __future__ import annotations

from miningflow.engines.files import text


def replacing_view(schema: str, name: str, statement: str) -> str:
    """Returns a statement that makes a view, with other columns than before if need be."""
    return _block(
        f"EXECUTE {_quoted(statement)};\n"
        "EXCEPTION WHEN invalid_table_definition OR feature_not_supported THEN\n"
        f"EXECUTE format('DROP VIEW %I.%I', {text(schema)}, {text(name)});\n"
        f"EXECUTE {_quoted(statement)};"
    )


def replacing_function(schema: str, name: str, statement: str) -> str:
    """Returns a statement that makes a function, the only one of its name."""
    same = (
        f"SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE n.nspname = {text(schema)} AND p.proname = {text(name)}"
    )
    return _block(
        f"before := ARRAY({same});\n"
        "BEGIN\n"
        f"EXECUTE {_quoted(statement)};\n"
        "EXCEPTION WHEN invalid_function_definition THEN\n"
        f"FOREACH old IN ARRAY before LOOP {_DROP} END LOOP;\n"
        f"EXECUTE {_quoted(statement)};\n"
        "END;\n"
        "-- with parameters of other types it would be a second function of the name\n"
        f"IF EXISTS ({same} AND p.oid <> ALL (before)) THEN\n"
        "FOREACH old IN ARRAY before LOOP\n"
        f"IF EXISTS (SELECT FROM pg_proc WHERE oid = old) THEN {_DROP} END IF;\n"
        "END LOOP;\n"
        "END IF;",
        declared="before oid[];\nold oid;",
    )


_DROP = "EXECUTE format('DROP FUNCTION %s', CAST(old AS regprocedure));"


def _block(body: str, declared: str = "") -> str:
    declaration = f"DECLARE\n{declared}\n" if declared else ""
    return f"DO {_quoted(f'{declaration}BEGIN{chr(10)}{body}{chr(10)}END')}"


def _quoted(content: str) -> str:
    """Quotes a text by a mark that does not occur in it."""
    number = 0
    while f"$m{number}$" in content:
        number += 1
    return f"$m{number}${content}$m{number}$"
