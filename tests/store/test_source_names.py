"""Names of files and columns mean what they say: no patterns, no folders, no other case."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted, refused, rows
from support.postgres_stores import Database

import miningflow
from miningflow.engines.column_names import distinct_names, matching_columns
from miningflow.errors import RunError

CASE = """\
case: named
concepts:
  Thing: {key: id, features: {id: key, v: numeric, good: binary}}
steps:
  grown: {operator: GenericFeatureConstruction, input: Thing, sql: v + 0, output: w}
  sorted:
    operator: PredictionWithDecisionTree
    input: grown
    target: good
    predictors: [w]
    output: guess
connect:
  store: STORE
  concepts:
    Thing: {file: 'FILE'}
"""
LABELS = ["no"] * 10 + ["yes"] * 10
IDS = list(range(1, 21))
SMALL = [i / 10 for i in IDS]
LARGE = [100.0 + i for i in IDS]


def write(folder: Path, file: str, store: str = "duckdb:///store.duckdb") -> None:
    text = CASE.replace("FILE", file).replace("STORE", store)
    (folder / "case.yml").write_text(text)


def parquet(path: Path, names: list[str], *columns: list[float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table([IDS, *columns, LABELS], names=["id", *names, "good"]), path)


def csv(path: Path, values: list[float], name: str = "v") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{i},{v},{g}" for i, v, g in zip(IDS, values, LABELS, strict=True)]
    path.write_text("\n".join([f"id,{name},good", *lines]))


def values(folder: Path) -> list[float]:
    return [row[1] for row in rows(folder / "store.duckdb", "named_results.Thing")]


@pytest.mark.parametrize("names", [["V", "v"], ["v", "V"]])
def test_the_exact_name_comes_first(tmp_path: Path, names: list[str]) -> None:
    write(tmp_path, "things.parquet")
    columns = [SMALL if name == "v" else LARGE for name in names]
    parquet(tmp_path / "things.parquet", names, *columns)
    accepted(tmp_path, "run", "case.yml")
    assert values(tmp_path) == SMALL
    swapped = tmp_path / "new.parquet"
    parquet(swapped, names[::-1], *columns[::-1])
    told = accepted(tmp_path, "score", "case.yml", "--input", f"Thing={swapped}", "--keep", "w",
                    "--output", "out.parquet")  # fmt: skip
    assert "20 rows" in told
    assert pq.read_table(tmp_path / "out.parquet").sort_by("id")["w"].to_pylist() == SMALL


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_of_a_glob_without_a_column_is_named(tmp_path: Path, ending: str) -> None:
    """Its rows would be NULL, and nothing would say so."""
    write(tmp_path, f"part_*.{ending}")
    for number, name in [(1, "v"), (2, "w"), (3, "V")]:
        path = tmp_path / f"part_{number}.{ending}"
        csv(path, SMALL, name) if ending == "csv" else parquet(path, [name], SMALL)
    said = refused(tmp_path, "run", "case.yml")
    assert f"part_2.{ending} lacks the column 'v' for Thing.v" in said
    assert "add it there" in said


def test_the_exact_name_comes_first_in_csv(tmp_path: Path) -> None:
    write(tmp_path, "things.csv")
    lines = [f"{i},{LARGE[i - 1]},{SMALL[i - 1]},{LABELS[i - 1]}" for i in IDS]
    (tmp_path / "things.csv").write_text("\n".join(["id,V,v,good", *lines]))
    accepted(tmp_path, "run", "case.yml")
    assert values(tmp_path) == SMALL


@pytest.mark.parametrize("names", [["v", "v"], ["V", "V"]])
def test_a_name_of_two_columns_is_refused(tmp_path: Path, names: list[str]) -> None:
    write(tmp_path, "things.parquet")
    parquet(tmp_path / "things.parquet", names, LARGE, SMALL)
    said = refused(tmp_path, "run", "case.yml")
    first, second = f"{names[0]} (column 2)", f"{names[1]} (column 3)"
    assert "case.yml:15:19: error: column 'v' of things.parquet for Thing.v is ambiguous" in said
    assert f"there are '{first}' and '{second}'" in said
    text = (tmp_path / "case.yml").read_text()
    chosen = text.replace("'things.parquet'", f"things.parquet, columns: {{v: '{second}'}}")
    (tmp_path / "case.yml").write_text(chosen)
    accepted(tmp_path, "run", "case.yml")
    assert values(tmp_path) == SMALL


def test_two_other_spellings_are_refused_in_new_rows(tmp_path: Path) -> None:
    write(tmp_path, "things.csv")
    csv(tmp_path / "things.csv", SMALL)
    accepted(tmp_path, "run", "case.yml")
    parquet(tmp_path / "new.parquet", ["v", "v"], SMALL, LARGE)
    said = refused(tmp_path, "score", "case.yml", "--input", "Thing=new.parquet")
    assert "column 'v' of new.parquet is ambiguous" in said
    case = miningflow.load(tmp_path / "case.yml")
    twice = pa.table([IDS, SMALL, LARGE], names=["id", "v", "v"])
    with pytest.raises(RunError, match="two columns called 'v'"):
        case.score({"Thing": twice})


@pytest.mark.parametrize("name", ["a*.csv", "a[b].csv", "a?.csv", "~a.csv", "d*/x.csv", "s3:x.csv"])
def test_the_name_of_a_file_is_no_pattern(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    for other in ("ab.csv", "ac.csv", "dd/x.csv"):
        csv(tmp_path / other, LARGE)
    csv(tmp_path / name, SMALL)
    accepted(tmp_path, "run", "case.yml")
    assert values(tmp_path) == SMALL
    accepted(tmp_path, "score", "case.yml", "--input", f"Thing={name}", "--keep", "w",
             "--output", "out.parquet")  # fmt: skip
    assert pq.read_table(tmp_path / "out.parquet").sort_by("id")["w"].to_pylist() == SMALL


def test_the_name_of_the_folder_is_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "d*"
    csv(folder / "xa.csv", SMALL)
    csv(tmp_path / "dd" / "xb.csv", LARGE)
    write(folder, "x*.csv")
    accepted(folder, "run", folder / "case.yml")
    assert values(folder) == SMALL


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "v=99" / "good=maybe"
    folder.mkdir(parents=True)
    file = folder / f"things.{ending}"
    if ending == "csv":
        csv(file, SMALL)
    else:
        parquet(file, ["v"], SMALL)
    write(folder, file.name)
    accepted(folder, "run", folder / "case.yml")
    found = rows(folder / "store.duckdb", "named_results.Thing")
    assert [row[1:] for row in found] == list(zip(SMALL, LABELS, strict=True))
    accepted(folder, "score", folder / "case.yml", "--input", f"Thing={file}", "--keep", "w",
             "--output", "out.parquet")  # fmt: skip
    assert pq.read_table(folder / "out.parquet").sort_by("id")["w"].to_pylist() == SMALL


def test_exported_sql_takes_names_literally(tmp_path: Path) -> None:
    folder = tmp_path / "v=99"
    csv(folder / "a*.csv", SMALL)
    csv(folder / "ab.csv", LARGE)
    write(folder, "a*.csv")
    accepted(folder, "run", "case.yml")
    accepted(folder, "export", "case.yml", "--to", "script", "--output", "out")
    with contextlib.chdir(folder / "out"), duckdb.connect() as connection:
        connection.execute(Path("all.sql").read_text())
        found = connection.sql('SELECT v FROM named_exported."Thing" ORDER BY id').fetchall()
    assert [v for (v,) in found] == SMALL


def test_names_mean_the_same_on_postgres(tmp_path: Path, database: Database) -> None:
    folder = tmp_path / "v=99"
    folder.mkdir()
    write(folder, "t*.parquet", database.url)
    parquet(folder / "t*.parquet", ["V", "v"], LARGE, SMALL)
    parquet(folder / "tt.parquet", ["v"], LARGE)
    source = folder / "t*.parquet"
    (tmp_path / "connection.yml").write_text(
        f"store: {database.url}\nconcepts:\n  Thing: {{file: '{source}'}}\n"
    )
    accepted(folder, "run", "case.yml", "--connect", tmp_path / "connection.yml")
    found = database.query('SELECT v FROM named_results."Thing" ORDER BY id')
    assert [v for (v,) in found] == SMALL
    database.query('CREATE TABLE things (id int, "V" float8, v float8, good text)')
    database.query("INSERT INTO things SELECT i, 100 + i, i, 'yes' FROM generate_series(1, 9) i")
    told = accepted(folder, "score", "case.yml", "--input", "Thing=things", "--keep", "w",
                    "--connect", tmp_path / "connection.yml", "--output", "out.csv")  # fmt: skip
    assert "9 rows" in told
    assert "1,1.0," in (folder / "out.csv").read_text()


def test_columns_are_found_by_name() -> None:
    names = distinct_names(["a", "B", "b", "c", "c"])
    assert names == ("a", "B (column 2)", "b (column 3)", "c (column 4)", "c (column 5)")
    assert matching_columns("A", names) == ("a",)
    assert matching_columns("b", names) == ("b (column 3)",)
    assert matching_columns("c", names) == ("c (column 4)", "c (column 5)")
    assert matching_columns("c (column 5)", names) == ("c (column 5)",)
    assert matching_columns("d", names) == ()
    assert matching_columns("v", ["v", "v (column 2)"]) == ("v", "v (column 2)")
