"""Frames, files and tables that are given in place of the sources that the connection names."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from support.framed_case import SHOWN, files, frames, load, on_files, orders, people
from support.stores import artifacts, ran

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

STORE = "framed.miningflow.duckdb"


def run(case: LoadedCase, **asked: Any) -> list[str]:
    """Runs a case beside its file, and names the stages that had work to do."""
    return ran(case.run(target=case.path.parent / "target", **asked))


def reasons(case: LoadedCase, **asked: Any) -> dict[str, str]:
    return {stage.name: stage.reason for stage in case.plan(**asked).stages}


def ages(case: LoadedCase, **asked: Any) -> int:
    """Counts the distinct ages that `stats` finds."""
    found = case.stats("Person", **asked)["Person"].of("age")
    assert found is not None
    return found.distinct


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """Returns a case without any connection that ran on frames; tests do not change it."""
    case = load(tmp_path_factory.mktemp("framed"))
    run(case, sources=frames())
    return case


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_frames_give_what_files_give_to_the_bit(
    framed: LoadedCase, tmp_path: Path, ending: str
) -> None:
    case = on_files(tmp_path, ending)
    run(case)
    for name in SHOWN:
        assert case.table(name).equals(framed.table(name)), name
    assert artifacts(tmp_path / "store.duckdb") == artifacts(framed.path.parent / STORE)
    assert framed.table("Person").column("code").to_pylist()[:3] == ["1", "2", "3"]
    assert str(framed.table("Person").column("seen").to_pylist()[3]) == "2025-03-30 22:00:00"


@pytest.mark.parametrize(
    "kind",
    [
        lambda rows: pa.Table.from_pandas(rows, preserve_index=False),
        lambda rows: pa.Table.from_pandas(rows, preserve_index=False).to_reader(max_chunksize=7),
        lambda rows: duckdb.connect().from_arrow(pa.Table.from_pandas(rows, preserve_index=False)),
        lambda rows: rows.set_index(rows.columns[0]),
        lambda rows: rows.iloc[:, ::-1],
    ],
    ids=["arrow", "batches", "relation", "index", "other order of columns"],
)
def test_the_same_rows_from_another_library_change_nothing(
    framed: LoadedCase, kind: Callable[[pd.DataFrame], Any]
) -> None:
    given = {"Person": kind(people().drop(columns="unused")), "Order": kind(orders())}
    assert set(reasons(framed, sources=given).values()) == {"unchanged"}


def test_a_second_run_on_the_same_frame_does_nothing_and_a_changed_cell_runs_again(
    tmp_path: Path,
) -> None:
    case = load(tmp_path)
    assert run(case, sources=frames())[:2] == ["Person", "Order"]
    assert run(case, sources=frames()) == []
    changed = orders()
    changed.loc[149, "amount"] = 0.0
    given = {**frames(), "Order": changed}
    assert reasons(case, sources=given)["Order"] == "its data changed"
    assert run(case, sources=given)[0] == "Order"
    assert case.table("Order").column("amount").to_pylist()[149] == 0.0
    assert run(case, sources={"Order": changed}) == [], "the rows of Person are those of the run"


def test_rows_that_were_given_stay_readable_and_are_used_again(framed: LoadedCase) -> None:
    case = miningflow.load(framed.path)
    assert {f.name for f in case.path.parent.iterdir()} == {"case.yml", STORE, "target"}
    assert reasons(case)["Person"] == "unchanged: a frame that run 1 was given"
    assert [s.name for s in case.plan(full=True).running][:1] == ["with_orders"]
    assert case.table("judged").num_rows == case.score().num_rows == 80
    assert case.stats("Person")["Person"].rows == 80
    assert case.compare("slim", folds=2).rows == 64
    assert case.explain("judged").topics
    assert "present" in case.features("Person").to_frame()["status"].tolist()
    assert miningflow.check(case.path, data=True)[0].passed


def test_a_changed_step_learns_again_from_the_rows_of_a_frame(tmp_path: Path) -> None:
    case = load(tmp_path)
    run(case, sources=frames())
    text = case.path.read_text(encoding="utf-8").replace("keep: 2", "keep: 1")
    case.path.write_text(text, encoding="utf-8")
    changed = miningflow.load(case.path)
    assert run(changed) == ["slim", "judged"]
    case.path.write_text(text.replace("code: nominal", "code: numeric"), encoding="utf-8")
    with pytest.raises(MiningFlowError, match=r"were given to run 1 \(a frame\).*in another way"):
        miningflow.load(case.path).plan()
    case.clean()
    with pytest.raises(MiningFlowError, match="does not say where concept 'Person' lies"):
        case.plan()


def test_a_connection_is_read_again_without_the_frame(tmp_path: Path) -> None:
    case = on_files(tmp_path, "parquet")
    assert reasons(case, sources={"Person": people()})["Person"] == "new"
    run(case)
    given = {"Person": people().assign(age=50.0)}
    assert reasons(case, sources=given)["Person"] == "reads a frame instead of Person.parquet"
    run(case, sources=given)
    assert set(case.table("Person").column("age").to_pylist()) == {50.0}
    assert reasons(case)["Person"] == "reads Person.parquet instead of a frame"
    assert ages(case) > 1, "those of the file"
    assert ages(case, sources=given) == 1
    assert "it has no up-to-date results" in case.stats("judged").missing["judged"]
    assert case.score().num_rows == 80
    with pytest.raises(MiningFlowError, match="the results of 'filled' were not made from these"):
        case.compare("slim", sources={"Person": people()})
    assert case.compare("slim", folds=2, sources=given).rows == 64
    assert "Person" in run(case)


def test_lineage_names_a_frame_and_an_export_needs_a_file(
    framed: LoadedCase, tmp_path: Path
) -> None:
    source = framed.lineage()[0]
    assert source["inputs"] == [{"namespace": "frame", "name": "framed.Person"}]
    columns = source["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert columns["age"]["inputFields"][0]["field"] == "age"
    with pytest.raises(MiningFlowError, match="an export needs a file or table of 'Order'"):
        framed.export("script", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(MiningFlowError, match="moving a case needs a file or table"):
        framed.move(_connection_file(tmp_path))


def _connection_file(folder: Path) -> Path:
    path = folder / "other.yml"
    path.write_text("store: duckdb:///other.duckdb\nconcepts: {}\n", encoding="utf-8")
    return path


def test_lineage_names_the_file_that_was_given_and_not_that_of_the_connection(
    tmp_path: Path,
) -> None:
    case = on_files(tmp_path / "case", "parquet")
    other = tmp_path / "elsewhere"
    files(other, "csv")
    run(case, sources={"Order": str(other / "Order.csv")})
    inputs = {e["job"]["name"]: e["inputs"] for e in case.lineage()}
    assert inputs["framed.Order"] == [{"namespace": "file", "name": str(other / "Order.csv")}]
    assert inputs["framed.Person"][0]["name"] == str(tmp_path / "case" / "Person.parquet")


def test_frames_files_and_tables_can_be_mixed(framed: LoadedCase, tmp_path: Path) -> None:
    case = load(tmp_path, {"store": "duckdb:///store.duckdb", "concepts": {}})
    with duckdb.connect(str(tmp_path / "store.duckdb")) as store:
        store.register("rows", orders().astype({"id": "Int64"}))
        store.execute("CREATE TABLE sold AS SELECT * FROM rows")
    files(tmp_path / "elsewhere", "parquet")
    given = {"Person": tmp_path / "elsewhere" / "Person.parquet", "Order": "sold"}
    run(case, sources=given)
    assert case.table("judged").equals(framed.table("judged"))
    with pytest.raises(MiningFlowError, match="does not say where concept 'Order' lies") as error:
        case.plan()
    assert "Person" not in str(error.value)
    assert run(case, sources={"Order": "sold"}) == []
    assert reasons(case, sources={"Order": "sold"})["Person"].startswith("unchanged: /")


def test_columns_and_numbers_of_rows_are_those_of_the_connection(tmp_path: Path) -> None:
    person = {"file": "Person.parquet", "columns": {"leaves": "Gone"}, "number_rows": "id"}
    order = {"file": "Order.parquet"}
    concepts = {"Person": person, "Order": order}
    case = load(tmp_path, {"store": "duckdb:///store.duckdb", "concepts": concepts})
    files(tmp_path, "parquet")
    named = people().rename(columns={"leaves": "Gone", "age": "AGE"}).drop(columns="id")
    run(case, sources={"Person": named})
    assert case.table("Person").column("id").to_pylist() == list(range(1, 81))
    assert case.table("Person").column("leaves").to_pylist() == people()["leaves"].tolist()
    given = {"Person": people().drop(columns="unused"), "Order": orders()}
    path = tmp_path / "given.parquet"
    given["Person"].to_parquet(path, index=False)
    run(case, sources={"Person": path})
    assert case.table("Person").column("id").to_pylist() == list(range(80)), "the file has keys"


def test_verify_reads_a_frame_on_every_store(framed: LoadedCase, tmp_path: Path) -> None:
    first, second = (tmp_path / f"{name}.yml" for name in ("first", "second"))
    first.write_text("store: duckdb:///first.duckdb\nconcepts: {}\n", encoding="utf-8")
    second.write_text("store: duckdb:///second.duckdb\nconcepts: {}\n", encoding="utf-8")
    [found] = framed.verify(first, second, sources=frames())
    assert found.equal
    assert [s.rows.rows for s in found.steps] == [80, 150, 80, 80, 80, 80]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"Persn": people()}, "no concept 'Persn'\n    did you mean 'Person'?"),
        ({"judged": people()}, "'judged' is a step: its rows are made by the case"),
        ({"Person": 3}, "the rows of 'Person' cannot be a int"),
        ({"Person": people().drop(columns="age")}, "'Person' have no column 'age'"),
        ({"Person": people().rename(columns={"age": "agee"})}, "did you mean 'agee'?"),
        ({"Person": people()[:0]}, "the frame of 'Person' has no rows"),
        ({"Person": pd.DataFrame()}, "'Person' have no column 'id'"),
        ({"Person": people().assign(age="old")}, "'age' of the frame of 'Person' do not fit"),
        ({"Person": people().assign(seen=1)}, "is BIGINT, which does not fit Person.seen: time"),
        ({"Person": people().assign(id=1)}, "'id' of Person is not unique in the frame"),
        ({"Person": people().assign(id=0.5)}, "cannot be read as integer for Person.id"),
        ({"Person": people().assign(code=[[1]] * 80)}, "list<item: int64>, which no feature"),
        ({"Person": pd.concat([people(), people()[["age"]]], axis=1)}, "two columns called 'age'"),
        ({"Person": people().rename(columns={"age": "AGE", "code": "Age"})}, "is ambiguous"),
        ({"Person": "nowhere.csv"}, "there is no file 'nowhere.csv'"),
        ({"Person": "nowhere"}, "there is no table 'nowhere'"),
    ],
)
def test_wrong_rows_are_refused_and_nothing_is_lost(
    framed: LoadedCase, given: dict[str, Any], said: str
) -> None:
    before = framed.table("judged")
    with pytest.raises(MiningFlowError) as error:
        framed.run(target=framed.path.parent / "target", sources=given)
    assert said in str(error.value)
    assert framed.table("judged").equals(before)


def test_the_store_of_a_case_without_a_connection_is_no_link(tmp_path: Path) -> None:
    case = load(tmp_path / "case")
    (tmp_path / "case" / STORE).symlink_to(tmp_path / "elsewhere.duckdb")
    with pytest.raises(MiningFlowError, match="lies outside the folder of the case"):
        case.run(sources=frames())
    assert not (tmp_path / "elsewhere.duckdb").exists()


def test_a_concept_without_rows_writes_nothing(tmp_path: Path) -> None:
    case = load(tmp_path)
    with pytest.raises(MiningFlowError, match="does not say where concept 'Order' lies"):
        case.run(sources={"Person": people()})
    with pytest.raises(MiningFlowError, match="is not connected to a store"):
        case.run()
    assert [f.name for f in tmp_path.iterdir()] == ["case.yml"]


def test_columns_of_missing_values_fit_every_feature(tmp_path: Path) -> None:
    case = load(tmp_path)
    empty = people().assign(code=None, seen=None)
    with pytest.raises(MiningFlowError, match="step 'judged' cannot learn"):
        run(case, sources={"Person": empty, "Order": orders().assign(id=None)})
    statistics = case.stats("Person", sources={"Person": empty, "Order": orders()})["Person"]
    assert {f.feature: f.missing for f in statistics.features}["seen"] == 80


def test_a_store_in_memory_says_that_its_results_are_gone(tmp_path: Path) -> None:
    case = load(tmp_path, {"store": "duckdb:///:memory:", "concepts": {}})
    assert run(case, sources=frames())
    with pytest.raises(MiningFlowError, match="the store is in memory, and ended with the run"):
        case.table("judged")


@pytest.mark.parametrize(
    "ages",
    [
        pa.array([float(i % 5) for i in range(80)]).cast(pa.float16()),
        pc.run_end_encode(pa.array([i // 16 for i in range(80)])),
        pa.array([i % 5 for i in range(80)], pa.uint8()).dictionary_encode(),
        pa.array([Decimal(i % 5) for i in range(80)], pa.decimal128(9, 2)),
        pa.array([str(i % 5) for i in range(80)], pa.string_view()),
    ],
    ids=lambda ages: str(ages.type),
)
def test_numbers_of_every_type_are_doubles(framed: LoadedCase, ages: pa.Array) -> None:
    given = pa.Table.from_pandas(people().drop(columns=["unused", "age"]), preserve_index=False)
    sources = {"Person": given.append_column("age", ages), "Order": orders()}
    found = framed.stats("Person", sources=sources)["Person"].of("age")
    assert found is not None
    assert found.top == tuple((f"{i}.0", 16) for i in range(5))


def test_nan_is_missing_in_pandas_and_a_number_elsewhere(tmp_path: Path) -> None:
    case = load(tmp_path)
    given = pa.Table.from_pandas(people().drop(columns="unused"), preserve_index=False)
    odd = given.set_column(1, "age", pc.fill_null(given["age"], float("nan")))
    with pytest.raises(MiningFlowError, match="'age' has 6 values that are NaN or infinite"):
        run(case, sources={"Person": odd, "Order": orders()})
    run(case, sources={"Person": odd.to_pandas(), "Order": orders()})
    assert case.table("Person").column("age").null_count == 8
