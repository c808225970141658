"""Every case in cases/ returns on Spark, with only its store changed, what it returns on DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compared_stores import copied, run_on_both
from support.ran_cases import CASES, RanCases
from support.spark_stores import Warehouse

from miningflow.verbs.verify import verify

pytestmark = pytest.mark.slow
# Java's logarithm and C's differ in the last digit, and a machine that learns from logarithms stops
# as soon as it is near enough: what it learned is moved, and all else is compared.
LEARNED_ELSEWHERE = ["drugstore"]


@pytest.mark.parametrize("name", [n for n in CASES if n not in LEARNED_ELSEWHERE])
def test_a_case_gives_the_same_on_both(
    ran_cases: RanCases, name: str, tmp_path: Path, warehouse: Warehouse
) -> None:
    here, there, compared = run_on_both(ran_cases, name, tmp_path, warehouse.connection)
    assert compared > len(here.bound.sources)
    schemas = {f"{here.name}_results", f"{here.name}_built"}
    assert {schema for schema, _ in warehouse.objects()} == schemas
    there.clean()
    assert list(warehouse.folder.glob("*.db")) == []


@pytest.mark.parametrize("name", LEARNED_ELSEWHERE)
def test_a_case_that_learned_elsewhere_gives_the_same(
    name: str, tmp_path: Path, warehouse: Warehouse
) -> None:
    here, there = copied(name, tmp_path, warehouse.connection)
    stores = [case.connection for case in (here, there)]
    named = [store for store in stores if store is not None]
    (found,) = verify(here.bound, named, learn_once=True)
    assert [step.name for step in found.steps if not step.equal] == []
    assert len(found.steps) > len(here.bound.sources)
