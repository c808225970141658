"""Every case in cases/ returns on PostgreSQL what it returns on DuckDB; only the store differs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.compared_stores import run_on_both
from support.postgres_stores import Database
from support.ran_cases import CASES, RanCases

# A good part of the operators in little time; the others run in `make test-long`.
QUICK = {"club"}


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in CASES]
)
def test_a_case_gives_the_same_on_both(
    ran_cases: RanCases, name: str, tmp_path: Path, database: Database
) -> None:
    here, there, compared = run_on_both(ran_cases, name, tmp_path, database.url)
    assert compared == len(database.results(here.name)) - _values(database, here.name)
    there.clean()
    assert database.objects(here.name) == set()


def _values(database: Database, case: str) -> int:
    """Counts the views of support vectors and the like, which belong to a step."""
    built = {n for schema, n in database.objects(case) if schema == f"{case}_built"}
    return sum(bool(re.search(r"__\d+: ", name)) for name in built)
