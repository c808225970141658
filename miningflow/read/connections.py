"""Reads connections: the store, and the file or table of each concept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from miningflow.errors import Diagnostic, Place, ReadError
from miningflow.nodes import Fields, Node, Scalar
from miningflow.read.case import Case, ConnectionText, SourceText
from miningflow.read.case_rights import beyond_rights, vouching
from miningflow.read.environment import filled_address, with_environment
from miningflow.read.reading_options import READING_OPTIONS, reading_options
from miningflow.read.shape import Shape
from miningflow.read.source_columns import read_columns
from miningflow.read.yaml_file import parse_yaml, read_yaml

_STORE = re.compile(r"\w+(\+\w+)?://|local(-cluster)?\[|local$")
LONGEST_ADDRESS = 2000
NO_TEXTS: Mapping[Path, str] = MappingProxyType({})
_PASSWORD = re.compile(
    r"://[^/@:]*:(?!\$\{)[^@]+@|[?&;](password|passwd|pwd|token|secret|\w+_token)=(?!\$\{)[^&]",
    re.IGNORECASE,
)


def read_connection(
    path: Path, home: Path | None = None, text: str | None = None
) -> ConnectionText:
    """Reads a connection file, or the `connect:` block of a case file.

    With `home`, the file was found beside a case and must not leave that folder. With `text`, it is
    read as if the file contained that.
    """
    diagnostics: list[Diagnostic] = []
    root = (
        read_yaml(path, diagnostics) if text is None else parse_yaml(text, str(path), diagnostics)
    )
    shape = Shape(diagnostics)
    own_block = root.get("connect") if isinstance(root, Fields) and "case" in root else None
    connection = connection_of(own_block or root, path.parent, shape, home)
    if connection is not None and home is None:
        connection = with_environment(connection, shape)
    if diagnostics or connection is None:
        raise ReadError(*diagnostics)
    return connection


def find_connection(
    case: Case, given: Path | None, texts: Mapping[Path, str] = NO_TEXTS
) -> ConnectionText | None:
    """Finds the connection of a case: the one asked for, its own block, or a file beside it.

    What came with the case is held to the rights of a case. Files are read as if they contained
    their `texts`.
    """
    if given is not None:
        return read_connection(given, None, texts.get(given))
    found = case.connect or _beside(case, texts)
    beyond = beyond_rights(found) if found is not None else []
    if beyond:
        raise ReadError(*beyond)
    return found


def _beside(case: Case, texts: Mapping[Path, str]) -> ConnectionText | None:
    """Reads connections/<case>.yml or connections/default.yml in the folder of a case."""
    home = case.path.parent
    for name in (case.name.text, "default"):
        path = home / "connections" / f"{name}.yml"
        if Path(name).name != name or not path.is_file():  # a name may contain `..` and `/`
            continue
        if not path.resolve().is_relative_to(home.resolve()):
            message = f"{path} is a link that leaves the folder of the case"
            raise ReadError(Diagnostic(message, None, vouching(str(path))))
        return read_connection(path, home, texts.get(path))
    return None


def named_connection(named: str, own: ConnectionText | None, option: str) -> ConnectionText:
    """Finds what an option of a command names: a connection file, or a store alone.

    To a store alone the case is connected as it is to its own: the same files and tables.
    """
    if not _STORE.match(named):
        return read_connection(Path(named))
    place = Place(option, 0, 0)
    diagnostics: list[Diagnostic] = []
    shape = Shape(diagnostics)
    store = filled_address(_address(Scalar(named, "text", place), shape), shape)
    if own is None:
        diagnostics.append(
            Diagnostic(
                "the case has no connection, and a store alone does not say where its data are",
                place,
                "name a connection file, with a `store` and `concepts`",
            )
        )
    if diagnostics or store is None or own is None:
        raise ReadError(*diagnostics)
    # paths of a command start where it is given
    file = store.text.removeprefix("duckdb:///")
    if file != store.text and file not in ("", ":memory:"):
        store = replace(store, text=f"duckdb:///{Path(file).absolute()}")
    return replace(own, place=place, store=store, repository=None, store_given=True)


def connection_of(
    node: Node, folder: Path, shape: Shape, home: Path | None = None
) -> ConnectionText | None:
    """Reads the body of a connection; with `home`, of one that must not leave that folder."""
    fields = shape.fields(node, "a connection")
    if fields is None:
        return None
    shape.known(fields, ("store", "repository", "concepts", "about"), "connection")
    sources: dict[str, SourceText] = {}
    for key, body in shape.fields(fields.get("concepts"), "'concepts' of a connection") or ():
        source = _source(key, body, shape)
        if source is not None:
            sources[key.text] = source
    return ConnectionText(
        place=fields.place,
        folder=folder,
        store=_address(shape.scalar(fields.get("store"), "'store'"), shape),
        repository=_address(shape.scalar(fields.get("repository"), "'repository'"), shape),
        sources=sources,
        home=home,
    )


def _source(key: Scalar, node: Node, shape: Shape) -> SourceText | None:
    what = f"the source of {key.text!r}"
    body = shape.fields(node, what)
    if body is None:
        return None
    shape.known(body, ("file", "table", "columns", "number_rows", *READING_OPTIONS), what)
    file = shape.scalar(body.get("file"), "'file'")
    table = shape.scalar(body.get("table"), "'table'")
    if ("file" in body) == ("table" in body):
        shape.error(f"{what} needs either 'file' or 'table'", body.place)
    columns, read_as = read_columns(body, shape)
    delimiter, reading = reading_options(body, shape)
    number_rows = shape.scalar(body.get("number_rows"), "'number_rows'")
    if number_rows is not None and table is not None:
        shape.error(
            "the rows of a table have no order, so they cannot be numbered",
            number_rows.place,
            "name a column of the table that identifies its rows",
        )
    return SourceText(key, file, table, columns, delimiter, number_rows, read_as, reading)


def _address(scalar: Scalar | None, shape: Shape) -> Scalar | None:
    if scalar is None:
        return None
    hidden = replace(scalar.place, text="")  # the line would show a password again
    if len(scalar.text) > LONGEST_ADDRESS:
        message = f"an address has at most {LONGEST_ADDRESS} characters, got {len(scalar.text)}"
        shape.error(message, hidden)
    elif _PASSWORD.search(scalar.text):
        hint = "put it in an environment variable and write ${NAME} here"
        shape.error("the file contains a password", hidden, hint)
    return scalar
