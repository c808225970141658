"""Blocks are fused, pruned and printed as one SELECT each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import pytest
from sqlglot import exp, parse_one

from miningflow.sql.block import Append, Block, Join, PerEngine, Scan, Values, beside, grouped, over
from miningflow.sql.dialect import render
from miningflow.sql.literal_table import values_select
from miningflow.sql.literals import column, double

T = Scan("t", ("a", "b", "c"))
U = Scan("u", ("k", "v", "w"))


def _read(block: Block) -> dict[str, set[str]]:
    """Tells which columns are read of which scan."""
    found: dict[str, set[str]] = {}
    for scan, name in block.users("step", {}):
        found.setdefault(scan, set()).add(name)
    return found


def _tree(sql: str) -> exp.Expression:
    tree = parse_one(sql)
    assert isinstance(tree, exp.Expression)
    return tree


def _sql(block: Block) -> str:
    return str(block.select(lambda n: exp.to_table(n, quoted=True), "duckdb").sql(dialect="duckdb"))


@pytest.fixture(scope="module")
def rows() -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1, 10, 5), (2, 20, 6)) x(a, b, c)")
    connection.execute("CREATE TABLE u AS SELECT * FROM (VALUES (1, 7, 8), (1, 9, 0)) x(k, v, w)")
    return lambda block: sorted(connection.execute(_sql(block)).fetchall())


def _joined() -> Block:
    on = exp.EQ(this=column("a", "t"), expression=column("k", "u"))
    base = beside({"t": T, "u": U}, [Join("u", "left", on)])
    return Block({"b": column("b", "t"), "v": column("v", "u")}, base.inputs, base.joins)


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("a - b", "10 - x", [(10 - (1 - 10),), (10 - (2 - 20),)]),
        ("a - b", "x * 2", [((1 - 10) * 2,), ((2 - 20) * 2,)]),
        ("-a", "-x", [(1,), (2,)]),
        ("a + 1", "x / x", [(1.0,), (1.0,)]),
        ("CASE WHEN a > 1 THEN b ELSE c END", "x - 1", [(4,), (19,)]),
    ],
)
def test_fused_expressions_mean_what_steps_meant(
    rows: Any, first: str, then: str, expected: list[Any]
) -> None:
    block = over(T).extend({"x": _tree(first)}).extend({"y": _tree(then)}).project(["y"])
    assert _sql(block).count("SELECT") == 1
    assert rows(block) == sorted(expected)


def test_a_replaced_column_is_filtered_as_it_is_then(rows: Any) -> None:
    block = over(T).filter(_tree("a = 2")).extend({"a": _tree("a * 100")}).filter(_tree("a = 200"))
    assert rows(block) == [(200, 20, 6)]


def test_conditions_joins_order_and_groups_stay_when_pruned() -> None:
    filtered = over(T).filter(_tree("c > 5")).first(1, [column("b")])
    assert _read(filtered.prune(["a"])) == {"t": {"a", "b", "c"}}
    assert _read(_joined().prune(["b"])) == {"t": {"a", "b"}, "u": {"k"}}
    totals = grouped(U, ["k"], {"s": exp.Sum(this=column("v")), "m": exp.Max(this=column("w"))})
    assert _read(totals.prune(["s"])) == {"u": {"k", "v"}}


def test_pruning_goes_through_layers_and_unions() -> None:
    layered = over(T).extend({"x": _tree("a + b"), "y": _tree("c")}).layered()
    assert _read(layered.prune(["y"])) == {"t": {"c"}}
    both = over(Append((over(T).project(["a", "b"]), over(T).project(["a", "b"]))))
    pruned = both.prune(["b"])
    assert _read(pruned) == {"t": {"b"}}
    assert _sql(pruned).count('"a"') == 0


def test_rows_count_even_if_no_column_is_needed(rows: Any) -> None:
    counted = grouped(_joined(), (), {"n": exp.Count(this=exp.Star())})
    assert rows(counted.prune(["n"])) == [(3,)]


def test_a_column_to_group_by_can_be_renamed(rows: Any) -> None:
    block = grouped(U, {"key": "k"}, {"k": exp.Sum(this=column("v"))})
    assert rows(block) == [(1, 16)]


def test_nothing_is_fused_into_a_limit(rows: Any) -> None:
    sampled = over(T).first(1, [column("a")])
    assert rows(sampled.filter(_tree("a = 2"))) == []
    assert rows(sampled.extend({"x": double(1)}).project(["a", "x"])) == [(1, 1.0)]


def test_large_expressions_get_a_select_of_their_own() -> None:
    block = over(T)
    for _ in range(40):
        block = over(block).extend({"a": _tree("a + a")})
    assert len(_sql(block)) < 200_000


@dataclass(frozen=True)
class _Largest:
    """Adds the largest of a few numbers, times a column: by a list on DuckDB, else by a join."""

    inputs: tuple[str, ...] = ("a",)
    outputs: tuple[str, ...] = ("x",)
    tables: tuple[Values, ...] = (Values("numbers", ("n",), ((2.0,), (3.0,))),)

    def block(self, rows: Block, dialect: str) -> Block:
        largest = exp.Max(this=column("n", "numbers"))
        found = Block({"m": largest}, {"numbers": self.tables[0]})
        if dialect == "duckdb":
            added: exp.Expression = exp.Mul(
                this=column("a", "given"), expression=column("m", "found")
            )
            join = Join("found", "cross")
        else:
            number = exp.Mul(this=column("a", "given"), expression=column("n", "numbers"))
            found = Block({"m": exp.Max(this=number)}, {"numbers": self.tables[0]})
            added = column("m", "found")
            join = Join("found", "lateral")
        kept = {name: column(name, "given") for name in rows.columns}
        return Block({**kept, "x": added}, {"given": rows, "found": found}, (join,))


def _per_engine() -> Block:
    rows = over(T).extend({"kept": _tree("b + c")})
    return over(PerEngine(rows, _Largest(), (*rows.columns, "x"))).owned_by("step")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_part_is_written_for_the_engine_that_prints_it(rows: Any, dialect: str) -> None:
    block = _per_engine().project(["kept", "x"]).prune(["kept", "x"])
    (table,) = block.values()
    assert table.name == "step.numbers"
    tree = block.select(lambda n: exp.to_table(f'"{n}"'), dialect)
    sql = render(tree, "duckdb")  # DuckDB has lateral joins too, and OFFSET 0 does no harm
    assert ("LATERAL" in sql) == ("OFFSET 0" in sql) == (dialect == "postgres")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM (VALUES (1, 9, 5), (2, 20, 6)) x(a, b, c)"
        )
        values = render(values_select(table, "duckdb"), "duckdb")
        connection.execute(f'CREATE TABLE "step.numbers" AS {values}')
        assert sorted(connection.execute(sql).fetchall()) == [(14, 3.0), (26, 6.0)]


def test_a_part_for_an_engine_is_pruned_and_asked_like_others() -> None:
    block = _per_engine()
    assert _read(block.prune(["x"])) == {"t": {"a"}}
    assert _read(block.prune(["x", "kept"])) == {"t": {"a", "b", "c"}}
    users = block.prune(["x", "b"]).users("step", {"x": "later", "b": "later"})
    assert users == {("t", "a"): "step", ("t", "b"): "later"}
    without = block.prune(["kept"])
    assert _read(without) == {"t": {"b", "c"}}
    assert without.values() == []
    both = over(Append((block.project(["x"]), block.project(["x"])))).owned_by("later")
    assert {values.name for values in both.values()} == {"step.numbers"}


def test_a_table_of_numbers_is_doubles_on_postgres() -> None:
    values = Values("v", ("a", "b"), ((1.0, -2.5), (3.0, 1e-7)))
    sql = " ".join(render(values_select(values, "postgres"), "postgres").split())
    assert "CAST(1e0 AS DOUBLE PRECISION), -CAST(2.5e0 AS DOUBLE PRECISION)" in sql
    assert "(3e0, 1e-7)" in sql
