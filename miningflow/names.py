"""What can be a name: of a case, concept, step, chain, feature or file."""

from __future__ import annotations

import re

LONGEST_NAME = 120
NAMES_HINT = f"a name has 1 to {LONGEST_NAME} printable characters"
# What DuckDB takes for a pattern: `a [1].csv` would be read from `a 1.csv`.
_WILD = re.compile(r"[*?[]")


def can_be_name(text: str) -> bool:
    """Returns whether databases, files and people can use a text as a name."""
    return bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_NAME


def file_name(text: str) -> str:
    """Makes a name safe as the name of a file or folder."""
    return re.sub(r"[^\w\- ]", "_", text)


def literal_path(path: str) -> str:
    """Writes a path so that DuckDB takes no character in it for a part of a pattern."""
    return _WILD.sub(r"[\g<0>]", path)
