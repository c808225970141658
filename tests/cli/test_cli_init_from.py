"""`init --from` drafts a case from tables: it runs at once, and says what looks odd."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pytest
import yaml
from support.command_line import accepted, refused, rows
from support.postgres_stores import Database

import miningflow
from miningflow.verbs.start.databases import database_address


def drafted(folder: Path, *words: object) -> dict[str, Any]:
    """Drafts a case called `mine`, and returns what its file says."""
    accepted(folder, "init", "mine", "--from", *words)
    return dict(yaml.safe_load((folder / "mine" / "mine.yml").read_text(encoding="utf-8")))


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


GERMAN = """Kunde;Umsatz;Datum;PLZ;Alter;Ort
1;1.234,50;31.12.2024;01067;k. A.;Köln
2;17,25;01.02.2024;80331;34;Bonn
3;2.000.000,00;15.06.2023;10115;27;Köln
"""


def test_reading_options_are_found(tmp_path: Path) -> None:
    write(tmp_path, "umsatz.csv", GERMAN, "latin-1")
    case = drafted(tmp_path, "umsatz.csv")
    assert case["concepts"]["Umsatz"]["features"] == {
        "Kunde": "key",
        "Umsatz": "numeric",
        "Datum": "time",
        "PLZ": "nominal",
        "Alter": "numeric",
        "Ort": "binary",
    }
    assert case["connect"]["concepts"]["Umsatz"] == {
        "file": "data/umsatz.csv",
        "delimiter": ";",
        "decimal": ",",
        "thousands": ".",
        "date_format": "%d.%m.%Y",
        "null_values": ["k. A."],
        "encoding": "latin-1",
    }
    accepted(tmp_path / "mine", "run", "mine.yml")
    found = rows(tmp_path / "mine" / "mine.duckdb", "mine_results.Umsatz")
    assert sum(row[1] for row in found) == pytest.approx(1234.50 + 17.25 + 2000000)
    assert [row[4] for row in sorted(found)] == [None, 34, 27]


def test_a_late_byte_of_latin_1_is_noticed(tmp_path: Path) -> None:
    lines = ["id,city", *(f"{i},Bonn" for i in range(150_000)), "150000,Köln"]
    write(tmp_path, "cities.csv", "\n".join(lines) + "\n", "latin-1")
    case = drafted(tmp_path, "cities.csv")
    assert case["connect"]["concepts"]["City"]["encoding"] == "latin-1"


def test_gzip_globs_and_folders(tmp_path: Path) -> None:
    sales = tmp_path / "sales"
    sales.mkdir()
    for month in (1, 2):
        text = "sale_id,amount\n" + "".join(f"{month * 100 + i},{i}.5\n" for i in range(30))
        (sales / f"sales_{month}.csv.gz").write_bytes(gzip.compress(text.encode()))
    write(sales, "shops.tsv", "shop_id\tcity\n1\tBonn\n2\tKiel\n")
    write(sales, "readme.md", "no table")
    case = drafted(tmp_path, "sales")
    assert set(case["concepts"]) == {"Sale", "Shop"}
    assert case["connect"]["concepts"]["Sale"]["file"] == "data/Sale/*.csv.gz"
    assert case["connect"]["concepts"]["Shop"]["delimiter"] == "\\t"
    text = (tmp_path / "mine" / "mine.yml").read_text()
    assert "readme.md is no table, and was not read" in text
    accepted(tmp_path / "mine", "run", "mine.yml")
    assert len(rows(tmp_path / "mine" / "mine.duckdb", "mine_results.Sale")) == 60


def test_no_link_is_followed_out_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "secret.csv", "a,b\n1,2\n3,4\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    write(inside, "open.csv", "id,b\n1,2\n3,4\n")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    case = drafted(tmp_path, "inside")
    assert set(case["concepts"]) == {"Open"}
    assert not list((tmp_path / "mine" / "data").glob("*link*"))


def test_statistics_are_those_of_pandas(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "person_id": np.arange(5000),
            "income": random.lognormal(10, 1, 5000),
            "city": random.choice(["a", "b", "c"], 5000),
        }
    )
    frame.loc[::7, "income"] = np.nan
    frame.to_parquet(tmp_path / "people.parquet")
    frame.to_csv(tmp_path / "people.csv", index=False)
    for name in ("people.parquet", "people.csv"):
        found = miningflow.start(tmp_path / name, tmp_path / name.replace(".", "_"))
        facts = {each.column: each.facts for each in found.findings}
        income = facts["income"]
        assert income is not None
        assert income.missing == frame["income"].isna().sum()
        assert income.distinct == frame["income"].nunique()
        assert income.mean == pytest.approx(frame["income"].mean())
        assert income.deviation == pytest.approx(frame["income"].std())
        assert income.maximum == pytest.approx(frame["income"].max())
        city = facts["city"]
        assert city is not None
        assert dict(city.frequent) == frame["city"].value_counts().to_dict()


def test_what_looks_wrong_is_said_beside_the_line(tmp_path: Path) -> None:
    n = 200
    frame = pd.DataFrame(
        {
            "id": range(n),
            "same": 1.5,
            "nothing": None,
            "comment": [f"text {i}" for i in range(n)],
            "mixed": ["broken" if i == 7 else str(i) for i in range(n)],
            "huge": [1e9 if i == 5 else float(i % 10) for i in range(n)],
            "copied": [1e9 if i == 5 else float(i % 10) for i in range(n)],
        }
    )
    frame.to_csv(tmp_path / "odd.csv", index=False)
    drafted(tmp_path, "odd.csv")
    lines = (tmp_path / "mine" / "mine.yml").read_text().splitlines()
    said = {line.split(":")[0].strip(): line for line in lines if "# " in line}
    assert "constant" in said["same"]
    assert "all values are missing" in said["nothing"]
    assert "nearly unique" in said["comment"]
    assert "mixed types: mostly numbers, but also broken" in said["mixed"]
    assert "outliers" in said["huge"]
    assert "the same values as huge" in said["copied"]
    accepted(tmp_path / "mine", "run", "mine.yml")


def test_relations_and_cross_tables(tmp_path: Path) -> None:
    write(
        tmp_path,
        "customers.csv",
        "customer_id,age\n" + "".join(f"{i},{i % 50}\n" for i in range(100)),
    )
    write(
        tmp_path, "products.csv", "product_id,price\n" + "".join(f"p{i},{i}.5\n" for i in range(10))
    )
    orders = "".join(f"{i},{i % 90 if i else 999},{i % 30}.25\n" for i in range(300))
    write(tmp_path, "orders.csv", "order_id,customer,amount\n" + orders)
    likes = "".join(f"{i % 100},p{i % 7}\n" for i in range(400))
    write(tmp_path, "likes.csv", "customer_id,product_id\n" + likes)
    case = drafted(tmp_path, "customers.csv", "products.csv", "orders.csv", "likes.csv")
    assert case["relations"] == {
        "orders_of_customer": {"from": "Order.customer", "to": "Customer.customer_id"},
        "customer_products": {
            "from": "Customer.customer_id",
            "to": "Product.product_id",
            "through": ["Like.customer_id", "Like.product_id"],
        },
    }
    assert "299 of 300 rows of Order match" in (tmp_path / "mine" / "mine.yml").read_text()
    assert case["concepts"]["Customer"]["holdout"] == {"share": 0.3, "seed": 1}
    assert "key" not in case["concepts"]["Like"]
    accepted(tmp_path / "mine", "run", "mine.yml")


def test_keys_of_different_types_can_meet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"customer_id": [f"{i}" for i in range(30)], "age": range(30)})
    frame.to_parquet(tmp_path / "customers.parquet")
    orders = pd.DataFrame({"order_id": range(60), "customer_id": [i % 30 for i in range(60)]})
    orders.to_parquet(tmp_path / "orders.parquet")
    case = drafted(tmp_path, "customers.parquet", "orders.parquet")
    columns = case["connect"]["concepts"]["Order"]["columns"]
    assert columns == {"customer_id": {"column": "customer_id", "as": "text"}}
    accepted(tmp_path / "mine", "run", "mine.yml")


def test_small_numbers_are_not_keys_of_every_table(tmp_path: Path) -> None:
    write(tmp_path, "rooms.csv", "room_id,size\n" + "".join(f"{i},{i}.5\n" for i in range(1, 51)))
    guests = "".join(f"{i},{i % 3 + 1},{i % 4 + 1}\n" for i in range(100))
    write(tmp_path, "guests.csv", "guest_id,children,status_code\n" + guests)
    assert "relations" not in drafted(tmp_path, "rooms.csv", "guests.csv")


HOSTILE = [
    "a: b", "# no", "- x", "[z]", "{y}", "*all", "&anchor", "!!python/object", "'quote", '"double',
    "select", "yes", "null", "1e3", "tab\tname", "x" * 200, "line\u2028break", "all", "${HOME}",
]  # fmt: skip


def test_names_and_values_stay_what_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame(dict.fromkeys(HOSTILE, HOSTILE * 2))
    frame.to_parquet(tmp_path / "hostile.parquet")
    case = drafted(tmp_path, "hostile.parquet")
    assert set(case) == {"case", "about", "concepts", "steps", "connect"}
    concept = case["concepts"]["Hostile"]
    assert set(concept) == {"about", "key", "features"} | {"holdout"}
    columns = case["connect"]["concepts"]["Hostile"]["columns"]
    assert isinstance(columns, dict)
    features = concept["features"]
    assert isinstance(features, dict)
    assert {columns.get(name, name) for name in features} == {*HOSTILE, "row_number"}
    accepted(tmp_path / "mine", "run", "mine.yml")
    found = rows(tmp_path / "mine" / "mine.duckdb", "mine_results.Hostile")
    assert {row[1] for row in found} == set(HOSTILE)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("head.csv", b"a,b\n", "no rows below its first line"),
        ("none.csv", b"1,2\n3,4\n1,6\n", "looks like a row, not like names"),
        ("binary.csv", bytes(range(256)) * 9, "is not text"),
        ("short.csv", b"a,b\n1,2\n3\n", "line 3 of the CSV file"),
        ("cut.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "cannot be read"),
        ("plain.csv.gz", b"a,b\n1,2\n", "Not a gzipped file"),
        ("half.csv", "a,b\n1,2\n".encode("utf-16-le"), "is not text"),
        ("wide.csv", b"a,b\n1,2\n3,4,5\n", "line 3 of the CSV file"),
        ("fake.xlsx", b"nothing", "is no Excel workbook"),
        ("fake.parquet", b"a,b\n1,2\n", "is not a Parquet file"),
        ("data.json", b"{}", "no kind of file that can be read"),
        ("fake.duckdb", b"nothing", "cannot open the store"),
    ],
)
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert said in refused(tmp_path, "init", "mine", "--from", name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("encoding", "written"), [("utf-16", "utf-16"), ("utf-8-sig", None), ("latin-1", "latin-1")]
)
def test_encodings(tmp_path: Path, encoding: str, written: str | None) -> None:
    write(tmp_path, "city.csv", "id,Straße\n1,Köln\n2,Bonn\n3,Köln\n", encoding)
    case = drafted(tmp_path, "city.csv")
    assert case["connect"]["concepts"]["City"].get("encoding") == written
    assert case["concepts"]["City"]["features"] == {"id": "key", "Straße": "binary"}
    accepted(tmp_path / "mine", "run", "mine.yml")
    found = rows(tmp_path / "mine" / "mine.duckdb", "mine_results.City")
    assert sorted(row[1] for row in found) == ["Bonn", "Köln", "Köln"]


def test_names_that_occur_twice_and_nested_columns(tmp_path: Path) -> None:
    write(tmp_path, "twice.csv", "id,a,a,A\n1,2,3,x\n2,4,6,y\n")
    assert len(drafted(tmp_path, "twice.csv")["concepts"]["Twice"]["features"]) == 4
    accepted(tmp_path / "mine", "run", "mine.yml")
    table = pa.table({"id": [1, 2, 3], "tags": [["a"], [], ["b"]]})
    pa.parquet.write_table(table, tmp_path / "nested.parquet")
    accepted(tmp_path, "init", "other", "--from", "nested.parquet")
    text = (tmp_path / "other" / "other.yml").read_text()
    assert "tags is left out: VARCHAR[] is no number, text or time" in text
    accepted(tmp_path / "other", "run", "other.yml")


def test_a_sheet_without_names(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in ([1, 2.5], [2, 3.5], [3, 1.5]):
        book.active.append(row)
    book.save(tmp_path / "bare.xlsx")
    said = refused(tmp_path, "init", "mine", "--from", "bare.xlsx")
    assert "the first line of bare.xlsx, sheet Sheet looks like a row" in said
    assert "not like names of columns: 1, 2.5" in said
    assert not (tmp_path / "mine").exists()


def test_tables_without_rows(tmp_path: Path) -> None:
    pa.parquet.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    assert "has no rows" in refused(tmp_path, "init", "mine", "--from", "none.parquet")
    duckdb.connect(str(tmp_path / "none.duckdb")).close()
    assert "there is no table" in refused(tmp_path, "init", "mine", "--from", "none.duckdb")
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("mysql://host/shop", "mysql:// is no kind of database that can be read"),
        ("postgresql://me:geheim@127.0.0.1:9/shop", "cannot open the store"),
        ("gone.csv", "is a link to something that does not exist"),
        ("none", "no file in none can be read"),
    ],
)
def test_places_that_cannot_be_read(tmp_path: Path, source: str, said: str) -> None:
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    (tmp_path / "none").mkdir()
    told = refused(tmp_path, "init", "mine", "--from", source)
    assert said in told and "geheim" not in told
    assert not (tmp_path / "mine").exists()


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "customers.csv", "id,b\n1,2\n2,2\n")

    def interrupted(*_: object) -> None:
        assert len(list(tmp_path.iterdir())) == 2  # the folder that is not finished
        raise KeyboardInterrupt

    monkeypatch.setattr("miningflow.verbs.start.new_folder.copy_files", interrupted)
    with pytest.raises(KeyboardInterrupt):
        miningflow.start(tmp_path / "customers.csv", tmp_path / "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["customers.csv"]


def test_a_duckdb_file(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as store:
        store.execute("CREATE TABLE customers AS SELECT i AS id, i % 9 AS age FROM range(50) t(i)")
        store.execute(
            'CREATE TABLE "my orders" AS SELECT i AS id, i % 50 AS customer_id FROM range(90) t(i)'
        )
        store.execute("CREATE TABLE nothing (a INTEGER)")
    accepted(tmp_path, "init", "by_address", "--from", "duckdb:///shop.duckdb")
    accepted(
        tmp_path / "by_address", "check", "by_address.yml", "--data", "--connect", "by_address.yml"
    )
    case = drafted(tmp_path, "shop.duckdb")
    assert set(case["concepts"]) == {"Customer", "MyOrder"}
    assert case["relations"] == {
        "my_orders_of_customer": {"from": "MyOrder.customer_id", "to": "Customer.id"}
    }
    text = (tmp_path / "mine" / "mine.yml").read_text()
    assert "the table nothing has no rows, and was left out" in text
    accepted(tmp_path / "mine", "run", "mine.yml", "--connect", "mine.yml")


def test_missing_files_and_clashes(tmp_path: Path) -> None:
    write(tmp_path, "customers.csv", "id,b\n1,2\n2,2\n")
    assert "did you mean 'customers.csv'" in refused(
        tmp_path, "init", "m", "--from", "custmers.csv"
    )
    assert "no file matches" in refused(tmp_path, "init", "m", "--from", "x*.csv")
    (tmp_path / "old").mkdir()
    write(tmp_path / "old", "customers.csv", "id,b\n1,2\n2,2\n")
    two = ("customers.csv", "old/customers.csv")
    assert "would be called 'Customer'" in refused(tmp_path, "init", "m", "--from", *two)
    accepted(tmp_path, "init", "m", "--from", "customers.csv", "Former=old/customers.csv")
    assert "exists and is not empty" in refused(tmp_path, "init", "m", "--from", "customers.csv")


def test_too_many_columns(tmp_path: Path) -> None:
    write(
        tmp_path, "w.csv", ",".join(f"c{i}" for i in range(20_000)) + "\n" + "1," * 19_999 + "1\n"
    )
    assert "20,000 columns" in refused(tmp_path, "init", "m", "--from", "w.csv")


def test_one_row_and_nothing_but_null(tmp_path: Path) -> None:
    write(tmp_path, "one.csv", "a,b\n1,x\n")
    write(tmp_path, "nulls.csv", "a,b\n,\n,\n")
    drafted(tmp_path, "one.csv", "nulls.csv")
    accepted(tmp_path / "mine", "run", "mine.yml")


def test_in_place(tmp_path: Path) -> None:
    write(tmp_path, "customers.csv", "id,b\n1,2\n2,2\n")
    said = accepted(tmp_path, "init", "mine", "--from", "customers.csv", "--in-place")
    assert "miningflow run mine.yml --connect mine.yml" in said
    assert not (tmp_path / "mine" / "data").exists()
    accepted(tmp_path / "mine", "run", "mine.yml", "--connect", "mine.yml")


def test_json_and_explain(tmp_path: Path) -> None:
    write(tmp_path, "customers.csv", "customer_id,zip\n1,01067\n2,80331\n")
    found = json.loads(accepted(tmp_path, "init", "a", "--from", "customers.csv", "--json"))
    types = {each["column"]: each["type"] for each in found["columns"]}
    assert types == {"customer_id": "key", "zip": "nominal"}
    said = accepted(tmp_path, "init", "b", "--from", "customers.csv", "--explain")
    assert "unique, never missing" in said


def test_a_source_without_its_option(tmp_path: Path) -> None:
    assert "--from x.csv" in refused(tmp_path, "init", "a", "x.csv", code=2)


def test_frames(tmp_path: Path) -> None:
    customers = pd.DataFrame({"customer_id": range(30), "age": [20.5 + i for i in range(30)]})
    orders = pa.table({"order_id": range(60), "customer_id": [i % 30 for i in range(60)]})
    started = miningflow.start({"Customer": customers, "Order": orders}, tmp_path / "mine")
    assert [each.name for each in started.relations] == ["orders_of_customer"]
    case = miningflow.load(started.path)
    case.run(target=tmp_path / "target")
    assert case.table("Customer").num_rows == 30
    with pytest.raises(miningflow.MiningFlowError, match="is no table"):
        miningflow.start({"Customer": 3}, tmp_path / "other")


def test_sheets_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "customers"
    sheet.append(["customer_id", "born", "weight", "active"])
    for i in range(25):
        sheet.append([i, datetime(1990, 1, i + 1), i + 0.25, i % 2 == 0])
    orders = book.create_sheet("orders")
    orders.append(["order_id", "customer_id", "remark"])
    for i in range(40):
        orders.append([i, i % 25, None if i % 3 else "=1+1"])
    book.create_sheet("nothing")
    book.save(tmp_path / "shop.xlsx")
    case = drafted(tmp_path, "shop.xlsx")
    assert case["concepts"]["Customer"]["features"] == {
        "customer_id": "key",
        "born": "time",
        "weight": "numeric",
        "active": "binary",
    }
    assert set(case["relations"]) == {"orders_of_customer"}
    text = (tmp_path / "mine" / "mine.yml").read_text()
    assert "the sheet nothing has no rows, and was left out" in text
    accepted(tmp_path / "mine", "run", "mine.yml")
    write(tmp_path, "fake.xlsx", "no workbook")
    assert "is no Excel workbook" in refused(tmp_path, "init", "other", "--from", "fake.xlsx")


def test_tables_of_postgresql(tmp_path: Path, database: Database) -> None:
    _execute(database, "CREATE SCHEMA sales")
    _execute(
        database,
        "CREATE TABLE sales.customers AS SELECT i AS customer_id, (i % 7) * 1.5 AS weight, "
        "CASE WHEN i % 3 = 0 THEN 'yes' ELSE 'no' END AS lapsed FROM generate_series(1, 90) i",
    )
    _execute(
        database,
        "CREATE TABLE sales.orders AS SELECT i AS order_id, i % 90 + 1 AS customer_id, "
        "timestamp '2024-01-01' + i * interval '1 day' AS ordered FROM generate_series(1, 200) i",
    )
    address = database.url
    case = drafted(tmp_path, f"{address.partition('?')[0]}/sales{_question(address)}")
    assert case["concepts"]["Customer"]["features"] == {
        "customer_id": "key",
        "weight": "numeric",
        "lapsed": "binary",
    }
    assert case["concepts"]["Order"]["features"]["ordered"] == "time"
    assert set(case["relations"]) == {"orders_of_customer"}
    accepted(tmp_path / "mine", "run", "mine.yml", "--connect", "mine.yml")
    with_password = address.replace(":@", ":geheim@")
    said = refused(tmp_path, "init", "other", "--from", f"{with_password.partition('?')[0]}/sale"
                   + _question(address))  # fmt: skip
    assert "there is no schema 'sale'" in said and "did you mean 'sales'" in said
    accepted(tmp_path, "init", "secret", "--from", f"{with_password.partition('?')[0]}/sales"
             + _question(address))  # fmt: skip
    text = (tmp_path / "secret" / "secret.yml").read_text()
    assert "geheim" not in text and "${PGPASSWORD}" in text


def _execute(database: Database, statement: str) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(statement.encode())


def _question(address: str) -> str:
    return "?" + address.partition("?")[2] if "?" in address else ""


def test_a_password_is_not_written() -> None:
    found = database_address("postgresql://me:secret@host/shop/sales?sslmode=require")
    assert found.url == "postgresql://me:secret@host/shop?sslmode=require"
    assert found.schema == "sales"
    assert found.written == "postgresql://me:${PGPASSWORD}@host/shop?sslmode=require"
    assert "PGPASSWORD" in found.note
