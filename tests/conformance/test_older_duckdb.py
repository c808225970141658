"""Every operator and every case returns on DuckDB 1.5 what it returns on the installed DuckDB."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from support import trap_case
from support.compared_stores import assert_equal, published
from support.older_duckdb import older_duckdb, ran_on_it
from support.ran_cases import CASES, RanCases, copy_cases
from test_other_engines import whole_catalogue

import miningflow

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def older(pytestconfig: pytest.Config) -> Path:
    if duckdb.__version__.startswith("1.5."):
        pytest.skip("this is a DuckDB 1.5 already")
    return older_duckdb(pytestconfig)


@pytest.mark.parametrize("name", [*CASES, "traps", "operators"])
def test_it_gives_the_same(ran_cases: RanCases, name: str, tmp_path: Path, older: Path) -> None:
    folders = {side: tmp_path / side for side in ("here", "there")}
    if name in CASES:
        for folder in folders.values():
            copy_cases(folder)
        ran_cases.copy_results(name, folders["here"])
        name = f"{name}.yml"
    else:
        for folder in folders.values():
            folder.mkdir()
            written = (
                trap_case.write(folder) if name == "traps" else whole_catalogue().load(folder).path
            )
            text = written.read_text(encoding="utf-8")
            kept = text.replace("store: duckdb://\n", "store: duckdb:///store.duckdb\n")
            written.write_text(kept, encoding="utf-8")
        name = written.name
    here = miningflow.load(folders["here"] / name)
    here.run(target=tmp_path / "target")
    concepts = [*here.bound.sources, *here.bound.steps]
    made = tmp_path / "made"
    made.mkdir()
    found = ran_on_it(older, folders["there"] / name, concepts, made)
    wanted = {n: table for n in concepts if (table := published(here, n)) is not None}
    assert found.keys() == wanted.keys()
    for concept, expected in wanted.items():
        assert_equal(found[concept], expected, concept)
