"""What was inferred about a column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from miningflow.inspect.facts import ColumnFacts

Type = Literal["numeric", "nominal", "binary", "time", "key"]


@dataclass(frozen=True)
class Finding:
    """What was inferred about a column."""

    table: str
    column: str
    type: Type | None
    """None: the column cannot be a feature."""
    why: str
    warnings: tuple[str, ...] = ()
    facts: ColumnFacts | None = None
    given_away: str = ""
    """Why the column gives the target away, and is left out."""

    def warned(self, *warnings: str) -> Finding:
        """Returns the finding with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))
