"""Tables and consoles of rich that write control characters out."""

from __future__ import annotations

from typing import Any

from rich.console import Console, RenderableType
from rich.style import StyleType
from rich.table import Table

from miningflow.visible_text import visible


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

    def print(self, *objects: Any, **options: Any) -> None:
        """Prints texts and tables."""
        shown = [visible(each) if isinstance(each, str) else each for each in objects]
        super().print(*shown, **{"markup": False, **options})
