"""Checks what callers of the Python API pass, before anything is done with it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from miningflow.errors import Diagnostic, MiningFlowError

LONGEST_SHOWN = 60


def text(value: Any, parameter: str, what: str = "a name") -> str:
    """Returns a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise wrong(parameter, f"{what} as text", value)
    return value


def optional_text(value: Any, parameter: str, what: str = "a name") -> str | None:
    """Returns a text that is not empty, or None."""
    return None if value is None else text(value, parameter, what)


def texts(value: Any, parameter: str, what: str = "names") -> tuple[str, ...]:
    """Returns several texts; a single one counts as a list of one."""
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, Iterable):
        raise wrong(parameter, f"a list of {what}", value)
    found = tuple(value)
    for each in found:
        if not isinstance(each, str) or not each.strip():
            raise wrong(parameter, f"{what} as text", each)
    return found


def path(value: Any, parameter: str) -> Path:
    """Returns a path, given as text or as a path."""
    return Path(location(value, parameter, "a path"))


def location(value: Any, parameter: str, what: str) -> str:
    """Returns a path, URL or name of a table as text; a path may also be given as such."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str) or not found.strip():
        raise wrong(parameter, what, value)
    return found


def optional_path(value: Any, parameter: str) -> Path | None:
    """Returns a path, or None."""
    return None if value is None else path(value, parameter)


def check_folder(file: Path) -> None:
    """Refuses a file that cannot be written to its folder, before anything long begins."""
    if file.is_dir():
        raise MiningFlowError(Diagnostic(f"{file} is a folder, not a file", None, "name a file"))
    if not file.parent.is_dir():
        message = f"there is no folder {str(file.parent)!r} to write {file.name!r} to"
        raise MiningFlowError(Diagnostic(message, None, "make it first"))


def mapping(value: Any, parameter: str, what: str) -> dict[str, Any]:
    """Returns a map from names; None is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(parameter, f"a map of {what}", value)
    return {text(name, parameter, "names"): each for name, each in value.items()}


def number(value: Any, parameter: str, least: float = 0.0) -> float:
    """Returns a finite number that is not less than the least."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise wrong(parameter, "a number", value) from None
    if not math.isfinite(found) or found < least:
        raise wrong(parameter, f"a number that is at least {least:g}", value)
    return found


def whole_number(value: Any, parameter: str, least: int, most: int | None = None) -> int:
    """Returns a whole number within bounds."""
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        raise wrong(parameter, f"a whole number, {bounds}", value)
    return int(value)


def wrong(parameter: str, takes: str, value: Any) -> MiningFlowError:
    """Returns the error for an argument that is not what its parameter takes."""
    shown = repr(value)
    if len(shown) > LONGEST_SHOWN:
        shown = shown[: LONGEST_SHOWN - 1] + "…"
    kind = "" if value is None or isinstance(value, str) else f" ({type(value).__name__})"
    return MiningFlowError(Diagnostic(f"{parameter!r} takes {takes}, got {shown}{kind}"))
