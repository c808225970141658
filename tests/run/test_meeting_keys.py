"""Keys that meet are of one type: in relations, joins, unions and new rows, on all stores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import refused
from support.postgres_stores import Database

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

CUSTOMERS = "cid,age\n1,30\n2,40\n3,50\n"
CLAIMS = "id,customer,amount\n1,1,10\n2,001,20\n3,2,5\n"
TOTALS = {
    "totals": {
        "operator": "AggregateByRelation",
        "input": "Customer",
        "relation": "claims_of",
        "aggregates": {"total": "sum(amount)", "claims": "count()"},
    }
}
CONCEPTS = {
    "Customer": {"key": "cid", "features": {"cid": "key", "age": "numeric"}},
    "Claim": {"key": "id", "features": {"id": "key", "customer": "key", "amount": "numeric"}},
}
RELATIONS = {"claims_of": {"from": "Claim.customer", "to": "Customer.cid"}}


def write(
    folder: Path,
    sources: Mapping[str, Any],
    steps: Mapping[str, Any] = TOTALS,
    concepts: Mapping[str, Any] = CONCEPTS,
    relations: Mapping[str, Any] = RELATIONS,
    store: str = "duckdb:///store.duckdb",
) -> None:
    """Writes a case; each source is what its concept has in the connection."""
    content = {
        "case": "small",
        "concepts": dict(concepts),
        "relations": dict(relations),
        "steps": dict(steps),
    }
    (folder / "case.yml").write_text(json.dumps(content, indent=1), encoding="utf-8")
    connection = {"store": store, "concepts": dict(sources)}
    (folder / "c.yml").write_text(json.dumps(connection, indent=1), encoding="utf-8")


def loaded(folder: Path) -> LoadedCase:
    return miningflow.load(folder / "case.yml", connect=folder / "c.yml")


def refusal(folder: Path) -> str:
    with pytest.raises(MiningFlowError) as error:
        loaded(folder).run()
    return str(error.value)


def totals(folder: Path) -> dict[Any, tuple[Any, Any]]:
    case = loaded(folder)
    case.run()
    found = case.table("totals").to_pylist()
    assert len(found) == 3
    return {row["cid"]: (row["total"], row["claims"]) for row in found}


def csv_sources(folder: Path, **columns: Any) -> dict[str, Any]:
    (folder / "customers.csv").write_text(CUSTOMERS)
    (folder / "claims.csv").write_text(CLAIMS)
    files = {"Customer": "customers.csv", "Claim": "claims.csv"}
    return {
        name: {"file": file, **({"columns": columns[name]} if name in columns else {})}
        for name, file in files.items()
    }


def test_a_number_does_not_meet_a_text(tmp_path: Path) -> None:
    write(tmp_path, csv_sources(tmp_path))
    said = refused(tmp_path, "run", "case.yml", "--connect", "c.yml")
    assert "case.yml:" in said
    assert "relation 'claims_of' brings together keys of different types" in said
    assert "Claim.customer is text (column 'customer' of claims.csv)" in said
    assert "Customer.cid is integer (column 'cid' of customers.csv)" in said
    assert "`Claim: {columns: {customer: {as: integer}}}`" in said
    assert "`Customer: {columns: {cid: {as: text}}}`" in said


def test_a_connection_says_how_keys_are_read(tmp_path: Path) -> None:
    write(tmp_path, csv_sources(tmp_path, Claim={"customer": {"as": "integer"}}))
    assert totals(tmp_path) == {1: (30.0, 2.0), 2: (5.0, 1.0), 3: (None, 0.0)}
    write(tmp_path, csv_sources(tmp_path, Customer={"cid": {"column": "cid", "as": "text"}}))
    assert totals(tmp_path) == {"1": (10.0, 1.0), "2": (5.0, 1.0), "3": (None, 0.0)}


def test_values_that_cannot_be_read_so_are_shown(tmp_path: Path) -> None:
    sources = csv_sources(tmp_path, Claim={"customer": {"as": "integer"}})
    (tmp_path / "claims.csv").write_text("id,customer,amount\n1,A7,1\n2,1.5,1\n3,2,\n")
    write(tmp_path, sources)
    said = refusal(tmp_path)
    assert "2 values in column 'customer' of claims.csv cannot be read as integer for Claim" in said
    assert "such as '1.5'" in said


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"as": "number"}, "the column of 'customer' cannot be read as 'number'"),
        ({"has": "x"}, "unknown key 'has' in the column of 'customer'"),
        ({"as": ["text"]}, "'as' of 'customer' must be a single value"),
    ],
)
def test_mistakes_in_columns(tmp_path: Path, column: Any, message: str) -> None:
    write(tmp_path, csv_sources(tmp_path, Claim={"customer": column}))
    said = refused(tmp_path, "run", "case.yml", "--connect", "c.yml")
    assert message in said
    assert "c.yml:" in said


def test_only_keys_are_read_as_something(tmp_path: Path) -> None:
    write(tmp_path, csv_sources(tmp_path, Claim={"amount": {"as": "text"}, "x": {"as": "text"}}))
    said = refused(tmp_path, "run", "case.yml", "--connect", "c.yml")
    assert "'as' is for keys, and Claim.amount is numeric" in said
    assert "'Claim' has no feature 'x'" in said


THINGS = {
    name: {"key": key, "features": {key: "key", feature: "numeric"}}
    for name, key, feature in (("A", "k", "x"), ("B", "k", "y"), ("C", "k", "x"))
}


@pytest.mark.parametrize(
    "step",
    [
        {"operator": "JoinByKey", "concepts": ["A", "B"]},
        {"operator": "UnionByKey", "concepts": ["A", "B"]},
        {"operator": "UnionByKey", "concepts": ["A", "C", "B"], "rename": {"C.x": "cx"}},
        {"operator": "Union", "concepts": ["A", "D"]},
        {"operator": "JoinByKey", "concepts": ["big", "B"]},
    ],
)
def test_joins_and_unions(tmp_path: Path, step: dict[str, Any]) -> None:
    for name, keys, feature in (("A", [1, 2], "x"), ("C", [2, 3], "x")):
        pq.write_table(pa.table({"k": keys, feature: [1.0, 2.0]}), tmp_path / f"{name}.parquet")
    pq.write_table(pa.table({"k": ["1", "001"], "y": [1.0, 2.0]}), tmp_path / "B.parquet")
    pq.write_table(pa.table({"k": ["1", "001"], "x": [1.0, 2.0]}), tmp_path / "D.parquet")
    concepts = {**THINGS, "D": THINGS["C"]}
    steps = {
        "big": {"operator": "RowSelectionByQuery", "input": "A", "where": "x > 0"},
        "met": step,
    }
    sources = {name: {"file": f"{name}.parquet"} for name in concepts}
    write(tmp_path, sources, steps, concepts, {})
    said = refusal(tmp_path)
    assert "step 'met' brings together keys of different types" in said
    assert "A.k is integer (column 'k' of A.parquet)" in said
    other = "D" if step["operator"] == "Union" else "B"
    assert f"{other}.k is text (column 'k' of {other}.parquet)" in said
    read = {"file": f"{other}.parquet", "columns": {"k": {"as": "integer"}}}
    pq.write_table(pa.table({"k": ["4", "002"], "x": [1.0, 2.0]}), tmp_path / "D.parquet")
    pq.write_table(pa.table({"k": ["4", "002"], "y": [1.0, 2.0]}), tmp_path / "B.parquet")
    write(tmp_path, {**sources, other: read}, steps, concepts, {})
    case = loaded(tmp_path)
    case.run()
    keys = sorted(case.table("met").column("k").to_pylist())
    wanted = {"JoinByKey": [2], "Union": [1, 2, 2, 4], "UnionByKey": [1, 2, 4]}[step["operator"]]
    assert keys == ([1, 2, 3, 4] if "C" in step["concepts"] else wanted)


def test_a_cross_table_has_the_types_of_both_sides(tmp_path: Path) -> None:
    concepts = {
        "A": THINGS["A"],
        "B": THINGS["B"],
        "AB": {"features": {"a": "key", "b": "key"}},
    }
    pq.write_table(pa.table({"k": [1, 2], "x": [1.0, 2.0]}), tmp_path / "A.parquet")
    pq.write_table(pa.table({"k": ["u", "v"], "y": [1.0, 2.0]}), tmp_path / "B.parquet")
    pq.write_table(pa.table({"a": [1, 2], "b": [7, 8]}), tmp_path / "AB.parquet")
    relations = {"linked": {"from": "A.k", "to": "B.k", "through": ["AB.a", "AB.b"]}}
    steps = {"big": {"operator": "RowSelectionByQuery", "input": "A", "where": "x > 0"}}
    sources = {name: {"file": f"{name}.parquet"} for name in concepts}
    write(tmp_path, sources, steps, concepts, relations)
    said = refusal(tmp_path)
    assert "relation 'linked' brings together keys of different types: AB.b is integer" in said
    assert "B.k is text" in said


def test_dates_do_not_meet_timestamps(tmp_path: Path) -> None:
    days = pd.to_datetime(["2025-01-01", "2025-01-02", "2025-01-03"])
    customers = pa.table({"cid": pa.array(days.date, pa.date32()), "age": [1.0, 2.0, 3.0]})
    pq.write_table(customers, tmp_path / "customers.parquet")
    claims = {"id": [1, 2, 3], "customer": pa.array(days[[0, 0, 1]]), "amount": [1.0, 2.0, 4.0]}
    pq.write_table(pa.table(claims), tmp_path / "claims.parquet")
    sources = {"Customer": {"file": "customers.parquet"}, "Claim": {"file": "claims.parquet"}}
    write(tmp_path, sources)
    assert "Claim.customer is timestamp" in refusal(tmp_path)
    sources["Claim"]["columns"] = {"customer": {"as": "date"}}  # type: ignore[assignment]
    write(tmp_path, sources)
    assert [totals(tmp_path)[day.date()][0] for day in days] == [3.0, 4.0, None]


def test_whole_numbers_of_every_width_meet_exactly(tmp_path: Path) -> None:
    big = 2**53
    keys = pa.array([big, big + 1, 2**64 - 1], pa.uint64())
    pq.write_table(pa.table({"cid": keys, "age": [1.0, 2.0, 3.0]}), tmp_path / "customers.parquet")
    pointers = pa.array([big + 1, big, big + 1], pa.int64())
    claims = pa.table({"id": [1, 2, 3], "customer": pointers, "amount": [1.0, 2.0, 4.0]})
    pq.write_table(claims, tmp_path / "claims.parquet")
    sources = {"Customer": {"file": "customers.parquet"}, "Claim": {"file": "claims.parquet"}}
    write(tmp_path, sources)
    found = {int(key): total for key, (total, _) in totals(tmp_path).items()}
    assert found == {big: 2.0, big + 1: 5.0, 2**64 - 1: None}
    decimals = pa.array([big + 1, big, big + 1], pa.decimal128(20, 0))
    pq.write_table(claims.set_column(1, "customer", decimals), tmp_path / "claims.parquet")
    assert {int(k): t for k, (t, _) in totals(tmp_path).items()} == found


def test_doubles_are_keys_only_where_they_are_whole(tmp_path: Path) -> None:
    sources = csv_sources(tmp_path)
    sources["Claim"] = {"file": "claims.parquet"}
    claims = {"id": [1, 2], "customer": [1.0, None], "amount": [1.0, 2.0]}
    pq.write_table(pa.table(claims), tmp_path / "claims.parquet")
    write(tmp_path, sources)
    assert "`columns: {customer: {as: integer}}`" in refusal(tmp_path)
    sources["Claim"]["columns"] = {"customer": {"as": "integer"}}
    write(tmp_path, sources)
    assert totals(tmp_path)[1] == (1.0, 1.0)
    for odd in (1.5, float("nan"), float("inf"), 2.0**53):
        claims["customer"] = [1.0, odd]
        pq.write_table(pa.table(claims), tmp_path / "claims.parquet")
        assert "1 value in column 'customer' of claims.parquet cannot be read" in refusal(tmp_path)


def test_tables_of_postgres(tmp_path: Path, database: Database) -> None:
    database.query("CREATE TABLE customers (cid char(5) PRIMARY KEY, age float8)")
    database.query("INSERT INTO customers VALUES ('1', 30), ('2', 40), ('3', 50)")
    database.query("CREATE TABLE claims (id bigint, customer numeric, amount float8)")
    database.query("INSERT INTO claims VALUES (1, 1, 10), (2, 1.0, 20), (3, 2, 5)")
    sources: dict[str, Any] = {"Customer": {"table": "customers"}, "Claim": {"table": "claims"}}
    write(tmp_path, sources, store=database.url)
    assert "is numeric, which does not fit Claim.customer: key" in refusal(tmp_path)
    sources["Claim"]["columns"] = {"customer": {"as": "integer"}}
    write(tmp_path, sources, store=database.url)
    assert "Customer.cid is text" in refusal(tmp_path)
    sources["Customer"]["columns"] = {"cid": {"as": "integer"}}
    write(tmp_path, sources, store=database.url)
    assert totals(tmp_path) == {1: (30.0, 2.0), 2: (5.0, 1.0), 3: (None, 0.0)}
    database.query("INSERT INTO claims VALUES (4, 'NaN', 1), (5, 1.5, 1)")
    assert "2 values in column 'customer' of claims cannot be read as integer" in refusal(tmp_path)


def test_text_of_a_table_meets_text_of_a_file_on_postgres(
    tmp_path: Path, database: Database
) -> None:
    database.query("CREATE TABLE customers (cid varchar(5) PRIMARY KEY, age float8)")
    database.query("INSERT INTO customers VALUES ('1', 30), ('2', 40), ('3', 50)")
    sources = {**csv_sources(tmp_path), "Customer": {"table": "customers"}}
    write(tmp_path, sources, store=database.url)
    assert totals(tmp_path) == {"1": (10.0, 1.0), "2": (5.0, 1.0), "3": (None, 0.0)}


SCORED = {
    **TOTALS,
    "risk": {
        "operator": "SupportVectorMachineForRegression",
        "input": "totals",
        "target": "age",
        "predictors": ["claims"],
        "kernel": "linear",
        "C": 1,
        "epsilon": 1,
        "output": "guess",
    },
}


@pytest.fixture
def learned(tmp_path: Path) -> LoadedCase:
    """Runs a case in which customers and claims have keys that are text."""
    (tmp_path / "customers.csv").write_text("cid,age\n001,30\n002,40\n003,50\n")
    (tmp_path / "claims.csv").write_text("id,customer,amount\n1,001,10\n2,001,20\n3,002,5\n")
    files = {"Customer": {"file": "customers.csv"}, "Claim": {"file": "claims.csv"}}
    write(tmp_path, files, SCORED)
    case = loaded(tmp_path)
    case.run()
    return case


def test_new_rows_have_the_key_types_of_stored_ones(tmp_path: Path, learned: LoadedCase) -> None:
    new = tmp_path / "new.csv"
    new.write_text("id,customer,amount\n1,12,10\n")  # whole numbers, by chance
    scores = learned.score({"Claim": new})
    assert sorted(scores.column("cid").to_pylist()) == ["001", "002", "003"]
    numbers = pa.table({"id": [1], "customer": [1], "amount": [10.0]})
    pq.write_table(numbers, tmp_path / "new.parquet")
    for given in (tmp_path / "new.parquet", numbers):
        with pytest.raises(MiningFlowError) as error:
            learned.score({"Claim": given})
        assert "holds keys of type integer" in str(error.value)
        assert "Claim.customer is text in the rows that the case ran on" in str(error.value)
    (tmp_path / "c.yml").write_text(
        (tmp_path / "c.yml")
        .read_text()
        .replace('"claims.csv"', '"claims.csv", "columns": {"customer": {"as": "text"}}')
    )
    assert loaded(tmp_path).score({"Claim": numbers}).num_rows == 3


def test_whole_keys_of_a_frame_with_missing_values(tmp_path: Path) -> None:
    write(tmp_path, csv_sources(tmp_path, Claim={"customer": {"as": "integer"}}), SCORED)
    case = loaded(tmp_path)
    case.run()
    exact = case.score({"Claim": pa.table({"id": [1], "customer": [2]})})
    frame = pd.DataFrame({"id": [1, 2], "customer": [2, None]})
    assert case.score({"Claim": frame}) == exact
    with pytest.raises(MiningFlowError, match="cannot be read as integer"):
        case.score({"Claim": pa.table({"id": [1], "customer": [2.5]})})
