"""What a connection may name that comes with a case, and that the user did not name."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from miningflow.engines.opening import find_store_kind
from miningflow.errors import Diagnostic
from miningflow.nodes import Scalar
from miningflow.read.case import ConnectionText, SourceText


def vouching(file: str) -> str:
    """Says how the user allows a file to reach beyond the folder of its case."""
    return f"if you trust this file, name it: `--connect {shlex.quote(file)}`"


def beyond_rights(connection: ConnectionText) -> list[Diagnostic]:
    """Lists what a connection names beyond files of its case: servers and the environment.

    Whether paths and links stay in the folder is checked where they are opened.
    """
    hint = vouching(connection.place.file)
    found: list[Diagnostic] = []
    for scalar in (connection.store, connection.repository, *_named(connection.sources)):
        if scalar is not None and "${" in scalar.text:
            message = "a case may not read environment variables by itself"
            found.append(Diagnostic(message, scalar.place, hint))
    for what, scalar in (("store", connection.store), ("repository", connection.repository)):
        if scalar is not None and not _stays_in_folder(scalar):
            message = f"a case may not name a server as its {what} by itself"
            found.append(Diagnostic(message, scalar.place, hint))
    return found


def _named(sources: Mapping[str, SourceText]) -> list[Scalar | None]:
    return [named for source in sources.values() for named in (source.file, source.table)]


def _stays_in_folder(scalar: Scalar) -> bool:
    """Returns whether an address is that of a file; an unknown kind is refused when opened."""
    kind = find_store_kind(scalar.text)
    return kind is None or kind.stays_in_folder
