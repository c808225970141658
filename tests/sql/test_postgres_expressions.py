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
