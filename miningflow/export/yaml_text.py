"""Writes plain data as YAML; every text is quoted, so that none can be read as something else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")
_MEANT_OTHERWISE = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def yaml_text(data: Mapping[str, Any]) -> str:
    """Writes a map as a YAML document; what is empty or None is left out."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if not _is_nothing(value):
                yield from _entry(f"{yaml_scalar(key)}:", value)
    else:
        for value in data:
            first, *rest = _lines(value) if _is_nested(value) else [yaml_scalar(value)]
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _entry(key: str, value: Any) -> Iterator[str]:
    if not _is_nested(value):
        yield f"{key} {yaml_scalar(value)}"
        return
    yield key
    yield from (f"  {line}" for line in _lines(value))


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str)


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | Mapping | Sequence) and not value)


def yaml_scalar(value: Any) -> str:
    """Writes a single value, quoted unless it can only be read as this text."""
    if isinstance(value, str) and _BARE.fullmatch(value):
        return value if value.lower() not in _MEANT_OTHERWISE else json.dumps(value)
    return json.dumps(value, ensure_ascii=False)
