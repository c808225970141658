"""Schemas of single values as they are written."""

from __future__ import annotations

from typing import Any

NAME: dict[str, Any] = {"type": "string", "minLength": 1}
SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
