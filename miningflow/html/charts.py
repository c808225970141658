"""Lines over numbers as SVG, for pages: a legend below, and few ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from miningflow.html.elements import Element, element
from miningflow.html.style import LINES

WIDTH, HEIGHT = 560.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 10.0, 8.0, 36.0
MOST_LINES = 16
MOST_POINTS = 500
TICKS = 5


@dataclass(frozen=True)
class Series:
    """Points that a line joins, with a name for the legend."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    dashed: bool = False


def line_chart(series: Sequence[Series], x: str, y: str) -> Element:
    """Returns a chart of lines; of very many lines or points only some are drawn."""
    drawn = [_finite(each) for each in series[:MOST_LINES]]
    xs = [value for each in drawn for value in each.x]
    ys = [value for each in drawn for value in each.y]
    if not xs:
        return element("p", "mf-faint", "there is nothing to draw")
    across, up = _Scale.over(xs, LEFT, WIDTH - RIGHT), _Scale.over(ys, HEIGHT - BOTTOM, TOP)
    parts = [part for value in up.ticks() for part in _level(value, up)]
    parts += [_text(across.at(v), HEIGHT - BOTTOM + 15, f"{v:g}") for v in across.ticks()]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, x))
    for i, each in enumerate(drawn):
        parts += _line(i, each, across, up)
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "role": "img",
        "aria-label": f"{y} by {x}",
        "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}",
        "width": f"{WIDTH:g}",
        "height": f"{HEIGHT:g}",
    }
    legend = [_entry(i, each) for i, each in enumerate(drawn)]
    if len(series) > MOST_LINES:
        legend.append(element("span", "mf-faint", f"… {len(series) - MOST_LINES:,} more"))
    heading = element("p", "mf-faint", y)
    return element(
        "div", None, heading, element("svg", attributes, *parts), element("p", "mf-legend", *legend)
    )


@dataclass(frozen=True)
class _Scale:
    """From numbers to places on the page."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> _Scale:
        found = list(values)
        low, high = min(found), max(found)
        if high == low:
            low, high = low - 0.5, high + 0.5
        return cls(low, high, start, end)

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        rough = (self.high - self.low) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _finite(series: Series) -> Series:
    points = [
        (float(a), float(b))
        for a, b in zip(series.x, series.y, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    every = max(1, math.ceil(len(points) / MOST_POINTS))
    shown = [*points[:-1:every], *points[-1:]]
    return Series(series.name, [a for a, _ in shown], [b for _, b in shown], series.dashed)


def _level(value: float, up: _Scale) -> list[Element]:
    y = up.at(value)
    ends = {"x1": LEFT, "x2": WIDTH - RIGHT, "y1": y, "y2": y}
    rule = element("line", {**ends, "stroke": "#d5dae0", "class": "mf-rule"})
    return [rule, _text(LEFT - 6, y + 4, f"{value:g}", "end")]


def _line(i: int, series: Series, across: _Scale, up: _Scale) -> list[Element]:
    points = [(across.at(a), up.at(b)) for a, b in zip(series.x, series.y, strict=True)]
    look: dict[str, str | float] = {"fill": "none", "stroke-width": 1.8, **_stroke(i)}
    if series.dashed:
        look["stroke-dasharray"] = "5 4"
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    drawn = [element("polyline", {"points": path, **look})]
    if not series.dashed and len(points) <= 40:
        fill = {"fill": LINES[i % len(LINES)][0], "class": f"mf-dot-{i % len(LINES)}"}
        drawn += [element("circle", {"cx": a, "cy": b, "r": 2.6, **fill}) for a, b in points]
    return drawn


def _entry(i: int, series: Series) -> Element:
    look: dict[str, str | float] = {"x1": 0, "x2": 18, "y1": 5, "y2": 5, "stroke-width": 2.5}
    if series.dashed:
        look["stroke-dasharray"] = "5 4"
    line = element("line", {**look, **_stroke(i)})
    key = element("svg", {"width": 18, "height": 10, "viewBox": "0 0 18 10"}, line)
    return element("span", None, key, f" {series.name}")


def _stroke(i: int) -> dict[str, str | float]:
    return {"stroke": LINES[i % len(LINES)][0], "class": f"mf-line-{i % len(LINES)}"}


def _text(x: float, y: float, said: str, anchor: str = "middle") -> Element:
    look = {"font-size": "11", "fill": "#5b6672", "text-anchor": anchor, "class": "mf-faint"}
    return element("text", {"x": x, "y": y, **look}, said)
