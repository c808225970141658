"""Every case in cases/ gives on Spark, with only its store changed, what it gives on DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest
from compared_stores import CASES, copied, run_on_both
from spark_stores import Warehouse

from miningflow import pipeline

pytestmark = pytest.mark.slow
# Java's logarithm and C's differ in the last digit, and a machine that learns from logarithms stops
# as soon as it is near enough: what it learned is moved, and all else is compared.
LEARNED_ELSEWHERE = ["drugstore.yml"]


@pytest.mark.parametrize("name", [n for n in CASES if n not in LEARNED_ELSEWHERE])
def test_a_case_gives_the_same_on_both(name: str, tmp_path: Path, warehouse: Warehouse) -> None:
    here, there, compared = run_on_both(name, tmp_path, warehouse.connection)
    assert compared > len(here.project.bound.sources)
    schemas = {f"{here.name}_results", f"{here.name}_built"}
    assert {schema for schema, _ in warehouse.objects()} == schemas
    there.clean()
    assert list(warehouse.folder.glob("*.db")) == []


@pytest.mark.parametrize("name", LEARNED_ELSEWHERE)
def test_a_case_that_learned_elsewhere_gives_the_same(
    name: str, tmp_path: Path, warehouse: Warehouse
) -> None:
    here, there = copied(name, tmp_path, warehouse.connection)
    stores = [case.project.connection for case in (here, there)]
    named = [store for store in stores if store is not None]
    (found,) = pipeline.verify(here.project, named, learn_once=True)
    assert [step.name for step in found.steps if not step.equal] == []
    assert len(found.steps) > len(here.project.bound.sources)
