"""Expressions on a real PostgreSQL whose grammar differs from that of DuckDB."""

from __future__ import annotations

import pytest
from sqlglot import exp
from support.postgres_stores import Database

from miningflow.sql.dialect import render
from miningflow.sql.fragments import parse_expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'b' between upper(word) and lower(word)", True),
        ("upper(word) between 'A' and 'b'", True),
        ("word not between lower(upper(word)) and upper('a')", True),
    ],
)
def test_bounds_of_changed_case(database: Database, text: str, expected: bool) -> None:
    tree = parse_expression(text, {"word": "nominal"}).tree
    rows = exp.select(exp.Literal.string("b").as_("word")).subquery("given")
    assert database.query(render(exp.select(tree).from_(rows), "postgres")) == [(expected,)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("case when x between 18 and 65 then x end", [None, None, 18.0, 65.0]),
        ("case when x between 0 and 65 then x end", [None, 0.0, 18.0, 65.0]),
        (
            "case when x between 0 and 65 then 'up' when x between -18 and 0 then 'down' end",
            ["down", "up", "up", "up"],
        ),
        ("case when t between t and t then t end = t", [True] * 4),
    ],
)
def test_bounds_belong_to_a_range(database: Database, text: str, expected: list[object]) -> None:
    database.query("CREATE TABLE given (x double precision, t timestamp)")
    database.query("INSERT INTO given SELECT v, now() FROM unnest(ARRAY[-18, 0, 18, 65]) AS v")
    tree = parse_expression(text, {"x": "numeric", "t": "time"}).tree
    found = exp.select(tree).from_("given").order_by(exp.column("x", quoted=True))
    assert [row[0] for row in database.query(render(found, "postgres"))] == expected
