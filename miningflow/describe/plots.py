"""Line plots as files: the same lines always give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miningflow.arguments import check_folder
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.visible_text import visible

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#000000")


@dataclass(frozen=True)
class Line:
    """Points joined by a line; `spread` is drawn above and below them."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] | None = None
    dashed: bool = False
    joined: bool = True
    marked: bool = True
    """Whether its points are drawn."""


def check_plot(path: Path) -> None:
    """Refuses a plot that could not be written, before anything long begins."""
    if path.suffix.lower() not in FORMATS:
        raise MiningFlowError(
            Diagnostic(
                f"cannot plot to {str(path)!r}", None, f"a name ends in {', '.join(FORMATS)}"
            )
        )
    check_folder(path)
    _figure()


def draw(
    path: Path, lines: Sequence[Line], title: str, x: str, y: str, *, log_x: bool = False
) -> None:
    """Draws lines into a file: SVG, PNG or PDF by its name."""
    figure = _figure()(figsize=(6.4, 4.2), layout="constrained")
    draw_lines(figure.add_subplot(), lines, title, x, y, log_x=log_x)
    save(figure, path)


def new_axes(count: int, shown: bool) -> list[Any]:
    """Returns axes in a new figure; a notebook shows it by itself if it is to be `shown`."""
    columns = min(count, 2)
    rows = -(-count // columns)
    size: Any = {"figsize": (6.4 * columns, 4.2 * rows), "layout": "constrained"}
    _figure()
    if shown:
        from matplotlib import pyplot

        figure = pyplot.figure(**size)
    else:
        figure = _figure()(**size)
    return [figure.add_subplot(rows, columns, i + 1) for i in range(count)]


def save(figure: Any, path: Path) -> None:
    """Writes a figure: SVG, PNG or PDF by its name; the same figure has the same bytes."""
    import matplotlib

    repeatable: Any = {"svg.hashsalt": "miningflow", "svg.fonttype": "none"}
    with matplotlib.rc_context(repeatable):
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)


def draw_lines(
    axes: Any, lines: Sequence[Line], title: str, x: str, y: str, *, log_x: bool = False
) -> None:
    """Draws lines on axes."""
    from matplotlib import ticker

    for i, line in enumerate(lines):
        look: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "label": plain(line.name)}
        style = ("--" if line.dashed else "-") if line.joined else ""
        marker = "o" if line.marked and not line.dashed else ""
        axes.plot(line.x, line.y, linestyle=style, marker=marker, markersize=3.5, **look)
        if line.spread is not None:
            low = [v - s for v, s in zip(line.y, line.spread, strict=True)]
            high = [v + s for v, s in zip(line.y, line.spread, strict=True)]
            axes.fill_between(line.x, low, high, color=look["color"], alpha=0.12, linewidth=0)
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    elif all(float(x).is_integer() for line in lines for x in line.x):
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set(title=plain(title), xlabel=plain(x), ylabel=plain(y))
    axes.grid(alpha=0.25)
    if len(lines) > 1:
        axes.legend(fontsize="small", frameon=False)


def plain(text: str) -> str:
    """Returns a text that matplotlib writes as it is, and not as a formula."""
    return visible(text).replace("$", r"\$")


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MiningFlowError(
            Diagnostic("plots need matplotlib", None, "pip install 'miningflow[plot]'")
        ) from None
    return Figure
