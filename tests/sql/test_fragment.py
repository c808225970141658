"""Expressions of a case: what they compute on DuckDB, and everything they must refuse."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.drawn_examples import drawn

from miningflow.sql.fragments import (
    Fragment,
    FragmentError,
    parse_aggregate,
    parse_condition,
    parse_expression,
)
from miningflow.sql.fragments.aggregates import AGGREGATES
from miningflow.sql.fragments.functions import FUNCTIONS

FEATURES = {
    "age": "numeric",
    "income": "numeric",
    "children": "numeric",
    "debt": "numeric",
    "nothing": "numeric",
    "größe": "numeric",
    "select": "numeric",
    "index": "numeric",
    "two words": "numeric",
    "Mixed": "numeric",
    'quo"te': "numeric",
    "region": "nominal",
    "note": "nominal",
    "flag": "binary",
    "born": "time",
    "seen": "time",
    "id": "key",
    "parent": "key",
}
BORN = datetime(1990, 2, 28, 13, 45, 59)
SEEN = datetime(2024, 2, 29, 0, 0, 1)
ROWS: list[dict[str, Any]] = [
    {
        "age": 30.0,
        "income": 1000.0,
        "children": 0.0,
        "debt": -2.5,
        "nothing": None,
        "größe": 1.8,
        "select": 7.0,
        "index": 3.0,
        "two words": 4.0,
        "Mixed": 5.0,
        'quo"te': 6.0,
        "region": "North",
        "note": None,
        "flag": "yes",
        "born": BORN,
        "seen": SEEN,
        "id": 9007199254740993,
        "parent": 2,
    },
    {
        "age": 50.0,
        "income": 3000.0,
        "children": 2.0,
        "debt": 1.0,
        "nothing": None,
        "größe": 1.6,
        "select": 1.0,
        "index": 1.0,
        "two words": 1.0,
        "Mixed": 1.0,
        'quo"te': 1.0,
        "region": "South",
        "note": "b",
        "flag": "no",
        "born": datetime(1970, 1, 1),
        "seen": datetime(2024, 3, 1),
        "id": 2,
        "parent": 2,
    },
]
ENGINE_TYPES = {
    "numeric": "DOUBLE",
    "nominal": "VARCHAR",
    "binary": "VARCHAR",
    "time": "TIMESTAMP",
    "key": "BIGINT",
}


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        columns = ", ".join(
            '"{}" {}'.format(name.replace('"', '""'), ENGINE_TYPES[kind])
            for name, kind in FEATURES.items()
        )
        connection.execute(f"CREATE TABLE rows ({columns})")
        marks = ", ".join("?" for _ in FEATURES)
        for row in ROWS:
            connection.execute(
                f"INSERT INTO rows VALUES ({marks})", [row[name] for name in FEATURES]
            )
        yield connection


def printed(fragment: Fragment) -> str:
    return fragment.tree.sql(dialect="duckdb", identify=True)


def first_row(database: duckdb.DuckDBPyConnection, fragment: Fragment) -> Any:
    sql = f'SELECT {printed(fragment)} AS x, typeof(x) FROM rows WHERE "parent" <> "id"'
    found = database.execute(sql).fetchone()
    assert found is not None
    value, kind = found
    if fragment.type == "numeric":
        assert kind == "DOUBLE"
    return value


def diagnostic(text: str, parse: Any = parse_expression) -> FragmentError:
    with pytest.raises(FragmentError) as caught:
        parse(text, FEATURES)
    return caught.value


VALUES: list[tuple[str, object]] = [
    ("age + 2 * 3 - 1", 35.0),
    ("-age", -30.0),
    ("- -age", 30.0),
    ("age - -5", 35.0),
    ("+age", 30.0),
    ("(age + 2) * 3", 96.0),
    ("age - (10 - 5)", 25.0),
    (".5 + 0.25", 0.75),
    ("1e3 + 1_000", 2000.0),
    ("9007199254740993", 9007199254740992.0),
    ("7 / 2", 3.5),
    ("age / children", None),
    ("income / nullif(children, 0)", None),
    ("age / (age - 30)", None),
    ("60 / age / 2", 1.0),
    ("60 / (age / 2)", 4.0),
    ("7 % 3", 1.0),
    ("-7 % 3", -1.0),
    ("7 % -3", 1.0),
    ("debt % 2", -0.5),
    ("age % children", None),
    ("2 * age % 7", 4.0),
    ("age % 7 * 2", 4.0),
    ("age + nothing", None),
    ("abs(debt)", 2.5),
    ("exp(0)", 1.0),
    ("exp(-1000)", 0.0),
    ("exp(1000)", None),
    ("exp(nothing)", None),
    ("ln(exp(1))", 1.0),
    ("ln(0)", None),
    ("ln(debt)", None),
    ("ln(debt + 3.5)", 0.0),
    ("log10(100)", 2.0),
    ("log10(debt)", None),
    ("1 + log10(1000) * 2", 1 + math.log(1000) / math.log(10) * 2),
    ("sqrt(16)", 4.0),
    ("sqrt(debt)", None),
    ("power(debt, 2)", 6.25),
    ("pow(debt, 3)", -15.625),
    ("2 * power(age, 2)", 1800.0),
    ("power(age - 28, 10)", 1024.0),
    ("power(debt, 0.5)", None),
    ("power(debt, age / 60)", None),
    ("power(debt, age / 15)", 6.25),
    ("power(children, -1)", None),
    ("power(children, debt)", None),
    ("power(children, 0)", 1.0),
    ("power(4, -0.5)", 0.5),
    ("power(age, income)", None),
    ("power(age, -income)", 0.0),
    ("power(income, 300)", None),
    ("power(nothing, 0)", None),
    ("round(debt)", -3.0),
    ("round(2.5)", 3.0),
    ("round(0.5)", 1.0),
    ("round(-0.5)", -1.0),
    ("round(2.345, 2)", 2.35),
    ("round(-1.25, 1)", -1.3),
    ("round(9007199254740991)", 9007199254740991.0),
    ("round(1e300, 15)", 1e300),
    ("round(nothing, 2)", None),
    ("floor(debt)", -3.0),
    ("ceil(debt)", -2.0),
    ("ceiling(1.2)", 2.0),
    ("sign(debt)", -1.0),
    ("greatest(age, 40, nothing)", 40.0),
    ("least(age, 40)", 30.0),
    ("greatest(born, '2000-01-01')", datetime(2000, 1, 1)),
    ("coalesce(nothing, null, 3)", 3.0),
    ("coalesce(note, region)", "North"),
    ("nullif(region, 'North')", None),
    ("lower(region)", "north"),
    ("upper(region)", "NORTH"),
    ("trim('  a ')", "a"),
    ("length('größe')", 5.0),
    ("length(note)", None),
    ("substring(region, 2)", "orth"),
    ("substr(region, 1, 2)", "No"),
    ("concat(region, note, '!')", "North!"),
    ("region || note", None),
    ("region || '-' || flag", "North-yes"),
    ("replace(region, 'or', 'ú')", "Núth"),
    ("year(born)", 1990.0),
    ("month(born)", 2.0),
    ("day(born)", 28.0),
    ("hour(born)", 13.0),
    ("minute(born)", 45.0),
    ("second(timestamp '2020-01-01 00:00:07.9')", 7.0),
    ("weekday(date '2024-03-04')", 1.0),
    ("weekday('2024-03-10')", 7.0),
    ("weekday(date '1969-12-31')", 3.0),
    ("10 - weekday(seen)", 6.0),
    ("days_between(born, seen)", (SEEN - BORN).total_seconds() / 86400),
    ("days_between(seen, date '2024-03-01')", 1 - 1 / 86400),
    ("case when age > 18 then 'adult' else 'child' end", "adult"),
    ("case region when 'North' then 1 when 'South' then 2 end", 1.0),
    ("case id when 9007199254740993 then 1 else 0 end", 1.0),
    ("case when age > 100 then 1 end", None),
    ("case when age > 100 then null else null end is null", True),
    ("größe * 10", 18.0),
    ('"größe" * 10', 18.0),
    ('"select" + "two words"', 11.0),
    ('"quo""te"', 6.0),
    ("index + 1", 4.0),
    ("AGE + mixed", 35.0),
    ("'it''s -- /* ; $1'", "it's -- /* ; $1"),
    ("flag", "yes"),
    ("date '2020-02-29'", datetime(2020, 2, 29)),
    ("age\n  + 1", 31.0),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[text for text, _ in VALUES])
def test_expression_on_duckdb(
    database: duckdb.DuckDBPyConnection, text: str, expected: object
) -> None:
    value = first_row(database, parse_expression(text, FEATURES))
    if isinstance(expected, float):
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    else:
        assert value == expected


CONDITIONS: list[tuple[str, bool | None]] = [
    ("age > 30", False),
    ("age >= 30 and region in ('North','South')", True),
    ("age <> 30 or flag = 'yes'", True),
    ("age != 30", False),
    ("age == 30", True),
    ("not age < 30", True),
    ("age between 20 and 40", True),
    ("age not between 20 and 40", False),
    ("age in (1, 30, null)", True),
    ("age not in (1, 2)", True),
    ("nothing = 1", None),
    ("nothing is null", True),
    ("nothing is not null", False),
    ("nothing = null", None),
    ("region like 'N%'", True),
    ("region not like 'N%'", False),
    ("region ilike 'n_rth'", True),
    ("region not ilike 'n%'", False),
    ("not (age > 30 or flag = 'no')", True),
    ("not age > 30 and flag = 'no'", False),
    ("flag = region", False),
    ("born < '1990-03-01'", True),
    ("born >= date '1990-02-28' and born < timestamp '1990-02-28 13:46:00'", True),
    ("born between '1990-01-01' and '1990-12-31T23:59:59'", True),
    ("born in ('1990-02-28 13:45:59')", True),
    ("id = 9007199254740993", True),
    ("id = 9007199254740992", False),
    ("id <> parent", True),
    ("id in (-1, 9007199254740993)", True),
    ("parent = '2'", True),
    ("(age > 1) = true", True),
    ("(age = 30) is null", False),
    ("region || 'x' = 'Northx'", True),
    ("case when age > 1 then true else false end", True),
    ("true", True),
    ("coalesce(nothing > 1, false)", False),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_condition_on_duckdb(
    database: duckdb.DuckDBPyConnection, text: str, expected: bool | None
) -> None:
    fragment = parse_condition(text, FEATURES)
    assert fragment.type == "boolean"
    assert first_row(database, fragment) is expected


AGGREGATED: list[tuple[str, object]] = [
    ("sum(age)", 80.0),
    ("avg(age)", 40.0),
    ("min(region)", "North"),
    ("max(born)", BORN),
    ("max(id)", 9007199254740993),
    ("count()", 2.0),
    ("count(*)", 2.0),
    ("count(note)", 1.0),
    ("count(distinct parent)", 1.0),
    ("stddev(age)", math.sqrt(200)),
    ("sum(nothing)", None),
    ("sum(age) / count()", 40.0),
    ("sum(age) / sum(nothing)", None),
    ("count() / count(nothing)", None),
    ("sum(age * children) / sum(children)", 50.0),
    ("round(avg(income) / 3, 1)", 666.7),
    ("100 * sum(case when flag = 'yes' then 1 else 0 end) / count()", 50.0),
    ("count() filter (where age > 40)", 1.0),
    ("avg(income) filter (where region like 'S%') - avg(income)", 1000.0),
    ("coalesce(sum(nothing), 0)", 0.0),
]


@pytest.mark.parametrize(("text", "expected"), AGGREGATED, ids=[text for text, _ in AGGREGATED])
def test_aggregate_on_duckdb(
    database: duckdb.DuckDBPyConnection, text: str, expected: object
) -> None:
    fragment = parse_aggregate(text, FEATURES)
    found = database.execute(f"SELECT {printed(fragment)} AS x, typeof(x) FROM rows").fetchone()
    assert found is not None
    if fragment.type == "numeric":
        assert found[1] == "DOUBLE"
    assert found[0] == (pytest.approx(expected) if isinstance(expected, float) else expected)


@pytest.mark.parametrize("unit", ["year", "month", "day", "hour", "minute", "second"])
def test_date_diff_counts_as_duckdb_does(database: duckdb.DuckDBPyConnection, unit: str) -> None:
    for start, end in [("born", "seen"), ("seen", "born")]:
        fragment = parse_expression(f"date_diff('{unit}', {start}, {end})", FEATURES)
        differing = database.execute(
            f"SELECT count(*) FROM rows WHERE {printed(fragment)} <> "
            f"date_diff('{unit}', {start}, {end})"
        ).fetchone()
        assert differing == (0,)


def test_weekday_is_iso(database: duckdb.DuckDBPyConnection) -> None:
    tree = printed(parse_expression("weekday(born)", {"born": "time"}))
    wrong = database.execute(
        f"SELECT count(*) FROM (SELECT unnest(range(TIMESTAMP '1960-01-01 23:00:00', "
        f"TIMESTAMP '1980-01-01', INTERVAL 1 DAY)) AS born) WHERE {tree} <> isodow(born)"
    ).fetchone()
    assert wrong == (0,)


TYPES = [
    ("age", "numeric"),
    ("region", "nominal"),
    ("flag", "binary"),
    ("(flag)", "binary"),
    ("coalesce(flag, 'x')", "nominal"),
    ("case when age > 1 then flag else flag end", "nominal"),
    ("born", "time"),
    ("id", "key"),
    ("coalesce(id, 0)", "key"),
    ("age > 1", "boolean"),
    ("length(region)", "numeric"),
]


@pytest.mark.parametrize(("text", "expected"), TYPES)
def test_type(text: str, expected: str) -> None:
    assert parse_expression(text, FEATURES).type == expected


def test_features_in_order_of_first_use() -> None:
    fragment = parse_expression("case when region = 'x' then AGE else income + age end", FEATURES)
    assert fragment.features == ("region", "age", "income")
    assert fragment.tree.parent is None


PRINTED = [
    ("age / children", '"age" / NULLIF("children", 0e0)', '"age" / NULLIF("children", 0e0)'),
    ("age / 2", '"age" / 2e0', '"age" / 2e0'),
    (
        "ln(age)",
        'CASE WHEN "age" > 0e0 THEN LN("age") END',
        'CASE WHEN "age" > 0e0 THEN LN("age") END',
    ),
    (
        "exp(age)",
        'CASE WHEN "age" < -600e0 THEN 0e0 WHEN "age" > 700e0 THEN NULL ELSE EXP("age") END',
        'CASE WHEN "age" < -600e0 THEN 0e0 WHEN "age" > 700e0 THEN NULL ELSE EXP("age") END',
    ),
    ("power(age, 2)", '("age" * "age")', '("age" * "age")'),
    (
        "year(born)",
        'CAST(EXTRACT(YEAR FROM "born") AS DOUBLE)',
        'CAST(EXTRACT(YEAR FROM "born") AS DOUBLE PRECISION)',
    ),
]


@pytest.mark.parametrize(("text", "duck", "postgres"), PRINTED)
def test_printed(text: str, duck: str, postgres: str) -> None:
    tree = parse_expression(f"({text})", FEATURES).tree
    bare = duck[1:-1] if duck.startswith("(") else duck
    assert tree.sql(dialect="duckdb", identify=True) == bare
    bare = postgres[1:-1] if postgres.startswith("(") else postgres
    assert tree.sql(dialect="postgres", identify=True) == bare


ATTACKS = [
    "read_csv('/etc/passwd')",
    "read_text('/etc/passwd')",
    "\"read_text\"('/etc/passwd')",
    "read_parquet('x') + 1",
    "glob('*')",
    "getenv('HOME')",
    "pg_read_file('/etc/passwd')",
    "pg_sleep(10)",
    "sleep(10)",
    "nextval('s')",
    "current_setting('x')",
    "current_user",
    "version()",
    "random()",
    "now()",
    "query('select 1')",
    "query_table('t')",
    "duckdb_settings()",
    "error('x')",
    "reflect('java.lang.Runtime', 'x')",
    "java_method('a', 'b')",
    "(select 1)",
    "age in (select age from rows)",
    "exists (select 1)",
    "age = any(select 1)",
    "age > all (select 1)",
    "select 1",
    "with t as (select 1) select 1",
    "from rows",
    "1; drop table t",
    ";",
    "1;",
    "1 -- x",
    "-- x\nage",
    "/* x */ age",
    "age /* x */ + 1",
    "age /* x",
    "1) from (select 1",
    "1, 2",
    "age as y",
    "age y",
    "age from rows",
    "copy rows to 'x'",
    "attach 'x'",
    "pragma version",
    "install httpfs",
    "load 'x'",
    "set x = 1",
    "call f()",
    "x.y",
    "rows.age",
    '"rows"."age"',
    "age.x",
    "born.year",
    "region.upper()",
    "$1",
    "$x",
    "?",
    ":x",
    "@x",
    "@@version",
    "#1",
    "'rows'::regclass",
    "age::int",
    "cast(age as int)",
    "try_cast(region as struct(a int))",
    "cast(region as json)",
    "E'a\\'b'",
    "e'\\x41'",
    "U&'\\0041'",
    "N'a'",
    "x'ff'",
    "b'01'",
    "0xFF",
    "$$a$$",
    "$tag$a$tag$",
    "'a' 'b'",
    "'a'\n'b'",
    "`age`",
    "[age]",
    "[x for x in [1]]",
    "array[1]",
    "age[1]",
    "region[1:2]",
    "{'a': 1}",
    "{{ age }}",
    "struct_pack(a := 1)",
    "row(1, 2)",
    "(1, 2)",
    "map([1], [2])",
    "list_transform([1], x -> x)",
    "lambda x: x",
    "x -> x + 1",
    "age := 1",
    "round(x := age)",
    "round(age => 1)",
    "age collate nocase",
    "born at time zone 'utc'",
    "interval '1 day'",
    "born + interval 1 day",
    "sum(age) over ()",
    "row_number() over (order by age)",
    "count() filter (where age > 1)",
    "*",
    "* exclude (age)",
    "columns('a')",
    "columns(*)",
    "count(*)",
    "age ** 2",
    "age ^ 2",
    "age // 2",
    "age & 1",
    "age | 1",
    "age << 1",
    "~age",
    "age!",
    "region ~ 'a'",
    "region similar to 'a'",
    "region glob 'a'",
    "region like 'a' escape 'b'",
    "region like note",
    "region like 'a\\%'",
    "region like any ('a')",
    "age is true",
    "age is distinct from 1",
    "age isnull",
    "age notnull",
    "age in region",
    "age in ()",
    "age in ((1, 2))",
    "trim(both 'x' from region)",
    "substring(region from 1 for 2)",
    "extract(year from born)",
    "position('a' in region)",
    "overlay(region placing 'a' from 1)",
    "if(age > 1, 1, 2)",
    "age if age else 1",
    "try(age)",
    "distinct age",
    "round(distinct age)",
    "age order by age",
    "age limit 1",
    "age union select 1",
    "values (1)",
    "table rows",
    "default",
    "age\u00a0+ 1",
    "age\u200b + 1",
    "age\u2028+ 1",
    "\uff41\uff47\uff45",
    "\u0430ge",
    "age \uff0b 1",
    "age\x00",
    "'\x00'",
    "'\ud800'",
    "\x01abs(age)",
    "'open",
    '"open',
    "",
    "   ",
    "1e999",
    "1.2.3",
    "..5",
    "date 'x'",
    "date '2020-01-01' '2'",
    "date(born)",
    "timestamp age",
    "case end",
    "case when age > 1 then 1",
    "end",
    ")(",
    "()",
    "and",
    "not",
    "in",
    "age + like",
    "age = between",
]


@pytest.mark.parametrize("parse", [parse_expression, parse_condition])
@pytest.mark.parametrize("text", ATTACKS, ids=[ascii(text) for text in ATTACKS])
def test_attack_is_refused(text: str, parse: Any) -> None:
    assert diagnostic(text, parse).message


@pytest.mark.parametrize("text", ATTACKS, ids=[ascii(text) for text in ATTACKS])
def test_attack_inside_an_aggregate_is_refused(text: str) -> None:
    assert diagnostic(f"sum({text})", parse_aggregate).message


REFUSALS: list[tuple[str, str, int | None]] = [
    ("agee + 1", "no feature 'agee'; did you mean 'age'?", 0),
    ("1 + agee", "features are: age, income, children", 4),
    ('"AGE"', "no feature 'AGE'; did you mean 'age'?", 0),
    ("Customer.age", "write the plain feature name", 0),
    ("read_csv('x')", "function 'read_csv' is not allowed in expressions", 0),
    ("lenght(region)", "did you mean 'length'?", 0),
    ("1 + foo(2)", "allowed are: abs, ceil", 4),
    ("log(age)", "did you mean 'log10'?", 0),
    ("sum(age)", "use the operator AggregateByRelation", 0),
    ("age = 'old'", "age is numeric, 'old' is text: they cannot be compared", 6),
    ("'old' = age", "'old' is text, age is numeric: they cannot be compared", 0),
    ("age = '5'", "numbers stand without quotes: 5", 6),
    ("region = 5", "texts stand in quotes: '5'", 9),
    ("flag = true", "texts stand in quotes: 'true'", None),
    ("region + 1", "'+' wants numeric, region is nominal", 0),
    ("age || 'x'", "'||' wants text, age is numeric", 0),
    ("age and flag = 'x'", "AND wants boolean, age is numeric", 0),
    ("not age", "NOT wants boolean, age is numeric", 4),
    ("born > 5", "born is time, 5 is numeric: they cannot be compared", 7),
    ("born > 'soon'", "'soon' is not a date", 7),
    ("born > '2020-01-01T00:00:00Z'", "has a time zone", 7),
    ("born - born", "'-' wants numeric, born is time", 0),
    ("id = age", "id is key, age is numeric: they cannot be compared", 5),
    ("id = 5.5", "id is key, 5.5 is numeric", 5),
    ("id + 1", "a key can be compared and counted, nothing else", 0),
    (
        "case when age > 1 then 1 else 'x' end",
        "1 is numeric, 'x' is text: they cannot be mixed",
        30,
    ),
    ("case when age then 1 end", "WHEN wants boolean, age is numeric", 10),
    ("coalesce(age, region)", "age is numeric, region is nominal: they cannot be mixed", 14),
    ("greatest(region, 'a')", "wants numeric or time", 0),
    ("age > 1 = true", "age > 1 needs parentheses", 0),
    ("(age > 1) < true", "use = or <>", 1),
    ("round(age, children)", "must be a whole number from 0 to 15", 11),
    ("round(age, 16)", "must be a whole number from 0 to 15", 11),
    ("substring(region, 0)", "the start must be a whole number from 1", 18),
    ("replace(region, '', 'x')", "not empty", 16),
    ("date_diff('dya', born, seen)", "did you mean 'day'?", 10),
    ("ln()", "ln() does not take 0 arguments", 0),
    ("ln(1, 2)", "write ln(x)", 0),
    ("age is true", "only as IS NULL and IS NOT NULL", 0),
    ("age in region", "IN wants a list", 0),
    ("cast(age as int)", "casts are not allowed", 0),
    ("age::int", "casts are not allowed", 3),
    ("age as y", "aliases are not allowed", 4),
    ("age income", "an operator is missing before 'income'", 4),
    ("age -- x", "comments are not allowed", 4),
    ("age; drop", "';' and a second statement are not allowed", 3),
    ("$1", "parameters are not allowed", 0),
    ("1, 2", "only one expression is allowed, not a list", 1),
    ("1) + (2", "')' closes nothing", 1),
    ("(1", "not closed", 1),
    ("age +", "cannot be read near '+'", 4),
    ("age\u00a0+ 1", "the space U+00A0 is not allowed", 3),
    ("[age]", "lists and indexing are not allowed", 0),
    ("interval '1 day'", "use date_diff or days_between", 0),
    ("null", "always NULL", 0),
    ("1e999", "not a number of double size", 0),
    ("coalesce(age,, 1)", "a value is missing before ','", 13),
    ("coalesce(age, 1,)", "a value is missing before ')'", 16),
    ("upper(, region)", "a value is missing before ','", 6),
    ("age in (1,)", "a value is missing before ')'", 10),
    ("round(age, +)", "a value is missing before ')'", 12),
    ("greatest(age, -, 1)", "a value is missing before ','", 15),
    ("case + when age > 1 then 2 end", "a value is missing before 'when'", 7),
    ("case when age > 1 then + end", "a value is missing before 'end'", 25),
    ("ilike(7)", "a value is missing before 'ilike'", 0),
    ("substr(ilike(region, 'a'), 2)", "a value is missing before 'ilike'", 7),
    ("age = in (1, 2)", "a value is missing before 'in'", 6),
    ("age > 1e-1_000", "'_' is not allowed in the exponent of '1e-1_000'", 6),
    ("age > .5E1_0", "'_' is not allowed in the exponent of '5E1_0'", 7),
    ("+ not (age > 1)", "'+' wants numeric, not a condition", 0),
    ("age not null", "write for example x is not null", 4),
    ("age not is null", "NOT stands after a value", 4),
    ("age is not + null", "'+' stands after IS", 11),
    ("age is - null", "'-' stands after IS", 7),
]


@pytest.mark.parametrize(("text", "phrase", "offset"), REFUSALS, ids=[r[0] for r in REFUSALS])
def test_refusal(text: str, phrase: str, offset: int | None) -> None:
    caught = diagnostic(text)
    assert phrase in str(caught)
    assert caught.offset == offset


AGGREGATE_REFUSALS = [
    ("age", "'age' stands outside of an aggregate"),
    ("sum(age) + age", "'age' stands outside of an aggregate"),
    ("sum(avg(age))", "avg() stands inside another aggregate"),
    ("1 + 1", "an aggregate is missing"),
    ("sum()", "write sum(x)"),
    ("sum(region)", "sum() wants numeric, region is nominal"),
    ("sum(age > 1)", "sum() wants numeric, age > 1 is boolean"),
    ("min(age > 1)", "min() wants a number, text, time or key"),
    ("sum(distinct age)", "sum() is not written like this"),
    ("count(distinct age, income)", "count(distinct x)"),
    ("count(age, income)", "count(distinct x)"),
    ("median(age)", "function 'median' is not allowed"),
    ("sum(age) over ()", "window functions are not allowed"),
    ("ln(sum(age)) filter (where age > 1)", "FILTER is allowed only after an aggregate"),
    ("sum(age) filter (where age)", "WHERE wants boolean, age is numeric"),
    ("sum(age) filter (where sum(age) > 1)", "sum() stands inside another aggregate"),
    ("sum(age) total", "no feature 'total'"),
]


@pytest.mark.parametrize(("text", "phrase"), AGGREGATE_REFUSALS)
def test_aggregate_refusal(text: str, phrase: str) -> None:
    assert phrase in str(diagnostic(text, parse_aggregate))


def test_subquery_is_refused_by_name() -> None:
    for text in ["(select 1)", "age in (select 1)", "exists(select 1)"]:
        with pytest.raises(FragmentError, match="subqueries and statements are not allowed"):
            parse_expression(text, {"age": "numeric"})


def test_condition_must_be_boolean() -> None:
    assert "a condition must be true or false, age is numeric" in str(
        diagnostic("age", parse_condition)
    )


def test_ambiguous_case_is_refused() -> None:
    features = {"Age": "numeric", "aGe": "numeric"}
    assert parse_expression("aGe", features).features == ("aGe",)
    with pytest.raises(FragmentError, match="'AGE' could be 'Age' or 'aGe'"):
        parse_expression("AGE", features)


def test_at_most_twelve_features_are_listed() -> None:
    features = {f"feature{number}": "numeric" for number in range(20)}
    with pytest.raises(FragmentError) as caught:
        parse_expression("x", features)
    assert caught.value.hint.count("feature1") == 3
    assert caught.value.hint.endswith("feature11, …")


DEEP = {
    "parentheses": lambda n: "(" * n + "age" + ")" * n,
    "functions": lambda n: "abs(" * n + "age" + ")" * n,
    "guards": lambda n: "ln(" * n + "age" + ")" * n,
    "roundings": lambda n: "round(" * n + "age" + ")" * n,
    "cases": lambda n: "case when age > 1 then " * n + "1" + " end" * n,
    "minus": lambda n: "- " * n + "age",
    "not": lambda n: "not " * n + "(age > 1)",
    "sum": lambda n: "age" + " + age" * n,
    "quotients": lambda n: "age" + " / age" * n,
    "remainders": lambda n: "age" + " % age" * n,
    "and": lambda n: "age > 1" + " and age > 1" * n,
    "mixed": lambda n: "not - (" * n + "age" + ")" * n,
    "open": lambda n: "(" * n,
    "closed": lambda n: ")" * n,
}


@pytest.mark.parametrize("size", [201, 400, 900, 5_000, 100_000])
@pytest.mark.parametrize("shape", DEEP)
def test_deep_nesting_is_a_mistake(shape: str, size: int) -> None:
    assert diagnostic(DEEP[shape](size)).message


@pytest.mark.parametrize("shape", ["parentheses", "minus", "sum", "and", "quotients"])
def test_moderate_nesting_is_read(database: duckdb.DuckDBPyConnection, shape: str) -> None:
    first_row(database, parse_expression(DEEP[shape](40), FEATURES))


def test_little_stack_left_is_a_mistake_or_a_result() -> None:
    def deeper(levels: int) -> None:
        if levels:
            deeper(levels - 1)
            return
        try:
            parse_expression(DEEP["functions"](190), FEATURES)
        except FragmentError as caught:
            assert "nested too deeply" in caught.message

    deeper(600)


def test_guards_may_not_explode() -> None:
    assert "larger than 5000 parts" in diagnostic(DEEP["roundings"](30)).message
    assert "larger than 5000 parts" in diagnostic(DEEP["remainders"](30)).message


def test_long_text_is_refused() -> None:
    assert "at most 20000 are allowed" in diagnostic("'" + "x" * 20_000 + "'").message


VOCABULARY = r"""
age region flag born id größe select ( ) ( ) , , + - * / % || = <> < >= and or not in between like
ilike is null true false case when then else end date timestamp filter where distinct over cast as
:: . ; -- /* */ ' " $ ? [ ] { } := -> e' x' 1 2.5 .5 1e3 'a' '2020-01-01' 'day' 'a%' "age" "select"
interval exists from \
"""
WORDS = [*FUNCTIONS, *AGGREGATES, *VOCABULARY.split()]


@settings(max_examples=drawn(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
@example("a" * 20_001)
@example("'\\")
def test_random_text_gives_a_fragment_or_a_mistake(text: str) -> None:
    for parse in (parse_expression, parse_condition, parse_aggregate):
        try:
            printed(parse(text, FEATURES))
        except FragmentError as caught:
            assert caught.offset is None or 0 <= caught.offset <= len(text)


NUMBERS = st.recursive(
    st.sampled_from(["age", "debt", "nothing", "children", "0", "1.5", "-2", "income"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/%"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | st.tuples(st.sampled_from(["ln", "sqrt", "round", "floor", "sign", "abs"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        )
        | st.tuples(inner, inner).map(lambda t: f"case when {t[0]} > {t[1]} then {t[0]} end")
    ),
    max_leaves=5,
)


@settings(
    max_examples=drawn(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(NUMBERS)
def test_random_arithmetic_runs_on_duckdb(database: duckdb.DuckDBPyConnection, text: str) -> None:
    try:
        fragment = parse_expression(text, FEATURES)
    except FragmentError as caught:
        assert "larger than" in caught.message
        return
    value = first_row(database, fragment)
    assert value is None or not math.isnan(value)


@settings(max_examples=drawn(100), deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e6, 1e6))
def test_power_is_finite_or_null(
    database: duckdb.DuckDBPyConnection, base: float, exponent: float
) -> None:
    value = first_row(database, parse_expression(f"power({base!r}, {exponent!r})", FEATURES))
    assert value is None or math.isfinite(value)
