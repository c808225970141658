"""An export replaces files it wrote that nobody edited, and nothing else."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb
import pytest
from support.stores import change

import miningflow
from miningflow.checked_folder import CheckedFolder
from miningflow.errors import CompileError
from miningflow.export.folder import MANIFEST, Origin, write_folder
from miningflow.project import LoadedCase

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: view}
older: {operator: RowSelectionByQuery, input: filled, where: age > 40}
"""
ORIGIN = Origin("example", "script")


@pytest.fixture
def case(load_case: Callable[..., LoadedCase]) -> LoadedCase:
    loaded = load_case(STEPS)
    loaded.run()
    return loaded


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_case_gives_the_same_files(case: LoadedCase, tmp_path: Path) -> None:
    case.export("script", tmp_path / "one")
    case.run(full=True)
    case.export("script", tmp_path / "two")
    one, two = texts(tmp_path / "one"), texts(tmp_path / "two")
    assert one == two
    assert not [name for name, text in one.items() if str(tmp_path) in text]
    assert not [name for name in one if name.endswith(".part")]


def test_files_that_are_as_before_are_left_alone(case: LoadedCase, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    first = case.export("script", folder)
    assert set(first.changed) == set(first.files)
    stamp = (folder / "all.sql").stat().st_mtime_ns
    assert case.export("script", folder).changed == ()
    assert (folder / "all.sql").stat().st_mtime_ns == stamp


def test_files_of_steps_that_are_gone_are_removed(case: LoadedCase, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    origin = Origin("example", "script")
    write_folder(folder, origin, {"README.md": "", "deep/er/old.sql": "old"}, {})
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    done = write_folder(folder, origin, {"README.md": ""}, {})
    assert done.removed == ("deep/er/old.sql",)
    assert set(texts(folder)) == {"README.md", "mine.txt", MANIFEST}
    assert not (folder / "deep").exists()


def test_a_folder_with_other_things_is_refused(case: LoadedCase, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "precious.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(CompileError, match="is not empty, and holds no export of this case"):
        case.export("script", folder, force=True)
    assert texts(folder) == {"precious.txt": "precious"}


def test_the_export_of_another_case_or_form_is_refused(case: LoadedCase, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    case.export("script", folder)
    before = texts(folder)
    with pytest.raises(CompileError, match="holds an export of case 'example' to script"):
        case.export("dbt", folder)
    assert texts(folder) == before


def test_edited_files_are_named_and_kept_unless_forced(case: LoadedCase, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    case.export("script", folder)
    (folder / "all.sql").write_text("mine", encoding="utf-8")
    with pytest.raises(CompileError, match=r"were edited since they were exported: all\.sql"):
        case.export("script", folder)
    assert texts(folder)["all.sql"] == "mine"
    assert case.export("script", folder, force=True).changed == ("all.sql",)
    assert "CREATE" in texts(folder)["all.sql"]


def test_a_file_of_the_user_where_one_would_go_is_never_replaced(tmp_path: Path) -> None:
    write_folder(tmp_path, ORIGIN, {"a.sql": "a"}, {})
    (tmp_path / "b.sql").write_text("mine", encoding="utf-8")
    with pytest.raises(CompileError, match=r"files that no export made: b\.sql"):
        write_folder(tmp_path, ORIGIN, {"a.sql": "new", "b.sql": "b"}, {}, force=True)
    assert texts(tmp_path)["a.sql"] == "a"
    assert texts(tmp_path)["b.sql"] == "mine"


def test_links_are_refused(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    write_folder(folder, ORIGIN, {"a.sql": "a"}, {})
    (folder / "steps").symlink_to(outside)
    with pytest.raises(CompileError, match="is a link"):
        write_folder(folder, ORIGIN, {"steps/b.sql": "b"}, {})
    assert not list(outside.iterdir())


def test_an_export_that_was_interrupted_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path, ORIGIN, {"a.sql": "old", "b.sql": "old"}, {})
    take = CheckedFolder.take

    def interrupted(self: CheckedFolder, written: Path, name: str) -> None:
        if name == "b.sql":
            raise KeyboardInterrupt
        take(self, written, name)

    with monkeypatch.context() as patched:
        patched.setattr(CheckedFolder, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_folder(tmp_path, ORIGIN, {"a.sql": "new", "b.sql": "new"}, {})
    assert texts(tmp_path)["a.sql"] == "new"
    assert texts(tmp_path)["b.sql"] == "old"
    write_folder(tmp_path, ORIGIN, {"a.sql": "newer", "b.sql": "newer"}, {})
    assert {texts(tmp_path)[n] for n in ("a.sql", "b.sql")} == {"newer"}
    assert "begun" not in json.loads(texts(tmp_path)[MANIFEST])


def test_what_is_asked_of_a_case_that_did_not_run(load_case: Callable[..., LoadedCase]) -> None:
    case = load_case(STEPS)
    folder = case.path.parent / "out"
    with pytest.raises(CompileError, match="case 'example' has not run yet"):
        case.export("dbt", folder)
    case.run(to_step="filled")
    with pytest.raises(CompileError, match="step 'older' has not run yet"):
        case.export("dbt", folder)
    assert not folder.exists()


def test_a_step_that_changed_since_it_ran(load_case: Callable[..., LoadedCase]) -> None:
    load_case(STEPS).run()
    case = load_case(STEPS.replace("income", "household"))
    with pytest.raises(CompileError) as caught:
        case.export("script", case.path.parent / "out")
    assert "step 'filled' was changed since it ran" in str(caught.value)
    assert "case.yml:" in str(caught.value)


def test_tables_of_the_store_are_read_in_place(
    load_case: Callable[..., LoadedCase], tmp_path: Path
) -> None:
    change(
        tmp_path / "store.duckdb",
        'CREATE TABLE "my claims" AS SELECT i AS NR, i % 7 AS Who, i * 1.5 AS much, '
        "i > 12 AS late, TIMESTAMPTZ '2025-07-01 12:00:00+02' AS filed FROM range(20) AS t(i)",
    )
    concepts = """
concepts:
  Claim:
    key: nr
    features: {nr: key, who: nominal, amount: numeric, late: numeric, filed: time}
"""
    connect = """
connect:
  store: duckdb:///store.duckdb
  concepts:
    Claim: {table: '"my claims"', columns: {amount: much}}
"""
    steps = "large: {operator: RowSelectionByQuery, input: Claim, where: amount > 10}"
    case = load_case(steps, concepts=concepts, connect=connect)
    case.run()
    case.export("script", tmp_path / "out", schema="other")
    text = (tmp_path / "out" / "all.sql").read_text(encoding="utf-8")
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.execute(text)
        found = connection.sql("FROM other.large ORDER BY nr").fetchall()
        connection.execute("SET TimeZone = 'UTC'")  # as in the run
        assert found == connection.sql("FROM example_results.large ORDER BY nr").fetchall()
    assert len(found) == 13
    assert found[0] == (7, "0", 10.5, 0.0, datetime(2025, 7, 1, 10))


def test_data_that_lie_elsewhere_are_not_named(
    load_case: Callable[..., LoadedCase], tmp_path: Path
) -> None:
    case = load_case(STEPS)
    case.run()
    with_data = tmp_path / "with data"
    case.export("script", with_data, with_data=True)
    assert (with_data / "data" / "Customer.parquet").is_file()
    assert "'data/Customer.parquet'" in (with_data / "all.sql").read_text(encoding="utf-8")
    case.export("script", tmp_path / "beside" / "it")
    text = (tmp_path / "beside" / "it" / "all.sql").read_text(encoding="utf-8")
    assert "'../../Customer.parquet'" in text


def test_a_connection_file_may_name_files_outside_of_its_folder(
    write_case: Callable[..., Path], tmp_path: Path
) -> None:
    path = write_case("large: {operator: RowSelectionByQuery, input: Claim, where: amount > 10}")
    connect = tmp_path / "connections" / "other.yml"
    connect.parent.mkdir()
    concepts = ("Customer", "Claim", "Rating", "Prospect", "Scored")
    lines = [f"  {name}: {{file: ../{name}.parquet}}" for name in concepts]
    text = "\n".join(["store: duckdb:///../other.duckdb", "concepts:", *lines])
    connect.write_text(text, encoding="utf-8")
    case = miningflow.load(path, connect)
    case.run()
    case.export("script", tmp_path / "out")
    script = (tmp_path / "out" / "all.sql").read_text(encoding="utf-8")
    assert "['../Claim.parquet']" in script
    with contextlib.chdir(tmp_path / "out"), duckdb.connect() as connection:
        connection.execute(script)
        (count,) = connection.sql("SELECT count(*) FROM example_exported.large").fetchall()
    assert count == (case.table("large").num_rows,)


@pytest.mark.parametrize(("form", "dialect"), [("dbt", "spark"), ("sqlmesh", "postgres")])
def test_engines_that_nobody_tried_are_refused(case: LoadedCase, form: str, dialect: str) -> None:
    folder = case.path.parent / "out"
    with pytest.raises(CompileError, match=f"there is no {form} project for '{dialect}'"):
        case.export(form, folder, dialect=dialect)
