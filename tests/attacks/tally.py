"""What an attack counted, and what it broke."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts by what happened; broken promises with enough to repeat them."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def add(self, what: str, number: int = 1) -> None:
        """Counts something that may happen."""
        self.counts[what] += number

    def breaks(self, what: str, details: str) -> None:
        """Notes that a promise was broken."""
        self.counts[f"BROKEN: {what}"] += 1
        self.broken.append(f"{what}: {details}")

    def __str__(self) -> str:
        lines = [f"{number:>9,}  {what}" for what, number in sorted(self.counts.items())]
        return "\n".join([*lines, *(f"  {each}" for each in self.broken[:20])])
