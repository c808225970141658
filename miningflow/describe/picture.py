"""A case as a picture: concepts and steps as boxes, chains as one box each, in plain SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

from miningflow.describe.layers import Placed, placed
from miningflow.html import Element, element
from miningflow.html.style import FAMILIES
from miningflow.resolve import BoundCase, BoundStep

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
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
    """Draws a case as an SVG file; the same case always has the same picture."""
    return f"{case_graph(bound)}\n"


def case_graph(bound: BoundCase, tip: str = "tip") -> Element:
    """Draws a case as SVG, whose classes a page may give other colours.

    `tip` is the id of the arrow head; ids are shared by all pictures of a page.
    """
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
    return _drawn(bound, boxes, found, learned, tip)


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
    bound: BoundCase,
    boxes: Mapping[str, Box],
    found: Placed,
    learned: set[tuple[str, str]],
    tip: str,
) -> Element:
    heights: dict[int, float] = {}
    for name, box in boxes.items():
        heights[found.layer[name]] = max(heights.get(found.layer[name], 0.0), box.height)
    tops: list[float] = [EDGE]
    for layer in range(len(heights)):
        tops.append(tops[-1] + heights[layer] + BETWEEN)
    ends = [found.x[name] + box.width / 2 for name, box in boxes.items()]
    width = f"{max([*ends, *found.x.values()]) + 2 * EDGE:.0f}"
    height = f"{tops[-1] - BETWEEN + EDGE:.0f}"
    drawn = [_paper(width, height), _arrow_head(tip)]
    for edge, way in found.ways.items():
        points: list[tuple[float, float]] = []
        for node in way:
            layer = found.layer[node]
            tall = boxes[node].height if node in boxes else heights[layer]
            at = found.x[node] + EDGE
            top = (at, tops[layer])
            bottom = (at, tops[layer] + tall)
            points += [bottom] if node == way[0] else [top] if node == way[-1] else [top, bottom]
        drawn.append(_edge(points, edge in learned, tip))
    for name, box in boxes.items():
        drawn += _box(box, found.x[name] + EDGE - box.width / 2, tops[found.layer[name]])
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": width,
        "height": height,
        "viewBox": f"0 0 {width} {height}",
        "role": "img",
        "aria-label": f"The case {bound.name} as a graph of its steps",
    }
    lines = [part for shape in drawn for part in ("\n", shape)]
    return element("svg", attributes, *lines, "\n")


def _paper(width: str, height: str) -> Element:
    look = {"fill": "#ffffff", "class": "mf-paper"}
    return element("rect", {"width": width, "height": height, **look})


def _arrow_head(tip: str) -> Element:
    path = {"d": "M0 0.5 L8 4 L0 7.5 z", "fill": "#8a94a0", "class": "mf-tip"}
    size = {"refX": "7", "refY": "4", "markerWidth": "7", "markerHeight": "7", "orient": "auto"}
    marker = element("marker", {"id": tip, "viewBox": "0 0 8 8", **size}, element("path", path))
    return element("defs", None, marker)


def _edge(points: list[tuple[float, float]], is_learned: bool, tip: str) -> Element:
    look = {"fill": "none", "stroke": "#8a94a0", "stroke-width": "1.4", "class": "mf-edge"}
    dashes = {"stroke-dasharray": "5 4"} if is_learned else {}
    return element("path", {"d": _curve(points), **look, **dashes, "marker-end": f"url(#{tip})"})


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


def _box(box: Box, left: float, top: float) -> list[Element]:
    is_source = box.family == "source"
    family = box.family if box.family in FAMILIES else "source"
    colour, _ = FAMILIES[family]
    place = {"x": f"{left:.1f}", "y": f"{top:.1f}"}
    look = {"rx": "6", "fill": "#eef1f4" if is_source else "#ffffff", "stroke": colour}
    looks = f"{'mf-shade' if is_source else 'mf-paper'} mf-family-{family}"
    size = {"width": f"{box.width:.1f}", "height": f"{box.height:.1f}"}
    drawn = [element("rect", {**place, **size, **look, "stroke-width": "1.5", "class": looks})]
    if not is_source:
        bar = {**place, "width": "5", "height": size["height"], "rx": "2.5"}
        drawn.append(element("rect", {**bar, "fill": colour, "class": f"mf-bar-{family}"}))
    text = {"x": f"{left + INSET:.1f}", "font-family": FONT}
    bold = {"font-size": "13", "font-weight": "bold", "fill": "#1d2733"}
    drawn.append(element("text", {**text, "y": f"{top + 18:.1f}", **bold}, box.name))
    small = {"font-size": "11", "fill": "#5b6672", "xml:space": "preserve", "class": "mf-faint"}
    for i, (step, operator) in enumerate(box.lines):
        own = element("tspan", {"fill": "#1d2733", "class": "mf-ink"}, step)
        y = f"{top + TITLE + LINE * i + 11:.1f}"
        words = [own, f"  {operator}"] if step else [operator]
        drawn.append(element("text", {**text, "y": y, **small}, *words))
    return drawn
