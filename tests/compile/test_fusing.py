"""Runs of feature construction become one SELECT, and never grow without limit."""

from __future__ import annotations

from typing import Any

import sqlglot
from conftest import LoadCase
from sqlglot import exp

from miningflow import pipeline
from miningflow.project import LoadedCase


def _selects(case: LoadedCase, step: str) -> list[exp.Select]:
    piece = pipeline.compile_case(case.bound, case.connection).pieces[step]
    tree = piece.block.select(lambda name: exp.to_table(name, quoted=True), "duckdb")
    return list(tree.find_all(exp.Select))


def test_a_run_of_constructions_is_one_select(load_case: LoadCase) -> None:
    case = load_case(
        """
        all:
          chain:
            filled: {operator: AssignAverageValue, input: Customer, target: income}
            ratio: {operator: GenericFeatureConstruction, sql: income / household, output: ratio}
            scaled: {operator: LinearScaling, target: ratio}
            groups:
              operator: EquidistantDiscretizationGivenNoOfIntervals
              target: age
              intervals: 3
            known: {operator: AssignModalValue, target: region}
            mapped: {operator: Mapping, target: region, map: {north: n}}
        """
    )
    case.run()
    assert len(_selects(case, "mapped")) == 1
    script = case.compile()
    assert script.count("CREATE VIEW") == 1
    assert script.count(": fused into ") == 5


def test_fused_expressions_keep_their_order(load_case: LoadCase) -> None:
    case = load_case(
        """
        doubled: {operator: GenericFeatureConstruction, input: Customer, sql: age - 2, output: y}
        tripled: {operator: GenericFeatureConstruction, input: doubled, sql: 9 - y * 3, output: y}
        """
    )
    case.run()
    (select,) = _selects(case, "tripled")
    sql = select.sql(dialect="duckdb")
    assert '9e0 - ("age" - 2e0) * 3e0 AS "y"' in sql


def test_a_sample_is_not_filtered_before_it_is_drawn(load_case: LoadCase) -> None:
    case = load_case(
        """
        sample: {operator: RowSelectionByRandomSampling, input: Customer, how_many: 5}
        old: {operator: RowSelectionByQuery, input: sample, where: age > 40}
        new: {operator: GenericFeatureConstruction, input: sample, sql: age + 1, output: y}
        """
    )
    case.run()
    assert case.table("sample").num_rows == 5
    assert case.table("new").num_rows == 5
    expected = sum(age > 40 for age in case.table("sample")["age"].to_pylist())
    assert case.table("old").num_rows == expected


def test_repeated_doubling_does_not_blow_up(load_case: LoadCase) -> None:
    steps = ["s0: {operator: GenericFeatureConstruction, input: Customer, sql: age, output: x}"]
    steps += [
        f"s{i}: {{operator: GenericFeatureConstruction, input: s{i - 1}, sql: x + x, output: x}}"
        for i in range(1, 61)
    ]
    case = load_case("\n".join(steps))
    case.run()
    nodes = sum(1 for _ in sqlglot.parse_one(_view(case, "s60"), dialect="duckdb").walk())
    assert nodes < 30_000
    table = case.table("s60")
    ages, found = table["age"].to_pylist(), table["x"].to_pylist()
    assert found == [age * 2.0**60 for age in ages]


def test_a_long_chain_of_one_use_each_is_right(load_case: LoadCase) -> None:
    steps = ["s0: {operator: GenericFeatureConstruction, input: Customer, sql: age, output: x}"]
    steps += [
        f"s{i}: {{operator: GenericFeatureConstruction, input: s{i - 1}, "
        f"sql: x {'-*'[i % 2]} (1 - {i}), output: x}}"
        for i in range(1, 101)
    ]
    case = load_case("\n".join(steps))
    case.run()
    table = case.table("s100")
    expected = []
    for age in table["age"].to_pylist():
        value = age
        for i in range(1, 101):
            value = value - (1 - i) if i % 2 == 0 else value * (1 - i)
        expected.append(value)
    assert table["x"].to_pylist() == expected


def _view(case: LoadedCase, step: str) -> Any:
    piece = pipeline.compile_case(case.bound, case.connection).pieces[step]
    return piece.block.select(lambda name: exp.to_table(name, quoted=True), "duckdb").sql(
        dialect="duckdb"
    )
