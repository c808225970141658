"""What comes with a case from a stranger reaches its own folder only, unless the user names it."""

from __future__ import annotations

import contextlib
import socket
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.command_line import accepted, miningflow, refused

CASE = """\
case: NAME
concepts:
  Person: {key: id, features: {id: key, age: numeric}}
steps:
  scaled: {operator: LinearScaling, input: Person, target: age, materialize: table}
"""
ROWS = "id,age\n1,20\n2,40\n3,60\n"
VERBS = (
    ("check",), ("plan",), ("run",), ("show",), ("stats",), ("compile",), ("score",),
    ("export", "--to", "script"), ("lineage",), ("clean",),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a stranger, in that of the user."""
    made = tmp_path / "stranger"
    (made / "connections").mkdir(parents=True)
    (made / "rows.csv").write_text(ROWS)
    return made


def own_block(folder: Path, store: str, file: str = "rows.csv", name: str = "small") -> Path:
    """Writes a case with a `connect:` block."""
    block = f"connect:\n  store: {store}\n  concepts: {{Person: {{file: '{file}'}}}}\n"
    path = folder / "case.yml"
    path.write_text(CASE.replace("NAME", name) + block)
    return path


def beside(folder: Path, text: str, name: str = "small", file: str = "default") -> Path:
    """Writes a case without a connection, and a connection file beside it."""
    (folder / "case.yml").write_text(CASE.replace("NAME", f"'{name}'"))
    path = folder / "connections" / f"{file}.yml"
    path.write_text(text)
    return path


@contextlib.contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """Accepts connections on the loopback, and keeps what each sends first."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as caller:
                        heard.append(caller.recv(4096))

        threading.Thread(target=listen, daemon=True).start()
        yield server.getsockname()[1], heard


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_calls_a_server_that_a_case_names(
    folder: Path, verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_USER", "hidden")
    monkeypatch.setenv("PGPASSWORD", "also hidden")
    with listener() as (port, heard):
        address = f"127.0.0.1:{port}/${{SECRET_OF_USER}}?connect_timeout=1"
        own_block(folder, f"postgresql://${{SECRET_OF_USER}}@{address}")
        said = refused(folder, verb[0], "case.yml", *verb[1:])
        beside(folder, f"store: postgresql://u@{address}\nconcepts: {{Person: {{table: t}}}}\n")
        said += refused(folder, verb[0], "case.yml", *verb[1:])
    assert heard == []
    assert "hidden" not in said
    assert "case.yml:7:10: error: a case may not read environment variables by itself" in said
    assert "case.yml:7:10: error: a case may not name a server as its store by itself" in said
    assert "default.yml:1:8: error: a case may not name a server as its store by itself" in said
    assert "name it: `--connect case.yml`" in said
    assert "name it: `--connect connections/default.yml`" in said


@pytest.mark.parametrize(
    "address",
    ["postgresql://h/d", "postgres://h/d", "postgresql+psycopg://h/d", "spark://h:7077",
     "sc://h:15002", "'local[2]'", "local"],
)  # fmt: skip
def test_servers_are_refused_as_store_and_as_repository(folder: Path, address: str) -> None:
    own_block(folder, f"{address}\n  repository: sqlite:///r.db")
    assert "may not name a server as its store" in refused(folder, "run", "case.yml")
    own_block(folder, f"duckdb:///s.duckdb\n  repository: {address}")
    assert "may not name a server as its repository" in refused(folder, "run", "case.yml")
    assert not (folder / "s.duckdb").exists()


def test_a_named_file_may_read_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORE_OF_TEST", "named")
    own_block(folder, "duckdb:///${STORE_OF_TEST}.duckdb")
    refused(folder, "run", "case.yml")
    accepted(folder, "run", "case.yml", "--connect", "case.yml")
    assert (folder / "named.duckdb").exists()


@pytest.mark.parametrize(
    ("store", "file"),
    [
        ("duckdb:///../../made.duckdb", "../rows.csv"),
        ("duckdb:///../s.duckdb", "../../private.csv"),
        ("duckdb:///../s.duckdb\nrepository: sqlite:///../../made.db", "../rows.csv"),
        ("duckdb:///../s.duckdb\nrepository: sqlite+pysqlite:///../../made.db", "../rows.csv"),
        ("duckdb://\nrepository: 'sqlite:///file:../../made.db?uri=true'", "../rows.csv"),
    ],
)  # fmt: skip
def test_a_connection_file_beside_the_case_stays_in_its_folder(
    folder: Path, store: str, file: str
) -> None:
    (folder.parent / "private.csv").write_text(ROWS)
    beside(folder, f"store: {store}\nconcepts: {{Person: {{file: {file}}}}}\n")
    said = refused(folder, "run", "case.yml")
    assert "outside the folder of the case" in said or "not the address of a repository" in said
    assert sorted(p.name for p in folder.parent.iterdir()) == ["private.csv", "stranger"]


def test_an_honest_connection_file_beside_the_case_needs_no_words(folder: Path) -> None:
    beside(folder, "store: duckdb:///../s.duckdb\nconcepts: {Person: {file: ../rows.csv}}\n")
    accepted(folder, "run", "case.yml")
    assert (folder / "s.duckdb").exists()


def test_a_named_connection_file_reaches_anywhere(folder: Path) -> None:
    (folder.parent / "data.csv").write_text(ROWS)
    text = "store: duckdb:///../../made.duckdb\nconcepts: {Person: {file: ../../data.csv}}\n"
    beside(folder, text)
    said = refused(folder, "run", "case.yml")
    assert "name it: `--connect connections/default.yml`" in said
    accepted(folder, "run", "case.yml", "--connect", "connections/default.yml")
    assert (folder.parent / "made.duckdb").exists()


def test_a_linked_connection_file_is_not_read(folder: Path) -> None:
    elsewhere = folder.parent / "mine.yml"
    elsewhere.write_text("token: hidden\n")
    beside(folder, "").unlink()
    (folder / "connections" / "default.yml").symlink_to(elsewhere)
    said = refused(folder, "run", "case.yml")
    assert "is a link that leaves the folder" in said
    assert "hidden" not in said


def test_the_name_of_a_case_does_not_choose_a_file_elsewhere(folder: Path) -> None:
    elsewhere = folder.parent / "mine.yml"
    elsewhere.write_text("store: duckdb:///s.duckdb\nconcepts: {Person: {file: rows.csv}}\n")
    beside(folder, "", name="../../mine").unlink()
    assert "is not connected to a store" in refused(folder, "run", "case.yml")
    assert not (folder.parent / "s.duckdb").exists()


@pytest.mark.parametrize(
    "name", ["md:x", "sqlite:x.db", "postgres:x", "http:x", "ducklake:x", "a:b"]
)
def test_a_store_with_the_prefix_of_an_extension_is_refused(folder: Path, name: str) -> None:
    own_block(folder, f"duckdb:///{name}")
    assert "is not the name of a DuckDB file" in refused(folder, "run", "case.yml")
    refused(folder, "run", "case.yml", "--connect", "case.yml")
    assert not (folder / name).exists()


@pytest.mark.parametrize(
    "setting",
    ["threads=100000", "threads=0", "threads=", "threads=-1", "memory_limit=1;x", "memory_limit=x",
     "extension_directory=/tmp", "access_mode=read_only"],
)  # fmt: skip
def test_settings_of_a_store_have_limits(folder: Path, setting: str) -> None:
    own_block(folder, f"'duckdb:///s.duckdb?{setting}'")
    said = refused(folder, "run", "case.yml")
    assert "case.yml:7:10: error: " in said
    assert not (folder / "s.duckdb").exists()


def test_honest_settings_are_accepted(folder: Path) -> None:
    own_block(folder, "'duckdb:///s.duckdb?threads=2&memory_limit=1.5GB'")
    accepted(folder, "run", "case.yml")


def test_the_database_of_another_program_is_not_written_to(folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(folder / "history.db")) as browser:
        browser.execute("CREATE TABLE visits (url TEXT)")
        browser.commit()
    before = (folder / "history.db").read_bytes()
    own_block(folder, "duckdb:///s.duckdb\n  repository: sqlite:///history.db")
    said = refused(folder, "run", "case.yml")
    assert "history.db is a database that MiningFlow did not make" in said
    own_block(folder, "duckdb:///history.db")
    refused(folder, "run", "case.yml")
    assert (folder / "history.db").read_bytes() == before


@pytest.mark.parametrize("ending", [".wal", ".tmp", ".tmp/duckdb_temp_storage_DEFAULT-0.tmp"])
def test_links_beside_a_store_are_refused(folder: Path, ending: str) -> None:
    elsewhere = folder.parent / "mine"
    elsewhere.mkdir()
    own_block(folder, "duckdb:///s.duckdb")
    duckdb.connect(str(folder / "s.duckdb")).close()
    link = folder / f"s.duckdb{ending}"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere if ending == ".tmp" else elsewhere / "file")
    assert "is a link" in refused(folder, "run", "case.yml")
    assert list(elsewhere.iterdir()) == []


def test_a_lock_does_not_overwrite_what_a_link_leads_to(folder: Path) -> None:
    import sqlalchemy as sa

    from miningflow.errors import EngineError
    from miningflow.store.case_lock import lock_case

    precious = folder.parent / ".bashrc"
    precious.write_text("alias ll='ls -l'\n")
    (folder / "r.db.small.lock").symlink_to(precious)
    repository = sa.create_engine(f"sqlite:///{folder / 'r.db'}")
    with pytest.raises(EngineError, match="it is a link"), lock_case(repository, "small", 0.0):
        pass
    assert precious.read_text() == "alias ll='ls -l'\n"


def test_a_long_address_is_refused_at_once(folder: Path) -> None:
    own_block(folder, "'" + "://:" * 50_000 + "'")
    said = miningflow(folder, "check", "case.yml")
    assert "an address has at most 2000 characters, got 200000" in said.err
    assert len(said.err) < 1000
