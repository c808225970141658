"""Lineage of blocks, each worked out by hand."""

from __future__ import annotations

from sqlglot import exp, parse_one

from miningflow.sql.block import (
    Append,
    Block,
    Join,
    Named,
    PerEngine,
    Recursion,
    Scan,
    Shapes,
    Values,
    beside,
    grouped,
    over,
)
from miningflow.sql.lineage import Lineage, lineage, scanned
from miningflow.sql.literals import column

PEOPLE = Scan("People", ("id", "age", "income", "city"))
CLAIMS = Scan("Claims", ("claim", "person", "amount"))


def sql(text: str) -> exp.Expression:
    tree = parse_one(text, dialect="duckdb")
    assert isinstance(tree, exp.Expression)
    return tree


def shown(found: Lineage) -> dict[str, set[str]]:
    columns = {
        name: {f"{u.source}.{u.column} {u.how}" for u in uses}
        for name, uses in found.columns.items()
    }
    return {**columns, "rows": {f"{u.source}.{u.column} {u.how}" for u in found.rows}}


def test_what_is_passed_on_is_the_same_and_what_is_computed_is_not() -> None:
    block = over(PEOPLE).extend({"more": sql("age + 1"), "known": sql("coalesce(income, 0)")})
    found = shown(lineage(block))
    assert found["id"] == {"People.id IDENTITY"}
    assert found["more"] == {"People.age TRANSFORMATION"}
    assert found["known"] == {"People.income TRANSFORMATION"}
    assert found["rows"] == set()


def test_a_condition_is_looked_at_and_a_result_is_used() -> None:
    block = over(PEOPLE).extend({"x": sql("case when age > 40 then income else 0 end")})
    assert shown(lineage(block))["x"] == {"People.age CONDITIONAL", "People.income TRANSFORMATION"}


def test_a_filter_is_for_all_columns_and_stays_when_layers_follow() -> None:
    block = over(PEOPLE).filter(sql("city = 'here'")).layered().project(["age"])
    assert shown(lineage(block)) == {
        "age": {"People.age IDENTITY"},
        "rows": {"People.city FILTER"},
    }


def test_a_column_that_is_computed_and_then_filtered_by() -> None:
    block = over(PEOPLE).extend({"ratio": sql("income / age")}).layered()
    found = shown(lineage(block.filter(sql("ratio > 1")).project(["id"])))
    assert found["rows"] == {"People.income FILTER", "People.age FILTER"}


def test_groups_and_aggregates() -> None:
    block = grouped(CLAIMS, ["person"], {"total": sql("sum(amount)"), "n": sql("count(*)")})
    assert shown(lineage(block)) == {
        "person": {"Claims.person IDENTITY"},
        "total": {"Claims.amount AGGREGATION"},
        "n": set(),
        "rows": {"Claims.person GROUP_BY"},
    }


def test_an_aggregate_stays_one_when_it_is_computed_with() -> None:
    totals = grouped(CLAIMS, ["person"], {"total": sql("sum(amount)")})
    block = over(totals).extend({"twice": sql("2 * total")})
    assert shown(lineage(block))["twice"] == {"Claims.amount AGGREGATION"}


def test_the_condition_of_an_aggregate() -> None:
    block = grouped(CLAIMS, [], {"n": sql("sum(amount) filter (where person > 3)")})
    assert shown(lineage(block))["n"] == {"Claims.amount AGGREGATION", "Claims.person FILTER"}


def test_joins_decide_on_rows() -> None:
    on = exp.EQ(this=column("id", "a"), expression=column("person", "b"))
    joined = beside({"a": PEOPLE, "b": CLAIMS}, [Join("b", "left", on)])
    columns = {"age": column("age", "a"), "amount": column("amount", "b")}
    block = Block(columns, joined.inputs, joined.joins)
    assert shown(lineage(block)) == {
        "age": {"People.age IDENTITY"},
        "amount": {"Claims.amount IDENTITY"},
        "rows": {"People.id JOIN", "Claims.person JOIN"},
    }
    assert scanned(block) == {"People", "Claims"}


def test_windows_look_at_other_columns() -> None:
    block = over(PEOPLE).extend(
        {
            "before": sql("lag(income) over (partition by city order by age)"),
            "most": sql("max(income) over (partition by city)"),
            "nr": sql("row_number() over (order by age)"),
        }
    )
    found = shown(lineage(block))
    looked = {"People.city WINDOW", "People.age WINDOW"}
    assert found["before"] == {"People.income TRANSFORMATION", *looked}
    assert found["most"] == {"People.income AGGREGATION", "People.city WINDOW"}
    assert found["nr"] == {"People.age WINDOW"}


def test_the_first_rows_of_an_order() -> None:
    block = over(PEOPLE).first(5, [sql("age")]).project(["id"])
    assert shown(lineage(block)) == {"id": {"People.id IDENTITY"}, "rows": {"People.age SORT"}}


def test_rows_of_several_branches() -> None:
    young = over(PEOPLE).filter(sql("age < 30")).project(["id"])
    claimed = over(CLAIMS).derive({"id": sql("person")})
    found = shown(lineage(over(Append((young, claimed)))))
    assert found == {
        "id": {"People.id IDENTITY", "Claims.person IDENTITY"},
        "rows": {"People.age FILTER"},
    }


def test_literal_tables_come_from_nowhere() -> None:
    means = Values("means", ("city", "mean"), (("here", 1.0),), texts=("city",))
    on = exp.EQ(this=column("city", "a"), expression=column("city", "b"))
    joined = beside({"a": PEOPLE, "b": means}, [Join("b", "left", on)])
    columns = {"id": column("id", "a"), "mean": column("mean", "b")}
    found = shown(lineage(Block(columns, joined.inputs, joined.joins)))
    assert found == {"id": {"People.id IDENTITY"}, "mean": set(), "rows": {"People.city JOIN"}}


def test_lateral_inputs_read_those_before_them() -> None:
    inner = Block({"sum": sql("a.age + a.income")}, {"one": Values("one", ("x",), ((1.0,),))})
    joined = beside({"a": PEOPLE, "b": inner}, [Join("b", "lateral")])
    found = shown(lineage(Block({"s": column("sum", "b")}, joined.inputs, joined.joins)))
    assert found["s"] == {"People.age TRANSFORMATION", "People.income TRANSFORMATION"}


def test_a_recursion_goes_back_to_all_that_its_rows_were_made_of() -> None:
    rows = over(PEOPLE).project(["id", "age", "income"])
    first = over(Named("r", ("id", "age", "income"))).derive(
        {"id": sql("id"), "level": sql("age"), "last": sql("age")}
    )
    joined = beside(
        {"r": Named("r", ("id", "age", "income")), "s": Named("s", ("id", "level", "last"))},
        [Join("s", "inner", sql("r.id = s.id + 1"))],
    )
    then = Block(
        {"id": sql("r.id"), "level": sql("s.level + r.income"), "last": sql("s.level")},
        joined.inputs,
        joined.joins,
    )
    found = shown(lineage(over(Recursion("s", "r", rows, first, then))))
    made = {"People.age IDENTITY", "People.age TRANSFORMATION", "People.income TRANSFORMATION"}
    assert found["level"] == made
    assert found["last"] == made
    assert found["rows"] == {"People.id JOIN"}


class Machine(Shapes):
    inputs = ("age", "income")
    outputs = ("score",)
    tables = ()

    def block(self, rows: Block, dialect: str) -> Block:
        raise AssertionError("lineage does not depend on an engine")


def test_a_model_is_made_of_all_that_it_reads() -> None:
    rows = over(PEOPLE).extend({"income": sql("case when age > 3 then income end")})
    source = PerEngine(rows, Machine(), ("id", "score"))
    found = shown(lineage(over(source)))
    assert found["id"] == {"People.id IDENTITY"}
    direct = {"People.age TRANSFORMATION", "People.income TRANSFORMATION"}
    assert found["score"] == {*direct, "People.age CONDITIONAL"}
    assert scanned(over(source)) == {"People"}
