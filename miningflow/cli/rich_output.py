"""Tables and consoles of rich that write control characters out, and colours where they belong."""

from __future__ import annotations

import os
import sys
from typing import Any

from rich.console import Console, RenderableType
from rich.style import StyleType
from rich.table import Table

from miningflow.cli.colour import is_coloured, is_live
from miningflow.visible_text import visible

WIDEST = 160
"""The columns of what is no terminal: as many as most lines need."""


class VisibleTable(Table):
    """A table whose cells show control characters."""

    def add_row(
        self,
        *renderables: RenderableType | None,
        style: StyleType | None = None,
        end_section: bool = False,
    ) -> None:
        """Adds a row."""
        cells = [visible(cell) if isinstance(cell, str) else cell for cell in renderables]
        super().add_row(*cells, style=style, end_section=end_section)


class VisibleConsole(Console):
    """A console that shows control characters of texts, and takes no text for markup."""

    def __init__(self, stderr: bool = False, quiet: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        coloured = is_coloured(stream)
        super().__init__(
            stderr=stderr,
            quiet=quiet,
            highlight=False,
            markup=False,
            no_color=not coloured,
            color_system="auto" if coloured else None,
            force_terminal=True if coloured else is_live(stream),
        )
        if not stream.isatty() and "COLUMNS" not in os.environ:
            self.width = WIDEST

    def print(self, *objects: Any, **options: Any) -> None:
        """Prints texts and tables."""
        shown = [visible(each) if isinstance(each, str) else each for each in objects]
        super().print(*shown, **{"markup": False, **options})
