"""What can be a name: of a case, concept, step, chain or feature."""

from __future__ import annotations

import re

LONGEST_NAME = 120
NAMES_HINT = f"a name has 1 to {LONGEST_NAME} printable characters"


def can_be_name(text: str) -> bool:
    """Says whether databases, files and people can use a text as a name."""
    return bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_NAME


def file_name(text: str) -> str:
    """Makes a name safe as the name of a file or folder."""
    return re.sub(r"[^\w\- ]", "_", text)
