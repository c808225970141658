"""Addresses with which a stranger may try to reach files and servers elsewhere."""

from __future__ import annotations

import json

from attacks.stranger import Stranger


def connection_file(stranger: Stranger) -> None:
    """A connection file beside the case that names files elsewhere."""
    rng = stranger.rng
    store = rng.choice((f"duckdb:///{stranger.outside()}", "duckdb:///../s.duckdb", "duckdb://"))
    source = rng.choice((stranger.outside(), "../rows.csv", "../rows.csv"))
    text = f"store: '{store}'\nconcepts: {{Person: {{file: '{source}'}}}}\n"
    if rng.random() < 0.4:
        text += f"repository: '{_repository(stranger)}'\n"
    stranger.connection = text
    stranger.done.append(f"connections/default.yml: {text!r}")
    if rng.random() < 0.2:
        stranger.link("connections/default.yml", stranger.home / ".bashrc")
        stranger.done.append("it is a link")


def repository(stranger: Stranger) -> None:
    """A repository in a database of the user."""
    stranger.store += f"\n  repository: '{_repository(stranger)}'"
    stranger.done.append(stranger.store)


def _repository(stranger: Stranger) -> str:
    driver = stranger.rng.choice(
        ("sqlite", "sqlite+pysqlite", "sqlite+aiosqlite", "duckdb", "SQLITE", "sqlite+pysqlcipher")
    )
    path = stranger.outside()
    tail = stranger.rng.choice(("", "?uri=true", "?mode=rwc&uri=true", "?check_same_thread=0"))
    slashes = stranger.rng.choice(("///", "////", "///file:"))
    return f"{driver}:{slashes}{path}{tail}"


def own_paths(stranger: Stranger) -> None:
    """A `connect:` block that names files elsewhere."""
    rng = stranger.rng
    if rng.random() < 0.5:
        stranger.source = f"{{file: '{stranger.outside()}'}}"
        stranger.honest = False
    else:
        ways = ("duckdb:///", "duckdb:////", "duckdb:///./", "DUCKDB:///", "duckdb://localhost/")
        stranger.store = f"'{rng.choice(ways)}{stranger.outside()}'"
    stranger.done.append(f"{stranger.store} {stranger.source}")


def server(stranger: Stranger) -> None:
    """A server of the stranger, which is to hear secrets."""
    rng, port = stranger.rng, stranger.port
    driver = rng.choice(("postgresql", "postgres", "postgresql+psycopg", "sc", "spark"))
    user = rng.choice(("${SECRET_OF_USER}@", "u:${PGPASSWORD}@", "u@", ""))
    address = f"{driver}://{user}127.0.0.1:{port}/d?connect_timeout=1"
    if rng.random() < 0.3:
        stranger.store = f"duckdb:///s.duckdb\n  repository: '{address}'"
    elif rng.random() < 0.3:
        name = rng.choice(("${SECRET_OF_USER}", f"http://127.0.0.1:{port}/x"))
        stranger.store = f"'duckdb:///{name}'"
    else:
        stranger.store = f"'{address}'"
    if rng.random() < 0.3:
        stranger.source = f"{{file: 'http://127.0.0.1:{port}/rows.csv'}}"
    stranger.done.append(f"a server: {stranger.store}")


def store_name(stranger: Stranger) -> None:
    """Prefixes and settings that DuckDB understands."""
    rng = stranger.rng
    prefix = rng.choice(
        ("md:", "sqlite:", "postgres:", "http:", "ducklake:", "quack:", "s3:", "file:", "mysql:")
    )
    setting = rng.choice(
        ("threads=100000", "extension_directory=..", "allow_unsigned_extensions=true",
         "access_mode=read_only", "temp_directory=../work", "home_directory=..", "memory_limit=1kB",
         "enable_external_access=true", "autoload_known_extensions=1", "threads=2;x")
    )  # fmt: skip
    name = rng.choice(
        (f"{prefix}{stranger.outside()}", f"s.duckdb?{setting}", f"{prefix}s", "a b'c")
    )
    stranger.store = json.dumps(f"duckdb:///{name}")
    stranger.done.append(stranger.store)
