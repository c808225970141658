"""Expressions on DuckDB, on PostgreSQL and in Python: equal in every cell, or refused by a message.

Many expressions are columns of one query. A cell in which the last digit of a logarithm or a power
decides is left out, and so is an expression in which a number leaves the range of doubles: engines
differ there, as docs/dialects.md says.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import sqlalchemy as sa
from sqlglot import exp
from support import postgres_server

from attacks.expression_evaluator import NotAKey, compiled
from attacks.expression_functions import Beyond, Rounding
from attacks.expression_grammar import KINDS, changed, drawn
from attacks.expression_parser import NotInLanguage, parse
from attacks.tally import Tally
from miningflow.sql.dialect import render
from miningflow.sql.fragments import FragmentError, parse_condition, parse_expression

AT_ONCE = 80
"""Expressions in one query."""
ROUNDING = 1e-14
KNOWN_ERRORS = (
    "Invalid Input Error: BindBuiltinScalarFunction did not return a BoundFunctionExpression",
)
"""DuckDB 2.0.0 fails on constant texts that may be NULL: `'b' = case when x > 1 then 'a' end`."""
FEATURES = {name: {"text": "nominal"}.get(kind, kind) for name, kind in KINDS.items()}
TYPES = {"key": "BIGINT", "numeric": "DOUBLE PRECISION", "text": "TEXT", "time": "TIMESTAMP"}
COLUMNS: dict[str, list[Any]] = {
    "n": [1.0, -2.5, 0.0, None, 12345.678, 0.5, -1e-5, 3.0, 100.0, -0.0, 2.0, 1e6],
    "m": [2.0, 0.25, None, -7.0, 3.5, 0.0, 10.0, -3.0, 1.5, 4.0, -0.5, 33.0],
    "c": ["a", "", None, "B", "it's %", " x ", "äÖ", "north", "a_b", "é", "North", "a.b\\c"],
    "d": ["b", "a", "Ab", None, "%", "  ", "Ä", "1", "", "north", "x\ty", "日本"],
    "t": [
        *(datetime(2020, 2, 29), datetime(1969, 12, 31, 23, 59, 59), None, datetime(1970, 1, 1)),
        *(datetime(2024, 12, 31, 23, 59, 59, 999_999), datetime(1900, 3, 1, 0, 0, 1)),
        *(datetime(1999, 12, 31, 12), datetime(2000, 1, 3), datetime(2024, 2, 29, 13, 45, 30)),
        *(datetime(2023, 1, 1), datetime(1582, 10, 15), datetime(2100, 1, 1)),
    ],
    "u": [
        *(datetime(2020, 3, 1, 1), datetime(1970, 1, 1), datetime(2000, 2, 29), None),
        *(datetime(2024, 12, 31), datetime(2025, 1, 1), datetime(1999, 12, 31, 23, 59, 59)),
        *(
            datetime(1582, 10, 15),
            datetime(2024, 2, 28, 13, 45, 31),
            datetime(2022, 12, 31, 0, 0, 1),
        ),
        *(datetime(2400, 2, 29), datetime(1969, 7, 20, 20, 17, 40)),
    ],
}
ROWS = [
    {"k": number, **{name: values[number - 1] for name, values in COLUMNS.items()}}
    for number in range(1, 13)
]


@dataclass(frozen=True)
class Drawn:
    """An expression that was accepted, and its cells in Python: after each kind of rounding."""

    text: str
    tree: exp.Expression
    cells: list[list[Any]]


Rows = Callable[[str], list[tuple[Any, ...]]]


def attack(count: int, seed: int) -> Tally:
    """Draws `count` expressions, and compares the cells of those that are accepted."""
    tally, rng = Tally(), random.Random(seed)
    with _engines() as engines:
        waiting: list[Drawn] = []
        for _ in range(count):
            waiting += _accepted(random.Random(rng.random()), tally)
            if len(waiting) >= AT_ONCE:
                _compare(waiting, engines, tally)
                waiting = []
        _compare(waiting, engines, tally)
    return tally


@contextmanager
def _engines() -> Iterator[dict[str, Rows]]:
    columns = ", ".join(f'"{name}" {TYPES[kind]}' for name, kind in KINDS.items())
    values = [tuple(row.values()) for row in ROWS]
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as folder:
        address = postgres_server.address(Path(folder) / "postgres")
        with duckdb.connect() as duck, psycopg.connect(address, autocommit=True) as server:
            duck.execute(f"CREATE TABLE given ({columns})")
            duck.executemany(f"INSERT INTO given VALUES ({', '.join('?' * len(KINDS))})", values)
            name = "miningflow_attack_expressions"
            server.execute(f"DROP DATABASE IF EXISTS {name}")
            server.execute(f"CREATE DATABASE {name} TEMPLATE template0 LOCALE 'C.UTF-8'")
            url = sa.make_url(address).set(database=name).render_as_string(hide_password=False)
            with psycopg.connect(url, autocommit=True) as postgres:
                texts = columns.replace("TEXT", 'TEXT COLLATE "C"')
                postgres.execute(f"CREATE TABLE given ({texts})".encode())
                with postgres.cursor() as cursor:
                    marks = ", ".join(["%s"] * len(KINDS))
                    cursor.executemany(f"INSERT INTO given VALUES ({marks})".encode(), values)
                yield {
                    "duckdb": lambda query: duck.execute(query).fetchall(),
                    "postgres": lambda query: postgres.execute(query.encode()).fetchall(),
                }
            server.execute(f"DROP DATABASE {name}")


def _accepted(rng: random.Random, tally: Tally) -> Iterator[Drawn]:
    """Draws one expression; yields it if MiningFlow accepts it and Python can compute it."""
    by_grammar = rng.random() < 0.6
    text = drawn(rng, rng.randint(0, 6))
    if not by_grammar:
        text = changed(text, rng)
    tally.add("expressions by grammar" if by_grammar else "expressions by mutation")
    read = parse_condition if rng.random() < 0.2 else parse_expression
    try:
        fragment = read(text, FEATURES)
    except FragmentError:
        tally.add("refused by a message" + (" (by grammar)" if by_grammar else ""))
        return
    except Exception as error:
        tally.breaks("traceback", f"{text!r}: {type(error).__name__}: {error}")
        return
    try:
        value = compiled(parse(text), KINDS)[1]
        cells = [_evaluated(value, size) for size in (0.0, ROUNDING, -ROUNDING)]
    except (Beyond, OverflowError):
        tally.add("accepted, with numbers beyond doubles: not compared")
    except NotAKey:
        tally.add("accepted, with a key against a text: not compared")
    except (NotInLanguage, TypeError, ValueError) as error:
        tally.breaks("accepted what is not in the language", f"{text!r}: {error}")
    else:
        yield Drawn(text, fragment.tree, cells)


def _evaluated(value: Callable[[Any], Any], size: float) -> list[Any]:
    Rounding.size, Rounding.calls = size, 0
    return [value(row) for row in ROWS]


def _compare(waiting: Sequence[Drawn], engines: dict[str, Rows], tally: Tally) -> None:
    for dialect, rows in engines.items():
        for each, found in _fetched(waiting, dialect, rows):
            if isinstance(found, str) and found in KNOWN_ERRORS:
                tally.add(f"{dialect} fails by an error of its own: {found}")
                continue
            if isinstance(found, str):
                tally.breaks(f"{dialect} fails", f"{each.text!r}: {found}")
                continue
            tally.add(f"expressions compared on {dialect}")
            for number, cell in enumerate(found):
                expected = [cells[number] for cells in each.cells]
                if not _stable(expected):
                    tally.add("cells in which rounding decides: not compared")
                elif _equal(cell, expected):
                    tally.add(f"cells equal on {dialect}")
                else:
                    said = f"{each.text!r}, k = {number + 1}: {cell!r}, expected {expected[0]!r}"
                    tally.breaks(f"{dialect} differs", said)
                    break


def _fetched(
    waiting: Sequence[Drawn], dialect: str, rows: Rows
) -> Iterator[tuple[Drawn, list[Any] | str]]:
    """Yields the column of each expression, or the message of the engine."""
    if not waiting:
        return
    try:
        found = rows(_query(waiting, dialect))
    except (duckdb.Error, psycopg.Error, RuntimeError) as error:
        if len(waiting) == 1:
            yield waiting[0], str(error).splitlines()[0][:200]
            return
        half = len(waiting) // 2
        yield from _fetched(waiting[:half], dialect, rows)
        yield from _fetched(waiting[half:], dialect, rows)
        return
    for index, each in enumerate(waiting):
        yield each, [row[index] for row in found]


def _query(waiting: Sequence[Drawn], dialect: str) -> str:
    columns = [exp.alias_(each.tree.copy(), f"e{i}") for i, each in enumerate(waiting)]
    key = exp.column("k", quoted=True)
    return render(exp.select(*columns).from_("given").order_by(key), dialect)


def _stable(expected: Sequence[Any]) -> bool:
    """Returns whether a value hardly depends on the last digits of what it is computed from."""
    if not all(isinstance(value, float) for value in expected):
        return all(value == expected[0] for value in expected)
    return bool(max(expected) - min(expected) <= 1e-6 * max(map(abs, expected)))


def _equal(cell: Any, expected: Sequence[Any]) -> bool:
    value = expected[0]
    if not isinstance(value, float):
        return type(cell) is type(value) and bool(cell == value)
    spread = max(expected) - min(expected)
    return isinstance(cell, float) and math.isclose(cell, value, rel_tol=1e-12, abs_tol=10 * spread)
