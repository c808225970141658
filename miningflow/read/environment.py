"""Environment variables in a connection that the user named."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from urllib.parse import quote

from miningflow.nodes import Scalar
from miningflow.read.case import ConnectionText
from miningflow.read.shape import Shape

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def with_environment(connection: ConnectionText, shape: Shape) -> ConnectionText:
    """Replaces ${NAME} in addresses, files and tables."""
    sources = {
        name: replace(source, file=_filled(source.file, shape), table=_filled(source.table, shape))
        for name, source in connection.sources.items()
    }
    return replace(
        connection,
        store=filled_address(connection.store, shape),
        repository=filled_address(connection.repository, shape),
        sources=sources,
    )


def filled_address(scalar: Scalar | None, shape: Shape) -> Scalar | None:
    """Replaces ${NAME} in an address, in which a password may hold any character."""
    return _filled(scalar, shape, is_url=True)


def _filled(scalar: Scalar | None, shape: Shape, is_url: bool = False) -> Scalar | None:
    if scalar is None or "${" not in scalar.text:
        return scalar

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            shape.error(
                f"the environment variable {match[1]} is not set",
                scalar.place,
                f"set it, for example with `export {match[1]}=…`",
            )
        found = os.environ.get(match[1], "")
        before_host = is_url and "@" in scalar.text[match.end() :]
        return quote(found, safe="") if before_host else found

    filled = _VARIABLE.sub(value, scalar.text)
    if "${" in _VARIABLE.sub("", scalar.text):
        shape.error(
            "'${' does not begin the name of a variable", scalar.place, "write ${NAME}, in letters"
        )
    return Scalar(filled, scalar.kind, scalar.place)
