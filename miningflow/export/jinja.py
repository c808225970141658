"""Text and names that Jinja must leave as they are."""

from __future__ import annotations

import json
import re

_BEGINS = re.compile(r"\{[{%#]")


def escaped(text: str) -> str:
    """Escapes text such that Jinja renders it unchanged."""
    return _BEGINS.sub(lambda found: f"{{{{ '{found[0]}' }}}}", text)


def literal(text: str) -> str:
    """Writes a text within a Jinja expression."""
    return json.dumps(text, ensure_ascii=False)


def is_plain(text: str) -> bool:
    """Returns whether a text means nothing special to Jinja, to SQL in quotes, and to YAML."""
    return not re.search(r"[\"'{}\\%\x00-\x1f]", text) and text == text.strip()
