"""Writes values as YAML on one line, so that whatever they contain is read back as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_ENDS = re.compile(r"\n\.\.\.\n$|\n$")


def yaml_text(value: Any) -> str:
    """Writes a text, number, list or map in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{yaml_text(k)}: {yaml_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(yaml_text(each) for each in value) + "]"
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return _scalar(value)


def yaml_value(value: Any) -> str:
    """Writes what stands alone behind a key, where a text needs quotes less often."""
    if not isinstance(value, str):
        return yaml_text(value)
    dumped = _ENDS.sub("", yaml.safe_dump(value, allow_unicode=True, width=10**9))
    return dumped if "\n" not in dumped and dumped.isprintable() else _scalar(value)


def yaml_comment(text: str) -> str:
    """Writes a text as a comment, which ends where its line ends."""
    return "# " + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _scalar(text: str) -> str:
    """Writes a text within a list or map; the library decides whether it needs quotes."""
    # in a list, more characters need quotes than alone
    dumped = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=10**9)
    inner = _ENDS.sub("", dumped)[1:-1]
    if "\n" in inner or not inner.isprintable() or ("#" in inner and inner[0] not in "'\""):
        inner = yaml.safe_dump(text, default_style='"', allow_unicode=False, width=10**9).strip()
    return inner
