"""Alterations of a repository: values, rows, documents, arrays and whole tables."""

from __future__ import annotations

import json
import random
from typing import Any

import duckdb

TABLES = (
    *("runs", "builds", "builds", "artifacts", "artifacts", "artifacts", "artifacts", "parity"),
    *("statistics", "objects", "objects", "about", "file_versions", "functions", "concepts"),
)
TEXTS = (
    *("", "x", "'; DROP TABLE main.precious; --", "\x1b[2J", "judged", "[" * 100_000, "NaN", "{}"),
    *("null", "é" * 1000, "__1", "published", "\\ud800"),
)
NUMBERS = (0, -1, 1, 2**62, 2**63 - 1, -(2**63), 7)
PLAIN: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1e308, 0.5, float("nan"), float("inf"), "x", "", "\ud800"),
    *([], {}, [[]], {"is": "Tree"}, {"array": 0, "shape": [-1]}, ["a", "a"]),
)
CHANGED = ("run", "case_name", "step", "name", "object_name", "fingerprint")
CLAIMS = (
    ("main", "precious", "table"),
    ("main", "doubled()", "function"),
    ("example_results", "precious", "table"),
    ("example_results", "precious", "view"),
    ("example_results", "mine", "view"),
    ("example_built", "precious", "table"),
    ("Example_Built", "precious", "table"),
    ("main", "", "schema"),
    ("example_results", "x", "nothing"),
)


def alter(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    """Alters something, and returns what it was."""
    kind = rng.choices(
        (_value, _document, _arrays, _claim, _exchange, _again, _rows, _table),
        (30, 30, 15, 15, 8, 8, 8, 4),
        k=1,
    )[0]
    try:
        return kind(connection, rng)
    except duckdb.Error as error:  # a constraint of the table
        return f"nothing ({str(error).splitlines()[0][:60]})"


def _value(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    table = rng.choice(TABLES)
    columns = connection.execute(f"DESCRIBE miningflow.{table}").fetchall()
    name, sql_type = rng.choice(columns)[:2]
    value: Any = rng.choice(TEXTS) if sql_type == "VARCHAR" else rng.choice(NUMBERS)
    if sql_type == "BLOB":
        value = rng.randbytes(rng.randint(0, 40))
    if sql_type.startswith("TIMESTAMP"):
        value = rng.choice(["infinity", "0001-01-01", "290000-01-01"])
    if rng.random() < 0.15:
        value = None
    row = _row(connection, table, rng)
    connection.execute(f'UPDATE miningflow.{table} SET "{name}" = ? WHERE rowid = ?', [value, row])
    return f"{table}.{name} = {str(value)[:30]!r}"


def _document(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    table, name = rng.choice(
        [("artifacts", "content")] * 4 + [("builds", "recipe"), ("statistics", "content")]
    )
    row = _row(connection, table, rng)
    found = connection.execute(
        f"SELECT {name}, step FROM miningflow.{table} WHERE rowid = ?", [row]
    ).fetchone()
    try:
        document = json.loads(found[0]) if found is not None else None
    except (TypeError, ValueError, RecursionError):
        document = None
    if found is None or not isinstance(document, dict | list):  # by an earlier alteration
        return "nothing"
    where = _mutate(document, rng)
    text = json.dumps(document)
    connection.execute(f"UPDATE miningflow.{table} SET {name} = ? WHERE rowid = ?", [text, row])
    return f"{table}.{name} of {found[1]}: {where}"


def _mutate(document: Any, rng: random.Random) -> str:
    """Changes one place in a document of lists and mappings."""
    where: list[str] = []
    while True:
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        if not keys:
            return "nothing"
        key = rng.choice(keys)
        where.append(str(key))
        inner = document[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            document = inner
            continue
        action = rng.choice(["drop", "replace", "replace", "replace", "double", "swap"])
        if action == "drop":
            del document[key]
        elif action == "double" and isinstance(document, list):
            document.append(inner)
        elif action == "swap" and isinstance(inner, int | float | str):
            document[key] = [inner] if rng.random() < 0.3 else inner * 2
        else:
            document[key] = rng.choice(PLAIN)
        return f"{action} {'.'.join(where)}"


def _arrays(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    rows = connection.execute(
        "SELECT rowid, arrays, step FROM miningflow.artifacts WHERE octet_length(arrays) > 0"
    ).fetchall()
    if not rows:
        return "nothing"
    row, found, step = rng.choice(rows)
    data = bytearray(found)
    action = rng.choice(["cut", "flip", "flip", "many", "other"])
    if action == "cut":
        data = data[: rng.randint(0, len(data))]
    elif action == "other":
        data = bytearray(rng.choice(rows)[1])
    else:
        for _ in range(1 if action == "flip" else 40):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    sql = "UPDATE miningflow.artifacts SET arrays = ? WHERE rowid = ?"
    connection.execute(sql, [bytes(data), row])
    return f"arrays of {step}: {action}"


def _claim(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    schema, name, kind = rng.choice(CLAIMS)
    run = rng.choice(NUMBERS)
    connection.execute(
        "INSERT INTO miningflow.objects VALUES ('example', ?, ?, ?, ?)", [schema, name, kind, run]
    )
    return f"claims {kind} {schema}.{name}"


def _exchange(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    """Gives one row the value of another one, which is well-formed but not its own."""
    table = rng.choice(TABLES)
    columns = connection.execute(f"DESCRIBE miningflow.{table}").fetchall()
    name = rng.choice(columns)[0]
    to, source = _row(connection, table, rng), _row(connection, table, rng)
    connection.execute(
        f'UPDATE miningflow.{table} SET "{name}" = '
        f'(SELECT "{name}" FROM miningflow.{table} WHERE rowid = ?) WHERE rowid = ?',
        [source, to],
    )
    return f"{table}.{name} of another row"


def _again(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    """Adds a copy of a row, under another case, run or name if the table has one."""
    table = rng.choice(TABLES)
    columns = [row[0] for row in connection.execute(f"DESCRIBE miningflow.{table}").fetchall()]
    changed = rng.choice([name for name in columns if name in CHANGED] or columns[:1])
    value: Any = rng.choice(NUMBERS) if changed == "run" else rng.choice(("Example", "x", ""))
    copied = ", ".join("?" if name == changed else f'"{name}"' for name in columns)
    connection.execute(
        f"INSERT INTO miningflow.{table} SELECT {copied} FROM miningflow.{table} WHERE rowid = ?",
        [value, _row(connection, table, rng)],
    )
    return f"{table}: a row again, {changed} = {value!r}"


def _rows(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    table = rng.choice(TABLES)
    if rng.random() < 0.5:
        connection.execute(f"DELETE FROM miningflow.{table} WHERE random() < 0.5")
        return f"{table}: some rows deleted"
    connection.execute(f"DELETE FROM miningflow.{table}")
    return f"{table}: all rows deleted"


def _table(connection: duckdb.DuckDBPyConnection, rng: random.Random) -> str:
    table = rng.choice(TABLES)
    action = rng.choice(["DROP TABLE", "TEXT", "VIEW"])
    if action == "DROP TABLE":
        connection.execute(f"DROP TABLE miningflow.{table}")
    elif action == "TEXT":  # a table without constraints, all of whose columns are texts
        connection.execute(f"CREATE TABLE copied AS SELECT * FROM miningflow.{table}")
        connection.execute(f"DROP TABLE miningflow.{table}")
        columns = [row[0] for row in connection.execute("DESCRIBE copied").fetchall()]
        casts = ", ".join(f'CAST("{name}" AS VARCHAR) AS "{name}"' for name in columns)
        connection.execute(f"CREATE TABLE miningflow.{table} AS SELECT {casts} FROM copied")
        connection.execute("DROP TABLE copied")
    else:
        connection.execute(f"DROP TABLE miningflow.{table}")
        connection.execute(f"CREATE VIEW miningflow.{table} AS SELECT 1 AS x")
    return f"{table}: {action}"


def _row(connection: duckdb.DuckDBPyConnection, table: str, rng: random.Random) -> int:
    rows = connection.execute(f"SELECT rowid FROM miningflow.{table} ORDER BY 1").fetchall()
    return int(rng.choice(rows)[0]) if rows else -1
