"""SQL as it stands in golden files: short enough to read, equal on every machine."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.\"'])(\d+(?:\.\d+)?)e(-?\d+)\b")
_ROW = re.compile(r"^  \(.*\),?$")
_SHOWN = 3


def readable(sql: str) -> str:
    """Rounds numbers to six digits, where solvers differ, and shows the first rows of tables."""
    lines: list[str] = []
    rows = 0
    for line in sql.splitlines():
        rows = rows + 1 if _ROW.match(line) else 0
        if rows <= _SHOWN:
            lines.append(_NUMBER.sub(_rounded, line))
        elif rows == _SHOWN + 1:
            lines.append("  -- and more rows like these")
    return "\n".join(lines) + "\n"


def _rounded(match: re.Match[str]) -> str:
    mantissa, _, exponent = f"{float(match.group()):.6g}".partition("e")
    return f"{mantissa}e{int(exponent or 0)}"
