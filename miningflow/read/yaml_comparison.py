"""Compares what two YAML texts say."""

from __future__ import annotations

from typing import Any

import yaml


def says_more(before: str, after: str) -> bool:
    """Returns whether a text says all that another says, and perhaps more entries of its maps."""
    try:
        return _has_all(*(yaml.load(text, Loader=yaml.BaseLoader) for text in (before, after)))
    except yaml.YAMLError:
        return False


def _has_all(before: Any, after: Any) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after and _has_all(each, after[key]) for key, each in before.items())
    is_empty = before in ("", "~", "null")
    return bool(before == after or (is_empty and isinstance(after, dict)))
