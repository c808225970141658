"""A page on one paper: tables with the paper's figures beside ours, plots, and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from miningflow.describe.plots import Line, draw

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"


@dataclass(frozen=True)
class Plot:
    """A plot that the page shows."""

    name: str
    lines: Sequence[Line]
    title: str
    x: str
    y: str
    log_x: bool = False


@dataclass
class Page:
    """What a page says, in order; printed as it grows, and written as Markdown at the end."""

    name: str
    title: str
    parts: list[str | Plot] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Adds a paragraph or a heading."""
        self._add(text)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Adds a table: the first column to the left, the others to the right."""
        lines = [
            "| " + " | ".join(header) + " |",
            "|" + "|".join([":--"] + ["--:"] * (len(header) - 1)) + "|",
        ]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        self._add("\n".join(lines))

    def plot(self, plot: Plot) -> None:
        """Adds a plot."""
        self.parts.append(plot)

    def write(self, folder: Path = FOLDER) -> Path:
        """Writes the page and its plots."""
        folder.mkdir(parents=True, exist_ok=True)
        blocks = [f"# {self.title}"]
        for part in self.parts:
            if isinstance(part, Plot):
                file = f"{self.name}_{part.name}.svg"
                draw(folder / file, part.lines, part.title, part.x, part.y, log_x=part.log_x)
                blocks.append(f"![{part.title}]({file})")
            else:
                blocks.append(part)
        path = folder / f"{self.name}.md"
        path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
        return path

    def _add(self, text: str) -> None:
        self.parts.append(text)
        print(text, end="\n\n", flush=True)


def mean_and_deviation(values: Sequence[float], digits: int = 1) -> str:
    """Prints mean ± standard deviation."""
    deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
    return f"{np.mean(values):.{digits}f} ± {deviation:.{digits}f}"
