"""Literals and names as every engine reads them."""

from __future__ import annotations

import math

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miningflow.sql.dialect import identifier
from miningflow.sql.literals import column, double, text, unused


@settings(deadline=None)  # a connection each, on a machine that may be busy
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_back_as_it_was(value: float) -> None:
    with duckdb.connect() as connection:
        sql = f"SELECT x, typeof(x) FROM (SELECT {double(value).sql(dialect='duckdb')} AS x)"
        found = connection.execute(sql).fetchall()[0]
    assert found == (value, "DOUBLE")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        double(value)


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_text_comes_back_as_it_was(value: str) -> None:
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {text(value).sql(dialect='duckdb')}").fetchall()
    assert found == [(value,)]


@pytest.mark.parametrize("name", ["a", "select", 'quo"te', "größe", "a.b", "it's", "A b"])
def test_a_name_is_quoted(name: str) -> None:
    tree = column(name).sql(dialect="duckdb", identify=True)
    assert tree == identifier(name, "duckdb")
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {tree} FROM (SELECT 1 AS {tree})")
        assert found.description[0][0] == name


def test_an_unused_name_is_another_even_in_another_case() -> None:
    assert unused("part", ["rows"]) == "part"
    assert unused("part", ["PART", "part_"]) == "part__"
