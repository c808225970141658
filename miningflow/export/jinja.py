"""Text and names that Jinja must leave as they are."""

from __future__ import annotations

import json
import re

_BEGINS = re.compile(r"\{[{%#]")


def escaped(text: str) -> str:
    """Writes text so that Jinja gives it back as it is."""
    return _BEGINS.sub(lambda found: f"{{{{ '{found[0]}' }}}}", text)


def literal(text: str) -> str:
    """Writes a text within a Jinja expression."""
    return json.dumps(text, ensure_ascii=False)


def is_plain(text: str) -> bool:
    """Tells whether a text means nothing special to Jinja, to SQL in quotes, and to YAML."""
    return not re.search(r"[\"'{}\\%\x00-\x1f]", text) and text == text.strip()
