"""A case on a Spark that this process drives: names, sources, commands, and what goes wrong."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import framed_case
from support.command_line import accepted, refused, started
from support.compared_stores import assert_equal
from support.spark_session import why_absent
from support.spark_stores import Warehouse
from support.trusting import load_trusted

import miningflow as mf
from miningflow.engines.spark.address import spark_address
from miningflow.engines.spark.folder import FolderCatalog
from miningflow.errors import EngineError
from miningflow.sql.stored import stored_name

CASE = """\
case: Größe und "Alter"
concepts:
  Person of ours:
    key: id
    holdout: {share: 0.3, seed: 1}
    features:
      {id: key, age: numeric, 'in come': numeric, region: nominal, since: time, left: binary}
steps:
  filled in:
    operator: AssignAverageValue
    input: Person of ours
    target: in come
    materialize: view
  only grown: {operator: RowSelectionByQuery, input: filled in, where: age > 20}
  Judged:
    operator: SupportVectorMachineForClassification
    input: only grown
    target: left
    positive: 'yes'
    predictors: [age, in come]
    kernel: radial
    C: 1
    output: risk
    materialize: table
data_tests:
  Judged: [{not_null: risk}]
connect:
  store: STORE
  concepts:
    Person of ours: {SOURCE, columns: {since: joined}}
"""


RESULTS = stored_name('Größe und "Alter"_results', "spark")
BUILT = stored_name('Größe und "Alter"_built', "spark")


def people(count: int = 120) -> pa.Table:
    ages = [18 + i * 7 % 60 for i in range(count)]
    return pa.table(
        {
            "id": range(1, count + 1),
            "Age": pa.array([None if i % 17 == 0 else a for i, a in enumerate(ages)], pa.int32()),
            "in come": [None if i % 11 == 0 else 1000.5 + i * 37 % 500 for i in range(count)],
            "region": [("north", "süd", "o'st", None)[i % 4] for i in range(count)],
            "joined": pa.array(
                [1_500_000_000_000_000 + i * 10**10 for i in range(count)], pa.timestamp("us")
            ),
            "left": ["yes" if i * 13 % 7 + a % 4 < 4 else "no" for i, a in enumerate(ages)],
        }
    )


def write(
    folder: Path, store: str, source: str = "file: people.parquet", name: str = "case"
) -> Path:
    pq.write_table(people(), folder / "people.parquet")
    path = folder / f"{name}.yml"
    path.write_text(CASE.replace("STORE", store).replace("SOURCE", source), encoding="utf-8")
    return path


@pytest.mark.slow
def test_odd_names_give_the_same_and_are_found_again(tmp_path: Path, warehouse: Warehouse) -> None:
    there = load_trusted(write(tmp_path, warehouse.connection))
    here = load_trusted(write(tmp_path, "duckdb:///store.duckdb", name="here"))
    first, second = here.run(), there.run()
    assert [(s.name, s.rows) for s in second.stages] == [(s.name, s.rows) for s in first.stages]
    for name in ("Person of ours", "filled in", "only grown", "Judged"):
        assert_equal(there.table(name), here.table(name), name)
    assert_equal(there.score(), here.score(), "scores")
    assert {s for s, _ in warehouse.objects()} == {
        stored_name(f'Größe und "Alter"_{kind}', "spark") for kind in ("results", "built")
    }
    assert there.run().run is None
    events = {e["job"]["name"].partition(".")[2]: e for e in there.lineage()}
    assert events["Judged"]["outputs"][0]["namespace"] == f"spark://{warehouse.folder.resolve()}"
    assert events["Judged"]["outputs"][0]["name"].endswith("_results.Judged")
    assert there.test().passed
    assert there.stats("Judged")["Judged"].rows == here.stats("Judged")["Judged"].rows
    assert there.run(full=True).run == 2
    assert {"schema", "table", "view"} <= {o.kind for o in there.clean()}
    assert list(warehouse.folder.glob("*.db")) == []


@pytest.mark.slow
def test_a_folder_of_parquet_files_is_a_table(tmp_path: Path, warehouse: Warehouse) -> None:
    place = warehouse.folder / "crm.db" / "people"
    place.mkdir(parents=True)
    case = load_trusted(write(tmp_path, warehouse.connection, "table: crm.People"))
    pq.write_table(people(), place / "a.parquet")
    assert case.run().run == 1
    assert case.run().run is None
    pq.write_table(people(30), place / "b.parquet")
    with pytest.raises(mf.MiningFlowError, match="is not unique"):
        case.run()
    pq.write_table(people(150).slice(120), place / "b.parquet")
    assert case.run().stages[0].rows == 150
    case.clean()
    assert sorted(p.name for p in place.iterdir()) == ["a.parquet", "b.parquet"]


@pytest.mark.slow
def test_a_case_moves_from_spark_to_duckdb(tmp_path: Path, warehouse: Warehouse) -> None:
    place = warehouse.folder / "people"
    place.mkdir(parents=True)
    pq.write_table(people(), place / "a.parquet")
    there = load_trusted(write(tmp_path, warehouse.connection, "table: people"))
    there.run()
    (tmp_path / "back.yml").write_text(
        "store: duckdb:///back.duckdb\n"
        "concepts: {Person of ours: {table: people, columns: {since: joined}}}\n",
        encoding="utf-8",
    )
    moved = there.move(tmp_path / "back.yml")
    assert [(s.happened, s.rows) for s in moved.sources] == [("copied", 120)]
    assert "Judged" in moved.learned
    back = mf.load(tmp_path / "case.yml", connect=tmp_path / "back.yml")
    assert_equal(back.table("Judged"), there.table("Judged"), "Judged")
    (tmp_path / "again.yml").write_text(
        f"store: {warehouse.connection.replace('  repository', 'repository')}\n"
        "concepts: {Person of ours: {table: People, columns: {since: joined}}}\n",
        encoding="utf-8",
    )
    again = back.move(tmp_path / "again.yml")
    assert [(s.happened, s.rows) for s in again.sources] == [("already there", 120)]
    assert [p.name for p in place.iterdir()] == ["a.parquet"]


@pytest.mark.slow
def test_models_are_functions_that_a_later_process_can_call(
    tmp_path: Path, warehouse: Warehouse
) -> None:
    path = write(tmp_path, warehouse.connection)
    path.write_text(path.read_text(encoding="utf-8").replace("radial", "linear"), encoding="utf-8")
    load_trusted(path).run()
    code = (
        "from pathlib import Path\n"
        "from miningflow.engines import open_engine\n"
        "engine = open_engine('local[2]', Path.cwd())\n"
        f"target = '`{RESULTS}`'\n"
        "with engine.session() as session:\n"
        "    read = f'SELECT count(*), sum(cast({target}.`risk`(age, `in come`) = risk AS INT)) '\n"
        "    print(session.rows(f'{read} FROM {target}.`judged`'))\n"
        "raise SystemExit\n"
    )
    said, _ = started(tmp_path, code=code).communicate(timeout=300)
    rows = load_trusted(path).table("Judged")
    known = rows.num_rows - rows.column("risk").null_count
    assert said.strip() == f"[({rows.num_rows}, {known})]"


@pytest.mark.slow
def test_a_killed_run_changes_nothing_and_the_next_one_goes_on(
    tmp_path: Path, warehouse: Warehouse
) -> None:
    """Kills the process at each place where publishing has changed some things, not all."""
    path = write(tmp_path, warehouse.connection)
    load_trusted(path).run()
    before = load_trusted(path).table("Judged")
    text = path.read_text(encoding="utf-8")
    for place, age in (("_list", 30), ("take", 40)):
        path.write_text(text.replace("age > 20", f"age > {age}"), encoding="utf-8")
        code = (
            "import os\n"
            "from miningflow.engines.spark.folder import FolderCatalog as C\n"
            "from miningflow.engines import spark\n"
            "together = C.together\n"
            f"kept = C.{place}\n"
            "def armed(self, run):\n"
            "    def dying(self, *given):\n"
            "        kept(self, *given)\n"
            "        if self._waiting is None: os.kill(os.getpid(), 9)\n"
            f"    C.{place} = dying\n"
            "    return together(self, run)\n"
            "C.together = armed\n"
        )
        process = started(tmp_path, "run", path.name, "--connect", path.name, code=code)
        process.communicate(timeout=300)
        assert process.returncode == -signal.SIGKILL
        case = load_trusted(path)
        report = case.run()
        assert report.run is not None
        assert [s.name for s in report.stages if s.action == "run"] == []
        ages = case.table("Judged").column("age").to_pylist()
        assert age < min(ages) and len(ages) < before.num_rows
        built = {n for s, n in warehouse.objects() if s == BUILT}
        known = _listed(tmp_path / "repository.db")
        assert {stored_name(n, "spark") for n in known} == built


def _listed(repository: Path) -> set[str]:
    with sqlite3.connect(repository) as connection:
        found = connection.execute(
            "SELECT object_name FROM objects WHERE schema_name LIKE '%_built' AND kind <> 'schema'"
        )
        return {name for (name,) in found}


@pytest.mark.slow
def test_a_second_run_waits_or_is_refused(tmp_path: Path, warehouse: Warehouse) -> None:
    path = write(tmp_path, warehouse.connection)
    code = (
        "import time\n"
        "from miningflow.run import runner\n"
        "build = runner.StageBuilder.build\n"
        "def slow(self, *given):\n"
        "    time.sleep(15)\n"
        "    return build(self, *given)\n"
        "runner.StageBuilder.build = slow\n"
    )
    process = started(tmp_path, "run", path.name, "--connect", path.name, code=code)
    lock = next(_appears(tmp_path, "repository.db.*.lock"))
    while not lock.read_text():
        time.sleep(0.2)
    assert f"in use by process {process.pid}" in refused(
        tmp_path, "run", path.name, "--connect", path.name
    )
    assert "would run" in accepted(tmp_path, "plan", path.name, "--connect", path.name)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert load_trusted(path).run().run is not None


def _appears(folder: Path, pattern: str):  # type: ignore[no-untyped-def]
    for _ in range(300):
        yield from folder.glob(pattern)
        time.sleep(0.2)


def test_planning_needs_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setattr("miningflow.engines.spark.starting._java", lambda: "java")
    path = write(tmp_path, "'local[2]'\n  repository: sqlite:///repository.db")
    assert "would run" in accepted(tmp_path, "plan", path.name, "--connect", path.name)
    assert not (tmp_path / "spark-warehouse").exists()


@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("'local[x]'", "not the address of a Spark"),
        ("spark:host", "not the address of a Spark"),
        ("'local[2]?spark.jars=x.jar'", "unknown store setting 'spark.jars'"),
        ("sc://127.0.0.1:1/?spark.driver.memory=1g", "given when it starts"),
        ("spark://127.0.0.1:1", "nobody answers at 127.0.0.1:1"),
        ("sc://127.0.0.1:1", "nobody answers at 127.0.0.1:1"),
        ("sc://127.0.0.1:1/;token=abc", "the file contains a password"),
    ],
)
def test_wrong_addresses_are_told(tmp_path: Path, store: str, said: str) -> None:
    pytest.importorskip("pyspark")
    pytest.importorskip("grpc")
    path = write(tmp_path, f"{store}\n  repository: sqlite:///repository.db")
    answer = refused(tmp_path, "run", path.name, "--connect", path.name)
    assert said in answer.replace("\n", " ")
    assert f"{path.name}:" in answer


def test_the_repository_must_lie_elsewhere(tmp_path: Path, warehouse: Warehouse) -> None:
    path = write(tmp_path, "'local[2]'")
    answer = refused(tmp_path, "run", path.name, "--connect", path.name)
    assert "cannot hold the repository" in answer
    assert "repository: sqlite:///repository.db" in answer


def test_without_java_or_pyspark_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "'local[2]'\n  repository: sqlite:///repository.db")
    monkeypatch.setattr("miningflow.engines.spark.starting._java", lambda: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert "needs a Java" in refused(tmp_path, "run", path.name, "--connect", path.name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install 'miningflow[spark]'" in refused(
        tmp_path, "run", path.name, "--connect", path.name
    )


def test_an_address_shows_no_token() -> None:
    address = spark_address("sc://host:443/;use_ssl=true;token=secret", Path())
    assert address.shown == "sc://host:443"
    assert address.hosts == [("host", 443)]
    assert spark_address("spark://a,b:7", Path()).hosts == [("a", 7077), ("b", 7)]
    with pytest.raises(EngineError):
        spark_address("local[2]?spark.driver.extraJavaOptions=-x", Path())


def test_names_are_stored_so_that_they_stay_apart() -> None:
    names = ["Scored", "my step", "my  step", "my_step", "ÄÖ", "日本", "x" * 200, "x" * 201, "a.b"]
    stored = [stored_name(name, "spark") for name in names]
    assert len(set(stored)) == len(names)
    assert all(re.fullmatch("[a-z0-9_]{1,120}", name) for name in stored)
    assert stored[0] == "scored"
    assert [stored_name(n, "duckdb") for n in names] == names


def test_nothing_is_put_beside_the_files_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    pq.write_table(people(), tmp_path / "people" / "a.parquet")
    with (
        pytest.raises(EngineError, match=r"there is a table default\.people already"),
        FolderCatalog(tmp_path).making("default", "people"),
    ):
        pass
    assert [p.name for p in (tmp_path / "people").iterdir()] == ["a.parquet"]


@pytest.mark.slow
def test_frames_give_the_same_on_spark(tmp_path: Path, warehouse: Warehouse) -> None:
    here = framed_case.load(tmp_path)
    here.run(target=tmp_path / "here", sources=framed_case.frames())
    connection = tmp_path / "spark.yml"
    store = warehouse.connection.replace("  repository", "repository")
    connection.write_text(f"store: {store}\nconcepts: {{}}\n", encoding="utf-8")
    there = mf.load(tmp_path / "case.yml", connect=connection)
    there.run(target=tmp_path / "there", sources=framed_case.frames())
    for name in framed_case.SHOWN:
        assert_equal(there.table(name), here.table(name), name)
    assert there.run(target=tmp_path / "there", sources=framed_case.frames()).run is None
    assert there.run(target=tmp_path / "there").run is None


@pytest.mark.slow
@pytest.mark.skipif(bool(why_absent()), reason=why_absent())
def test_a_case_is_drafted_from_a_warehouse(tmp_path: Path) -> None:
    for name in ("people", "visits"):
        (tmp_path / "tables" / "crm.db" / name).mkdir(parents=True)
    pq.write_table(people(), tmp_path / "tables" / "crm.db" / "people" / "a.parquet")
    warehouse = "local[2]?warehouse=tables"
    wrong = refused(tmp_path, "init", "mine", "--from", f"{warehouse}&schema=cr")
    assert "did you mean 'crm'" in wrong
    (tmp_path / "tables" / "crm.db" / "visits").rmdir()
    accepted(tmp_path, "init", "mine", "--from", warehouse)
    home = tmp_path / "mine"
    text = (home / "mine.yml").read_text()
    assert f"store: local[2]?warehouse={tmp_path}/tables\n" in text
    assert "      in come: numeric " in text and "; 9 % missing\n" in text
    rows = "".join(f"{i},{i % 130 + 1}\n" for i in range(200))
    (tmp_path / "visits.csv").write_text("visit_id,people_id\n" + rows)
    accepted(home, "add", "mine.yml", "../visits.csv", "--connect", "mine.yml")
    assert "match\n  visits_of_people: " in (home / "mine.yml").read_text()
    accepted(home, "check", "mine.yml", "--data", "--connect", "mine.yml")
    accepted(home, "run", "mine.yml", "--connect", "mine.yml")
