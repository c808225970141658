"""Every case in cases/ gives on Spark, with only its store changed, what it gives on DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest
from compared_stores import CASES, run_on_both
from spark_stores import Warehouse

pytestmark = pytest.mark.slow
# Java's logarithm and C's differ in the last digit, and the machine that learns from logarithms
# stops as soon as it is near enough.
TOLERANCES = {"drugstore.yml": 1e-4}


@pytest.mark.parametrize("name", CASES)
def test_a_case_gives_the_same_on_both(name: str, tmp_path: Path, warehouse: Warehouse) -> None:
    here, there, compared = run_on_both(
        name, tmp_path, warehouse.connection, TOLERANCES.get(name, 1e-9)
    )
    assert compared > len(here.project.bound.sources)
    schemas = {f"{here.name}_results", f"{here.name}_built"}
    assert {schema for schema, _ in warehouse.objects()} == schemas
    there.clean()
    assert list(warehouse.folder.glob("*.db")) == []
