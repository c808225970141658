"""Cases on Sparks of several processes: separate executors, and a Connect server."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import started
from support.compared_stores import assert_equal, run_on_both
from support.ran_cases import RanCases
from support.spark_stores import Warehouse, connect_server, executors, standalone_master
from support.trusting import load_trusted

import miningflow as mf
from miningflow.engines.spark.starting import _Process
from miningflow.run.events import Event

pytestmark = pytest.mark.slow


def test_a_case_runs_on_two_executors(
    ran_cases: RanCases, tmp_path: Path, warehouse: Warehouse
) -> None:
    cluster = Warehouse(warehouse.folder, "local-cluster[2,1,1024]")
    _, there, compared = run_on_both(ran_cases, "mail", tmp_path, cluster.connection)
    assert compared
    predicted = list((warehouse.folder / "mail_built.db").glob("judged_by_score__*/*.parquet"))
    assert predicted, "predictions are kept in a table"
    there.run(full=True)
    tasks = tasks_of_executors()
    assert len(tasks) == 2
    assert all(n > 0 for n in tasks), tasks


def tasks_of_executors() -> list[int]:
    """Returns how many tasks each executor of the Spark of this process has had."""
    assert _Process.running is not None
    found = _Process.running.session.sparkContext._jsc.sc().statusStore().executorList(False)
    each = [found.apply(i) for i in range(found.size())]
    return [executor.totalTasks() for executor in each if executor.id() != "driver"]


def test_a_run_outlives_an_executor_of_a_master(
    ran_cases: RanCases, tmp_path: Path, warehouse: Warehouse
) -> None:
    killed: list[int] = []

    def kill_one(event: Event) -> None:
        if event.kind == "finished" and not killed:
            killed.append(executors()[0])
            os.kill(killed[0], signal.SIGKILL)

    with standalone_master(tmp_path) as master:
        here = "127.0.0.1"
        address = f"{master}?spark.driver.host={here}&spark.driver.bindAddress={here}"
        store = Warehouse(warehouse.folder, address).connection
        _, there, _ = run_on_both(ran_cases, "mail", tmp_path, store)
        before = there.table("judged_by_score")
        there.run(full=True)
        assert len(executors()) == 2
        assert all(n > 0 for n in tasks_of_executors())
        report = there.run(full=True, listener=kill_one)
        assert report.run is not None
        assert killed
        assert_equal(there.table("judged_by_score"), before, "judged_by_score")


def test_a_case_runs_behind_a_connect_server(
    ran_cases: RanCases, tmp_path: Path, warehouse: Warehouse
) -> None:
    with connect_server(tmp_path) as address:
        store = f"'{address}'\n  repository: duckdb:///repository.duckdb"
        here, there, _ = run_on_both(ran_cases, "mail", tmp_path, store)
        assert not warehouse.folder.exists()
        _is_repaired_after_a_crash_between_two_views(tmp_path)
        assert {"schema", "table", "view"} <= {o.kind for o in there.clean()}
        with pytest.raises(mf.MiningFlowError, match="run the case first"):
            there.table(next(iter(here.bound.steps)))
    with pytest.raises(mf.MiningFlowError, match="nobody answers"):
        there.run()


def _is_repaired_after_a_crash_between_two_views(folder: Path) -> None:
    """Kills a run when one of its views is swapped and the others are not."""
    path = folder / "elsewhere_mail.yml"
    code = (
        "import os\n"
        "from miningflow.engines.spark.session import SparkSession\n"
        "kept = SparkSession.execute\n"
        "def dying(self, sql):\n"
        "    kept(self, sql)\n"
        "    if 'CREATE OR REPLACE VIEW' in sql: os.kill(os.getpid(), 9)\n"
        "SparkSession.execute = dying\n"
    )
    process = started(folder, "run", path.name, "--connect", path.name, "--full", code=code)
    process.communicate(timeout=300)
    assert process.returncode == -9
    case = load_trusted(path)
    before = case.run()
    assert before.run is not None
    assert [s.name for s in before.stages if s.action == "run"] == []
    assert case.run().run is None


def test_rows_go_to_a_server_in_pieces(
    tmp_path: Path, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from miningflow.engines import open_engine

    monkeypatch.setattr("miningflow.engines.spark.connect._PIECE", 40_000)
    rows = pa.table({"id": range(50_000), "größe in m": [i / 7 for i in range(50_000)]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    query = f"SELECT * FROM read_parquet('{tmp_path / 'rows.parquet'}')"
    with connect_server(tmp_path) as address:
        engine = open_engine(address, tmp_path)
        with engine.session() as session:
            session.load("table", "`default`.`sent`", query)
            session.load("temp view", "`seen here`", query)
            session.load("temp view", "`empty`", f"{query} WHERE id < 0")
            assert session.rows("SELECT count(*) FROM `default`.`sent`") == [(50_000,)]
            assert session.rows("SELECT count(*) FROM `empty`") == [(0,)]
            back = pa.Table.from_batches(session.batches("SELECT * FROM `seen here`"))
            assert back.sort_by("id").to_pydict() == rows.to_pydict()
            assert session.write("SELECT * FROM `seen here`", tmp_path / "out.csv") == 50_000
        assert engine.objects("default") == {"sent": "table"}
        assert engine.objects("nowhere") == {}
        engine.close()
