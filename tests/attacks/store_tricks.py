"""Stores that a stranger prepared: views that read files, macros in place of functions."""

from __future__ import annotations

import duckdb

from attacks.stranger import Stranger


def view(stranger: Stranger) -> None:
    """A store with a view over a file of the user."""
    rng, home = stranger.rng, stranger.home
    private = rng.choice(
        (f"{home}/private.csv", "../private.csv", f"{home}/*.csv", "~/private.csv")
    )
    text = rng.choice((f"{home}/private.txt", "../.bashrc", f"{home}/.pgpass"))
    one = "SELECT 1 AS id, 2 AS age, 'yes' AS \"left\", CAST(x AS VARCHAR) AS name FROM "
    read = rng.choice(
        (
            one + f"(SELECT content AS x FROM read_text('{text}'))",
            one + f"(SELECT content AS x FROM read_blob('{text}'))",
            one + f"(SELECT file AS x FROM glob('{home}/*'))",
            one + "(SELECT getenv('SECRET_OF_USER') AS x)",
            one + "(SELECT value AS x FROM duckdb_settings())",
            one + "(SELECT secret_string AS x FROM duckdb_secrets())",
            f"SELECT * FROM read_csv('{private}')",
            f"SELECT * FROM '{private}'",
            f"SELECT * FROM read_parquet('{home}/private.parquet')",
            f"SELECT * FROM query('SELECT * FROM read_csv(''{private}'')')",
            f"SELECT * FROM sniff_csv('{private}')",
            f"SELECT * FROM sqlite_scan('{home}/history.db', 'people')",
            "SELECT * FROM taken()",
            "SELECT * FROM inner_view",
        )
    )
    statements = (
        f"CREATE MACRO taken() AS TABLE SELECT * FROM read_csv('{private}')",
        f"CREATE VIEW inner_view AS SELECT * FROM read_csv('{private}')",
        f"CREATE VIEW people AS {read}",
    )
    if not stranger.prepare(statements):
        return
    stranger.source = "{table: people}"
    stranger.honest = False
    stranger.done.append(f"a view: {read[:80]}")


def macro(stranger: Stranger) -> None:
    """A store with macros that have the names of built-in functions."""
    rng = stranger.rng
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE schema_name = 'main' "
            "AND function_type IN ('scalar', 'aggregate') ORDER BY 1"
        ).fetchall()
    names = [*("lower", "md5", "abs", "hash", "+", "min", "=", "count", "duckdb_functions"),
             *rng.sample([name for (name,) in rows], 3)]  # fmt: skip
    name = rng.choice(names)
    body = rng.choice(
        ("'taken'", "1", "NULL", f"(SELECT content FROM read_text('{stranger.home}/.bashrc'))")
    )
    parameters = rng.choice(("x", "x, y", ""))
    quoted = name.replace('"', '""')
    if stranger.prepare((f'CREATE MACRO "{quoted}"({parameters}) AS {body}',)):
        stranger.done.append(f"a macro {name}({parameters}) as {body[:30]}")


def foreign_rows(stranger: Stranger) -> None:
    """A store that attaches nothing, but holds a table with a default that reads a file."""
    read = f"(SELECT content FROM read_text('{stranger.home}/.bashrc'))"
    statements = (
        "CREATE TABLE base AS SELECT range AS id, 20.0 + range AS age, "
        "CASE WHEN range > 10 THEN 'yes' ELSE 'no' END AS \"left\" FROM range(20)",
        f"CREATE VIEW people AS SELECT *, {read} AS name FROM base",
    )
    if stranger.prepare(statements):
        stranger.source = "{table: people}"
        stranger.honest = False
        stranger.done.append("a view with a column that reads a file")
