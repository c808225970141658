"""Places in SQL that another tool fills in, such as a reference to a model."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp


@dataclass
class Places:
    """Remembers what goes where, until the SQL around it is printed."""

    texts: list[str] = field(default_factory=list)
    mark: str = field(default_factory=lambda: secrets.token_hex(16))
    """What stands in a place; it is drawn, so that no text of a case can contain it."""

    def place(self, text: str) -> str:
        """Returns a text to print instead of another one, which no printer may touch."""
        self.texts.append(text)
        return f"{self.mark}_{len(self.texts) - 1}_"

    def table(self, text: str) -> exp.Table:
        """Returns a table whose name another tool knows."""
        return exp.Table(this=exp.Var(this=self.place(text)))

    def fill(self, sql: str, escape: Callable[[str], str] = str, around: str = "{}") -> str:
        """Puts the texts, with something around them, in their places; the rest is escaped."""
        pieces = re.split(f"{self.mark}_([0-9]+)_", sql)
        written = [escape(piece) for piece in pieces[::2]]
        filled = [around.format(self.texts[int(number)]) for number in pieces[1::2]] + [""]
        return "".join(a + b for a, b in zip(written, filled, strict=True))


def by_name(references: Mapping[str, str], places: Places) -> Callable[[str], exp.Table]:
    """Returns the naming that refers to sources, steps and literal tables as another tool does."""
    return lambda name: places.table(references[name])
