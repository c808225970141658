"""Every case in cases/ gives on Spark, with only its store changed, what it gives on DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest
from compared_stores import CASES, run_on_both
from spark_stores import Warehouse

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CASES)
def test_a_case_gives_the_same_on_both(name: str, tmp_path: Path, warehouse: Warehouse) -> None:
    here, there, compared = run_on_both(name, tmp_path, warehouse.connection)
    assert compared > len(here.project.bound.sources)
    schemas = {f"{here.name}_results", f"{here.name}_built"}
    assert {schema for schema, _ in warehouse.objects()} == schemas
    there.clean()
    assert list(warehouse.folder.glob("*.db")) == []
