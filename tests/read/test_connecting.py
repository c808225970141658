"""Connections: what a case may reach, secrets, the environment."""

from __future__ import annotations

import pytest
from conftest import WriteCase
from support import example_data
from support.command_line import accepted, refused

STEP = "s: {operator: AssignAverageValue, input: Customer, target: income}"
CONNECT = example_data.CONNECT


def refuse(write_case: WriteCase, old: str, new: str) -> str:
    assert old in CONNECT
    path = write_case(STEP, connect=CONNECT.replace(old, new))
    said = refused(path.parent, "run", "case.yml")
    assert not (path.parent / "store.duckdb").exists()
    return said


@pytest.mark.parametrize(
    ("new", "place", "message"),
    [
        ("{}", "44:12", "needs either 'file' or 'table'"),
        ("{file: Claim.parquet, table: claims}", "44:12", "needs either 'file' or 'table'"),
        ("{file: Claim.parquet, colums: {}}", "44:34", "did you mean 'columns'?"),
        ("{file: [a.csv]}", "44:19", "'file' must be a single value, got a list"),
        ("12", "44:12", "must be a map, got a single value"),
        ("{file: Clam.parquet}", "44:19", "did you mean 'Claim.parquet'?"),
        ("{file: data/claim.csv}", "44:19", "there is no file 'data/claim.csv'"),
        ("{file: 'z*.parquet'}", "44:19", "there is no file 'z*.parquet'"),
        ('{file: "a\\0b.csv"}', "44:19", "this is no path"),
        ("{file: " + "a" * 4000 + "}", "44:19", "File name too long"),
        ("{file: .}", "44:19", "'.' is a folder"),
        ("{file: Claim.parquet, columns: {amout: x}}", "44:51", "did you mean 'amount'?"),
        ("{file: ../Claim.parquet}", "44:19", "lies outside the folder of the case"),
        ("{file: /etc/passwd}", "44:19", "lies outside the folder of the case"),
        ("{file: 'x*/../../*.csv'}", "44:19", "lies outside the folder of the case"),
        ("{table: read_csv('Claim.csv')}", "44:20", "is not the name of a table"),
        ("{table: a.b.c.d}", "44:20", "is not the name of a table"),
        ("{table: ''}", "44:20", "is not the name of a table"),
    ],
)
def test_a_wrong_source_is_refused_before_a_store_is_made(
    write_case: WriteCase, new: str, place: str, message: str
) -> None:
    said = refuse(write_case, "{file: Claim.parquet}", new)
    assert f"case.yml:{place}: error: " in said
    assert message in said


@pytest.mark.parametrize(
    "table",
    ["Claim.parquet", "'\"Claim.parquet\"'", "\"'Claim.parquet'\"", "'\"/etc/passwd\"'", "claims"],
)
def test_a_table_is_a_table_of_the_store_and_no_file(write_case: WriteCase, table: str) -> None:
    path = write_case(STEP, connect=CONNECT.replace("file: Claim.parquet", f"table: {table}"))
    said = refused(path.parent, "run", "case.yml")
    assert "case.yml:44:20: error: there is no table" in said


def test_concepts_of_case_and_connection_must_meet(write_case: WriteCase) -> None:
    said = refuse(write_case, "    Claim: {", "    Clam: {")
    assert "case.yml:44:5: error: the case has no concept 'Clam'" in said
    assert "does not say where concept 'Claim' lies" in said
    assert said.index("41:3") < said.index("44:5")


@pytest.mark.parametrize("block", ["", CONNECT.replace("  store: duckdb:///store.duckdb\n", "")])
def test_a_case_without_a_store_says_what_to_add(write_case: WriteCase, block: str) -> None:
    said = refused(write_case(STEP, connect=block).parent, "run", "case.yml")
    assert "is not connected to a store" in said
    assert "`connect:`" in said


def test_a_link_that_leads_out_of_the_folder_is_refused(
    write_case: WriteCase, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret.csv").write_text("a\n1\n")
    path = write_case(STEP, connect=CONNECT.replace("Claim.parquet", "'link*/*.csv'"))
    (path.parent / "link").symlink_to(elsewhere)
    assert "case.yml:44:19: error: " in refused(path.parent, "run", "case.yml")


def test_a_connection_file_may_reach_anywhere(
    write_case: WriteCase, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    example_data.write(elsewhere, example_data.tables())
    body = "\n".join(line[2:] for line in CONNECT.replace("connect:", "").splitlines())
    connection = elsewhere / "here.yml"
    connection.write_text(body.replace("file: ", f"file: {elsewhere}/"))
    folder = write_case(STEP, connect="").parent
    for file in folder.glob("*.parquet"):
        file.unlink()
    accepted(folder, "run", "case.yml", "--connect", connection)
    assert (elsewhere / "store.duckdb").exists()


def test_a_store_outside_of_the_folder_is_refused(write_case: WriteCase) -> None:
    said = refuse(write_case, "duckdb:///store.duckdb", "duckdb:////tmp/store.duckdb")
    assert "case.yml:41:10: error: " in said
    assert "lies outside the folder of the case" in said


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:geheim@host/db",
        "postgresql://me:ge/heim@host/db",
        "postgresql://${ME}:geheim@host/db",
        "postgresql://host/db?user=me&password=geheim",
        "duckdb:///md:x?motherduck_token=geheim",
    ],
)
def test_a_password_in_the_file_is_refused_and_not_repeated(
    write_case: WriteCase, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ME", "me")
    said = refuse(write_case, "duckdb:///store.duckdb", url)
    assert "case.yml:41:10: error: the file contains a password" in said
    assert "${NAME}" in said
    assert "heim" not in said


def test_the_environment_fills_in(write_case: WriteCase, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = CONNECT.replace("Claim.parquet", "'${CLAIMS_OF_TEST}.parquet'")
    folder = write_case(STEP, connect=connect).parent
    monkeypatch.delenv("CLAIMS_OF_TEST", raising=False)
    said = refused(folder, "run", "case.yml", "--connect", "case.yml")
    assert "case.yml:44:19: error: the environment variable CLAIMS_OF_TEST is not set" in said
    assert "export CLAIMS_OF_TEST=" in said
    monkeypatch.setenv("CLAIMS_OF_TEST", "Claim")
    accepted(folder, "run", "case.yml", "--connect", "case.yml")


def test_a_variable_that_is_none_is_refused(write_case: WriteCase) -> None:
    connect = CONNECT.replace("file: Claim.parquet", "file: '${my claims}'")
    folder = write_case(STEP, connect=connect).parent
    said = refused(folder, "run", "case.yml", "--connect", "case.yml")
    assert "case.yml:44:19: error: '${' does not begin the name of a variable" in said


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mongo://x", "unknown kind of store 'mongo'"),
        ("store.duckdb", "unknown kind of store 'store.duckdb'"),
        ("duckdb:///no/store.duckdb", "there is no folder"),
        ("duckdb:///Claim.parquet/store.duckdb", "there is no folder"),
    ],
)
def test_a_store_that_cannot_be_is_refused(write_case: WriteCase, url: str, message: str) -> None:
    said = refuse(write_case, "duckdb:///store.duckdb", url)
    assert "case.yml:41:10: error: " in said
    assert message in said


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("null\n", "1:1", "the top level must be a map"),
        ("store: [a]\nconcpts: {}\n", "2:1", "did you mean 'concepts'?"),
        ("store: duckdb:///s.duckdb\nconcepts: [a]\n", "2:11", "must be a map, got a list"),
    ],
)
def test_a_broken_connection_file_is_refused(
    write_case: WriteCase, text: str, place: str, message: str
) -> None:
    folder = write_case(STEP).parent
    (folder / "here.yml").write_text(text)
    said = refused(folder, "run", "case.yml", "--connect", "here.yml")
    assert f"here.yml:{place}: error: " in said
    assert message in said
    assert "no file nowhere.yml" in refused(folder, "run", "case.yml", "--connect", "nowhere.yml")


@pytest.mark.parametrize("url", ["sqlite:///no/x.db", "foo:///x", "justtext", "sqlite:///../x.db"])
def test_a_repository_that_cannot_be_is_refused(write_case: WriteCase, url: str) -> None:
    folder = write_case(STEP, connect=f"{CONNECT}  repository: {url}\n").parent
    assert "case.yml:48:15: error: " in refused(folder, "run", "case.yml")


@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("sqlite:///store.db", "unknown kind of store 'sqlite'"),
        ("duckdb:///md:x", "'md:x' is not the name of a DuckDB file"),
        ("duckdb:///../store.duckdb", "lies outside the folder of the case"),
        ("duckdb:///store.duckdb?theads=2", "did you mean 'threads'?"),
        ("duckdb:///store.duckdb?threads=0", "threads cannot be '0'"),
    ],
)
def test_check_finds_an_address_that_no_run_could_open(
    write_case: WriteCase, store: str, said: str
) -> None:
    wrong = CONNECT.replace("duckdb:///store.duckdb", store)
    assert wrong != CONNECT
    path = write_case(STEP, connect=wrong)
    assert said in refused(path.parent, "check", "case.yml")
