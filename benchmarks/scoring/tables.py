"""Tables of measurements in Markdown, with the bars below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.scoring.measuring import Measured


@dataclass(frozen=True)
class Bar:
    """What a measurement has to reach."""

    what: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Returns whether it was reached."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        word = "met" if self.met else "**missed**"
        return f"- {self.what}: {self.value:.3g}, bar {sign} {self.limit:g}: {word}"


def print_table(
    title: str, found: Mapping[str, Measured], names: Mapping[str, str], bars: Sequence[Bar]
) -> bool:
    """Prints a table and its bars; says whether all are met."""
    print(f"\n### {title}\n")
    print("| | CPU s | wall s | memory MB |")
    print("| --- | ---: | ---: | ---: |")
    for way, measured in found.items():
        times = f"{measured.cpu:.3f} | {measured.wall:.3f}"
        print(f"| {names[way]} | {times} | +{measured.megabytes:.0f} |")
    print()
    for bar in bars:
        print(bar, flush=True)
    return all(bar.met for bar in bars)
