"""Layers: a graph from top to bottom, each node below what it depends on, with few crossings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

SWEEPS = 12
GAP = 26.0
Node = str


@dataclass(frozen=True)
class Placed:
    """Where the middle of each node lies from left to right, in which layer, and how edges go."""

    x: Mapping[Node, float]
    layer: Mapping[Node, int]
    ways: Mapping[tuple[Node, Node], tuple[Node, ...]]
    """Edge → the nodes it passes, from end to end; those between are places, not nodes."""


def placed(graph: nx.DiGraph[Node], widths: Mapping[Node, float]) -> Placed:
    """Places the nodes of a graph without cycles; parts that nothing joins stand side by side."""
    x: dict[Node, float] = {}
    layer: dict[Node, int] = {}
    ways: dict[tuple[Node, Node], tuple[Node, ...]] = {}
    left = 0.0
    order = {node: i for i, node in enumerate(graph)}
    parts = nx.weakly_connected_components(graph)
    for part in sorted(parts, key=lambda nodes: min(order[n] for n in nodes)):
        nodes = sorted(part, key=order.__getitem__)
        found = _placed_part(graph, nodes, widths)
        x.update((n, at + left) for n, at in found.x.items())
        layer |= found.layer
        ways |= found.ways
        left = max(at + widths.get(n, 0.0) / 2 for n, at in x.items()) + 2 * GAP
    return Placed(x, layer, ways)


def _placed_part(
    whole: nx.DiGraph[Node], nodes: Sequence[Node], widths: Mapping[Node, float]
) -> Placed:
    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((a, b) for a in nodes for b in whole.successors(a))
    layer = _layers(graph)
    ways: dict[tuple[Node, Node], tuple[Node, ...]] = {}
    width = {node: widths[node] for node in nodes}
    for a, b in graph.edges:
        between = [f"{a} → {b} {i}" for i in range(layer[a] + 1, layer[b])]
        for i, place in enumerate(between):
            layer[place], width[place] = layer[a] + 1 + i, 0.0
        ways[a, b] = (a, *between, b)
    near: dict[Node, tuple[list[Node], list[Node]]] = {n: ([], []) for n in layer}
    for way in ways.values():
        for upper, lower in pairwise(way):
            near[lower][0].append(upper)
            near[upper][1].append(lower)
    rows: list[list[Node]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in layer:
        rows[layer[node]].append(node)
    best = _ordered(rows, near)
    return Placed(_across(best, near, width), layer, ways)


def _layers(graph: nx.DiGraph[Node]) -> dict[Node, int]:
    """Puts each node as high as it can be, then what nothing leads to as low as its users allow."""
    order = list(nx.topological_sort(graph))
    layer: dict[Node, int] = {}
    for node in order:
        layer[node] = 1 + max((layer[n] for n in graph.predecessors(node)), default=-1)
    for node in order:
        users = [layer[n] for n in graph.successors(node)]
        if users and not graph.in_degree(node):
            layer[node] = min(users) - 1
    return layer


def _ordered(
    rows: Sequence[Sequence[Node]], near: Mapping[Node, tuple[list[Node], list[Node]]]
) -> list[list[Node]]:
    """Orders each layer by the middle of its neighbours, down and up, and keeps the best found."""
    now = [list(row) for row in rows]
    best, fewest = [list(row) for row in now], _crossings(now, near)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for i in range(len(now)) if down else reversed(range(len(now))):
            place = {n: p for row in now for p, n in enumerate(row)}
            now[i].sort(key=lambda n: _middle([place[m] for m in near[n][not down]], place[n]))
        crossings = _crossings(now, near)
        if crossings < fewest:
            best, fewest = [list(row) for row in now], crossings
    return best


def _crossings(
    rows: Sequence[Sequence[Node]], near: Mapping[Node, tuple[list[Node], list[Node]]]
) -> int:
    place = {n: p for row in rows for p, n in enumerate(row)}
    count = 0
    for row in rows:
        edges = [(place[n], place[m]) for n in row for m in near[n][1]]
        count += sum(
            (a < c and b > d) or (a > c and b < d)
            for i, (a, b) in enumerate(edges)
            for c, d in edges[i + 1 :]
        )
    return count


def _across(
    rows: Sequence[Sequence[Node]],
    near: Mapping[Node, tuple[list[Node], list[Node]]],
    width: Mapping[Node, float],
) -> dict[Node, float]:
    """Moves nodes towards the middle of their neighbours, as far as those beside them allow."""
    x: dict[Node, float] = {}
    for row in rows:
        at = 0.0
        for node in row:
            x[node] = at + width[node] / 2
            at += width[node] + GAP
    for sweep in range(4 * SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else list(reversed(rows)):
            request = {n: _middle([x[m] for m in near[n][not down]], x[n]) for n in row}
            x.update(_apart(row, request, width))
    left = min((x[n] - width[n] / 2 for n in x), default=0.0)
    return {n: at - left for n, at in x.items()}


def _apart(
    row: Sequence[Node], request: Mapping[Node, float], width: Mapping[Node, float]
) -> dict[Node, float]:
    """Returns places near the desired ones that do not overlap: clumps share their displacement."""
    clumps: list[tuple[list[Node], float]] = []
    for node in row:
        members, at = [node], request[node]
        while clumps:
            before, middle = clumps[-1]
            if middle + _extent(before, width) / 2 + GAP <= at - _extent(members, width) / 2:
                break
            clumps.pop()
            members = [*before, *members]
            at = _clump_middle(members, request, width)
        clumps.append((members, at))
    found: dict[Node, float] = {}
    for members, middle in clumps:
        left = middle - _extent(members, width) / 2
        for node in members:
            found[node] = left + width[node] / 2
            left += width[node] + GAP
    return found


def _clump_middle(
    members: Sequence[Node], request: Mapping[Node, float], width: Mapping[Node, float]
) -> float:
    left, wanted = 0.0, 0.0
    for node in members:
        wanted += request[node] - (left + width[node] / 2)
        left += width[node] + GAP
    return wanted / len(members) + _extent(members, width) / 2


def _extent(members: Sequence[Node], width: Mapping[Node, float]) -> float:
    return sum(width[n] for n in members) + GAP * (len(members) - 1)


def _middle(values: list[float] | list[int], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
