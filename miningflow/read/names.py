"""What can be a name: of a case, concept, step, chain or feature."""

from __future__ import annotations

LONGEST_NAME = 120
NAMES_HINT = f"a name has 1 to {LONGEST_NAME} printable characters"


def can_be_name(text: str) -> bool:
    """Says whether databases, files and people can use a text as a name."""
    return bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_NAME
