"""Reads connections: the store, and the file or table of each concept."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from miningflow.errors import Mistake, Place, ReadError
from miningflow.read.case import Case, ConnectionText, SourceText
from miningflow.read.nodes import Node, Scalar
from miningflow.read.shape import Shape
from miningflow.read.yaml_file import read_yaml

_STORE = re.compile(r"\w+(\+\w+)?://|local(-cluster)?\[|local$")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PASSWORD = re.compile(
    r"://[^/@:]*:(?!\$\{)[^@]+@|[?&;](password|passwd|pwd|token|secret|\w+_token)=(?!\$\{)[^&]",
    re.IGNORECASE,
)


def read_connection(path: Path) -> ConnectionText:
    """Reads a connection file."""
    mistakes: list[Mistake] = []
    root = read_yaml(path, mistakes)
    connection = connection_of(root, path.parent, Shape(mistakes), inside_case=False)
    if mistakes or connection is None:
        raise ReadError(*mistakes)
    return connection


def find_connection(case: Case, given: Path | None) -> ConnectionText | None:
    """Finds the connection of a case: the one asked for, its own block, or a file beside it."""
    if given is not None:
        return read_connection(given)
    if case.connect is not None:
        return case.connect
    for name in (case.name.text, "default"):
        path = case.path.parent / "connections" / f"{name}.yml"
        if path.is_file():
            return read_connection(path)
    return None


def named_connection(named: str, own: ConnectionText | None, option: str) -> ConnectionText:
    """Finds what an option of a command names: a connection file, or a store alone.

    To a store alone the case is connected as it is to its own: the same files and tables.
    """
    if not _STORE.match(named):
        return read_connection(Path(named))
    place = Place(option, 0, 0)
    mistakes: list[Mistake] = []
    store = _url(Scalar(named, "text", place), Shape(mistakes))
    if own is None:
        mistakes.append(
            Mistake(
                "the case is connected to nothing, and a store does not say where its concepts lie",
                place,
                "name a connection file, with a `store` and `concepts`",
            )
        )
    if mistakes or store is None or own is None:
        raise ReadError(*mistakes)
    # paths of a command start where it is given
    file = store.text.removeprefix("duckdb:///")
    if file != store.text and file not in ("", ":memory:"):
        store = replace(store, text=f"duckdb:///{Path(file).absolute()}")
    return replace(own, place=place, store=store, repository=None, store_given=True)


def connection_of(
    node: Node, folder: Path, shape: Shape, inside_case: bool
) -> ConnectionText | None:
    """Reads the body of a connection."""
    fields = shape.fields(node, "a connection")
    if fields is None:
        return None
    shape.known(fields, ("store", "repository", "concepts", "about"), "a connection")
    sources: dict[str, SourceText] = {}
    for key, body in shape.fields(fields.get("concepts"), "'concepts' of a connection") or ():
        source = _source(key, body, shape)
        if source is not None:
            sources[key.text] = source
    return ConnectionText(
        place=fields.place,
        folder=folder,
        store=_url(shape.scalar(fields.get("store"), "'store'"), shape),
        repository=_url(shape.scalar(fields.get("repository"), "'repository'"), shape),
        sources=sources,
        inside_case=inside_case,
    )


def _source(key: Scalar, node: Node, shape: Shape) -> SourceText | None:
    what = f"the source of {key.text!r}"
    body = shape.fields(node, what)
    if body is None:
        return None
    shape.known(body, ("file", "table", "columns", "delimiter", "number_rows"), what)
    file = _filled(shape.scalar(body.get("file"), "'file'"), shape)
    table = _filled(shape.scalar(body.get("table"), "'table'"), shape)
    if ("file" in body) == ("table" in body):
        shape.mistake(f"{what} needs either 'file' or 'table'", body.place)
    columns: dict[str, Scalar] = {}
    for feature, column in shape.fields(body.get("columns"), "'columns'") or ():
        name = shape.scalar(column, f"the column of {feature.text!r}")
        if name is not None:
            columns[feature.text] = name
    delimiter = shape.scalar(body.get("delimiter"), "'delimiter'")
    number_rows = shape.scalar(body.get("number_rows"), "'number_rows'")
    if number_rows is not None and table is not None:
        shape.mistake(
            "the rows of a table have no order, so they cannot be numbered",
            number_rows.place,
            "name a column of the table that identifies its rows",
        )
    return SourceText(key, file, table, columns, delimiter, number_rows)


def _url(scalar: Scalar | None, shape: Shape) -> Scalar | None:
    if scalar is not None and _PASSWORD.search(scalar.text):
        shape.mistake(
            "a password stands in the file",
            replace(scalar.place, text=""),  # the line would show it again
            "put it into the environment and write ${NAME} here",
        )
    return _filled(scalar, shape, is_url=True)


def _filled(scalar: Scalar | None, shape: Shape, is_url: bool = False) -> Scalar | None:
    """Replaces ${NAME} by the environment's value; of a URL, a password may hold any character."""
    if scalar is None or "${" not in scalar.text:
        return scalar

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            shape.mistake(
                f"the environment has no {match[1]}",
                scalar.place,
                f"set it, for example with `export {match[1]}=…`",
            )
        found = os.environ.get(match[1], "")
        before_host = is_url and "@" in scalar.text[match.end() :]
        return quote(found, safe="") if before_host else found

    filled = _VARIABLE.sub(value, scalar.text)
    if "${" in _VARIABLE.sub("", scalar.text):
        shape.mistake(
            "'${' does not begin the name of a variable", scalar.place, "write ${NAME}, in letters"
        )
    return Scalar(filled, scalar.kind, scalar.place)
