"""Expressions of a case on the databases that SQL is printed for: equal to DuckDB, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp
from support.printed_engines import Printed, compared_rows, load, named, unload

from miningflow.sql.dialect import DIALECTS, NotInDialect, render
from miningflow.sql.fragments import parse_aggregate, parse_condition, parse_expression
from miningflow.sql.fragments.aggregates import AGGREGATES
from miningflow.sql.fragments.functions import FUNCTIONS

FEATURES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    'odd "name" of\\it': "numeric",
    "word": "nominal",
    "born": "time",
    "seen": "time",
}
ROWS = pa.table(
    {
        "id": [1, 2, 3, 4, 5],
        "x": [2.5, -3.5, None, 0.0, 1e9],
        "y": [2.0, 0.5, 7.0, None, -1.0],
        'odd "name" of\\it': [1.0, 2.0, None, 4.0, 5.0],
        "word": ["Ärger's %", "  b_c*?[x]\\ ", None, "", "äRGER"],
        "born": [
            datetime(1990, 2, 28, 13, 45, 59),
            datetime(1970, 1, 1),
            datetime(2024, 2, 29, 23, 59, 59),
            None,
            datetime(1969, 12, 31, 12),
        ],
        "seen": [
            datetime(2024, 2, 29, 0, 0, 1),
            datetime(2024, 3, 1),
            datetime(1999, 12, 31, 1, 2, 3),
            datetime(2000, 1, 1),
            None,
        ],
    }
)
EXPRESSIONS = {
    "abs": "abs(x)",
    "exp": "exp(x)",
    "ln": "ln(x)",
    "log10": "log10(x)",
    "sqrt": "sqrt(x)",
    "power": "power(x, y)",
    "pow": "pow(y, 3)",
    "round": "round(x) + round(y, 1)",
    "floor": "floor(x)",
    "ceil": "ceil(x)",
    "ceiling": "ceiling(y)",
    "sign": "sign(x)",
    "greatest": "greatest(x, y, 1)",
    "least": "least(x, y)",
    "coalesce": "coalesce(x, y)",
    "nullif": "nullif(x, 0)",
    "lower": "lower(word)",
    "upper": "upper(word)",
    "trim": "trim(word)",
    "length": "length(word)",
    "substring": "substring(word, 2, 3)",
    "substr": "substr(word, 2)",
    "concat": "concat(word, '-', word)",
    "replace": "replace(word, 'b', 'ß')",
    **{part: f"{part}(born)" for part in ("year", "month", "day", "hour", "minute", "second")},
    "weekday": "weekday(born)",
    "date_diff": "date_diff('hour', born, seen)",
    "days_between": "days_between(born, seen)",
    "division": "x / y",
    "remainder": "x % y",
    "joined": "word || 'x'",
    "chosen": "case when x > y then 'more' when x = y then 'equal' else 'it''s \\ less' end",
    "of odd name": '"odd ""name"" of\\it" * 2',
}
CONDITIONS = {
    "in": "word in ('äRGER', '')",
    "not in": "not x in (0, 2.5)",
    "between": "y between 0.5 and 2",
    "like": "word like '%_c*?[x]%'",
    "like, exact case": "word like 'ä%'",
    "ilike": "word ilike 'ärger%'",
    "null": "word is null or not x is null",
    "later": "born < seen",
    "since": "born >= timestamp '1990-02-28 13:45:59'",
}
AGGREGATED = {
    "sum": "sum(x)",
    "avg": "avg(y)",
    "min": "min(born)",
    "max": "max(word)",
    "count": "count(distinct y) + count() + count(x)",
    "stddev": "stddev(x)",
    "filtered": "sum(x) filter (where y > 1)",
    "filtered count": "count() filter (where x > 0)",
    "of nothing": "max(x) filter (where y > 100)",
}
REFUSED = {
    "sqlite": {"lower", "upper", "ilike", "stddev"},
    "mysql": set[str](),
    "clickhouse": {"ilike"},
}


def _queries() -> dict[str, exp.Select]:
    found: dict[str, exp.Select] = {}
    key = exp.column("id", quoted=True)
    rows = exp.From(this=named("given"))
    for name, text in EXPRESSIONS.items():
        tree = parse_expression(text, FEATURES).tree
        value = exp.alias_(tree, "value", quoted=True)
        found[name] = exp.Select(expressions=[key.copy(), value], from_=rows.copy())
    for name, text in CONDITIONS.items():
        where = exp.Where(this=parse_condition(text, FEATURES).tree)
        found[name] = exp.Select(expressions=[key.copy()], from_=rows.copy(), where=where)
    for name, text in AGGREGATED.items():
        value = exp.alias_(parse_aggregate(text, FEATURES).tree, "value", quoted=True)
        found[name] = exp.Select(expressions=[value], from_=rows.copy())
    return found


QUERIES = _queries()


@pytest.fixture(scope="module")
def loaded(printed_for: Printed) -> Iterator[Printed]:
    load(printed_for, "given", ROWS)
    yield printed_for
    unload(printed_for, "given")


def test_every_function_is_among_them() -> None:
    assert set(FUNCTIONS) | set(AGGREGATES) <= {*EXPRESSIONS, *AGGREGATED}


@pytest.mark.parametrize("name", QUERIES)
def test_it_gives_the_same_or_is_refused(name: str, loaded: Printed) -> None:
    dialect = loaded.dialect
    if name in REFUSED[dialect]:
        with pytest.raises(NotInDialect, match=dialect):
            render(QUERIES[name].copy(), dialect)
        return
    found = loaded.rows(render(QUERIES[name].copy(), dialect))
    with duckdb.connect() as connection:
        connection.register("given", ROWS)
        expected = connection.sql(render(QUERIES[name].copy(), "duckdb")).df().astype(object)
    assert compared_rows(found) == compared_rows(expected)


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS.values() if d.name != "bigquery"])
def test_texts_and_names_are_read_again_as_they_are(dialect: str) -> None:
    for odd in ("it's", 'a "b" c', "a\\b\\", "`tick` [x]]", "ä%_;--"):
        tree = exp.Select(expressions=[exp.alias_(exp.Literal.string(odd), odd, quoted=True)])
        again = sqlglot.parse_one(render(tree, dialect), dialect=DIALECTS[dialect].printer)
        (found,) = again.find_all(exp.Alias)
        assert (found.alias, found.this.name) == (odd, odd)
