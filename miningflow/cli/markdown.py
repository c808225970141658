"""Prints Markdown: as it is for programs, and on a terminal with tables and lines that fit it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import groupby

from miningflow.cli.output import echo, echo_lines, table
from miningflow.cli.tables import print_table
from miningflow.cli.wrapping import width_of

_BETWEEN = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|\s:-]+")
# Lines that are no part of a paragraph: headings, lists, code and what is indented.
_ALONE = ("#", "- ", "* ", "```", " ")


def print_markdown(text: str) -> None:
    """Prints a short text in Markdown."""
    if width_of(sys.stdout) is None:
        echo_lines(text, nl=False)
        return
    is_code = False
    for kind, lines in groupby(text.splitlines(), key=_kind):
        found = list(lines)
        if kind == "fence":
            is_code = not is_code
            echo_lines("\n".join(found))
        elif is_code:
            echo_lines("\n".join(found))
        elif kind == "table":
            _print_rows(found)
        elif kind == "text":
            echo(" ".join(found))
        else:
            echo("\n".join(found))


def _kind(line: str) -> str:
    if line.startswith("```"):
        return "fence"
    if line.startswith("|"):
        return "table"
    return "text" if line and not line.startswith(_ALONE) else "line"


def _print_rows(lines: Sequence[str]) -> None:
    header, *rows = [_cells(line) for line in lines if not _RULE.fullmatch(line)]
    shown = table(*header)
    for row in rows:
        shown.add_row(*row)
    print_table(shown)


def _cells(line: str) -> list[str]:
    cells = _BETWEEN.split(line.strip().strip("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]
