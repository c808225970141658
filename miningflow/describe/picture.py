"""A case as a picture: concepts and steps as boxes, chains as one box each, in plain SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import networkx as nx

from miningflow.describe.layers import Placed, placed
from miningflow.resolve import BoundCase, BoundStep

COLOURS = {
    "source": "#555f6b",
    "rows": "#0072b2",
    "joining": "#7b4ea3",
    "aggregation": "#009e73",
    "segmentation": "#8d5524",
    "series": "#00838f",
    "construction": "#b8860b",
    "selection": "#d55e00",
    "learning": "#c2185b",
    "patterns": "#5e35b1",
    "evaluation": "#607d8b",
}
FONT = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
# Widths of letters are not known where the picture is drawn; these are those of wide ones.
LETTER, SMALL_LETTER = 7.7, 6.3
TITLE, LINE, INSET, BETWEEN, EDGE = 24.0, 15.0, 12.0, 44.0, 18.0


@dataclass(frozen=True)
class Box:
    """A concept, a step or a chain: its name, its family, and a line for each operator."""

    name: str
    family: str
    lines: tuple[tuple[str, str], ...]
    """Step (nothing, if it is called like the box) and operator."""

    @property
    def width(self) -> float:
        """Returns a width in which the text fits."""
        texts = [len(step) + len(operator) + (2 if step else 0) for step, operator in self.lines]
        return max(len(self.name) * LETTER, max(texts) * SMALL_LETTER) + 2 * INSET

    @property
    def height(self) -> float:
        """Returns the height of all lines."""
        return TITLE + LINE * len(self.lines) + 8.0


def case_picture(bound: BoundCase) -> str:
    """Draws a case as SVG; the same case always has the same picture."""
    steps = [step for step in bound.steps.values() if not step.hidden]
    home = _homes(bound, steps)
    boxes = _boxes(bound, steps, home)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(boxes)
    learned: set[tuple[str, str]] = set()
    for a, b, only_learned in _edges(bound):
        ends = home[a], home[b]
        if ends[0] != ends[1]:
            if only_learned and not graph.has_edge(*ends):
                learned.add(ends)
            elif not only_learned:
                learned.discard(ends)
            graph.add_edge(*ends)
    found = placed(graph, {name: box.width for name, box in boxes.items()})
    return _drawn(bound, boxes, found, learned)


def _edges(bound: BoundCase) -> Iterable[tuple[str, str, bool]]:
    for step in bound.steps.values():
        name = step.written_name
        for other in step.inputs:
            before = bound.steps.get(other)
            yield before.written_name if before else other, name, False
        if step.learn_on is not None:
            yield step.learn_on, name, True


def _homes(bound: BoundCase, steps: Iterable[BoundStep]) -> dict[str, str]:
    """Returns the box of each concept and step: its chain, unless a path leaves it and returns."""
    home = {name: name for name in (*bound.sources, *(step.name for step in steps))}
    chains: dict[str, list[str]] = {}
    for name in home:
        path = bound.case.steps[name].chain if name in bound.case.steps else ()
        if path:
            chains.setdefault(path[0], []).append(name)
    for chain, members in chains.items():
        tried = {**home, **dict.fromkeys(members, chain)}
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_edges_from(
            (tried[a], tried[b]) for a, b, _ in _edges(bound) if tried[a] != tried[b]
        )
        if nx.is_directed_acyclic_graph(graph):
            home = tried
    return home


def _boxes(bound: BoundCase, steps: Iterable[BoundStep], home: Mapping[str, str]) -> dict[str, Box]:
    boxes = {name: Box(name, "source", (("", "source"),)) for name in bound.sources}
    for step in steps:
        name, operator = home[step.name], type(step.operator)
        own = "" if name == step.name else step.name
        before = boxes[name].lines if name in boxes else ()
        boxes[name] = Box(name, operator.family, (*before, (own, operator.__name__)))
    return boxes


def _drawn(
    bound: BoundCase, boxes: Mapping[str, Box], found: Placed, learned: set[tuple[str, str]]
) -> str:
    heights: dict[int, float] = {}
    for name, box in boxes.items():
        heights[found.layer[name]] = max(heights.get(found.layer[name], 0.0), box.height)
    tops: list[float] = [EDGE]
    for layer in range(len(heights)):
        tops.append(tops[-1] + heights[layer] + BETWEEN)
    ends = [found.x[name] + box.width / 2 for name, box in boxes.items()]
    width = max([*ends, *found.x.values()]) + 2 * EDGE
    height = tops[-1] - BETWEEN + EDGE
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f"aria-label={quoteattr(f'The case {bound.name} as a graph of its steps')}>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z" fill="#8a94a0"/></marker>'
        "</defs>",
    ]
    for edge, way in found.ways.items():
        points: list[tuple[float, float]] = []
        for node in way:
            layer = found.layer[node]
            tall = boxes[node].height if node in boxes else heights[layer]
            at = found.x[node] + EDGE
            top = (at, tops[layer])
            bottom = (at, tops[layer] + tall)
            points += [bottom] if node == way[0] else [top] if node == way[-1] else [top, bottom]
        dashes = ' stroke-dasharray="5 4"' if edge in learned else ""
        drawn.append(
            f'<path d="{_curve(points)}" fill="none" stroke="#8a94a0" stroke-width="1.4"{dashes} '
            'marker-end="url(#tip)"/>'
        )
    for name, box in boxes.items():
        drawn += _box(box, found.x[name] + EDGE - box.width / 2, tops[found.layer[name]])
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _curve(points: list[tuple[float, float]]) -> str:
    """Joins points by curves that leave and arrive from top to bottom."""
    (x, y), *others = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for next_x, next_y in others:
        middle = (y + next_y) / 2
        if abs(next_x - x) < 0.05:
            parts.append(f"L{next_x:.1f} {next_y:.1f}")
        else:
            ends = f"{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
            parts.append(f"C{ends}")
        x, y = next_x, next_y
    return " ".join(parts)


def _box(box: Box, left: float, top: float) -> list[str]:
    colour = COLOURS.get(box.family, COLOURS["source"])
    is_source = box.family == "source"
    fill = "#eef1f4" if is_source else "#ffffff"
    drawn = [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="6" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>',
    ]
    if not is_source:
        drawn.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="5" height="{box.height:.1f}" rx="2.5" '
            f'fill="{colour}"/>'
        )
    text_left = left + INSET
    drawn.append(
        f'<text x="{text_left:.1f}" y="{top + 18:.1f}" {FONT} font-size="13" font-weight="bold" '
        f'fill="#1d2733">{escape(box.name)}</text>'
    )
    for i, (step, operator) in enumerate(box.lines):
        own = f'<tspan fill="#1d2733">{escape(step)}</tspan>  ' if step else ""
        drawn.append(
            f'<text x="{text_left:.1f}" y="{top + TITLE + LINE * i + 11:.1f}" {FONT} '
            f'font-size="11" fill="#5b6672" xml:space="preserve">{own}{escape(operator)}</text>'
        )
    return drawn
