"""Tables that can be read at any width: a grid where it fits, else a paragraph for each row."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from miningflow.cli.output import console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table

# The narrowest column in which text can be read.
NARROWEST = 24
# Longer ones, such as paths, may be cut.
LONGEST_WORD = 40
_BETWEEN = 3
_INDENT = "    "


def print_table(shown: Table) -> None:
    """Prints a table; where its columns would be too narrow, each row becomes a paragraph."""
    out = console()
    widths = [_width(column) for column in shown.columns]
    texts = [i for i, column in enumerate(shown.columns) if column.justify == "left"]
    widest = max(texts or range(len(widths)), key=lambda i: widths[i])
    fixed = sum(widths) - widths[widest] + _BETWEEN * len(widths) + 1
    if fixed + min(widths[widest], _narrowest(shown.columns[widest])) > out.width:
        _print_paragraphs(shown, out)
        return
    for i, column in enumerate(shown.columns):
        column.no_wrap = i != widest
        if i == widest:
            column.overflow = "fold"
    out.print(shown)


def _print_paragraphs(shown: Table, out: Console) -> None:
    """Prints the first cells of each row, and below them the others with the names of columns."""
    if shown.title:
        out.print(str(shown.title))
    names = [str(column.header) for column in shown.columns]
    for cells in zip(*(_cells(column) for column in shown.columns), strict=True):
        heading = 1 if names[0] else 2  # a column without a name marks the next one
        said = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip(names[heading:], cells[heading:], strict=True)
            if cell.strip()
        ]
        first = " ".join(cell for cell in cells[:heading] if cell.strip())
        for line in _wrapped(first, out.width, "  "):
            out.print(line)
        for line in _wrapped("; ".join(said), out.width, _INDENT):
            out.print(line)
    out.print()


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 20),
        initial_indent=indent,
        subsequent_indent=indent + "  " if indent == "  " else indent,
        break_on_hyphens=False,
    )


def _width(column: Column) -> int:
    from rich.cells import cell_len

    cells = [str(column.header), *_cells(column)]
    return max(cell_len(line) for cell in cells for line in cell.splitlines() or [""])


def _narrowest(column: Column) -> int:
    """Returns a width at which no ordinary word of a column is cut in two."""
    words = [len(word) for cell in _cells(column) for word in cell.split()]
    return max(NARROWEST, *(length for length in words if length <= LONGEST_WORD), 0)


def _cells(column: Column) -> list[str]:
    return [str(cell) for cell in column.cells]
