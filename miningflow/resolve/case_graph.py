"""The graph of a bound case: concepts and steps are nodes, an edge leads to the step that reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

import networkx as nx


class Reader(Protocol):
    """A step, as far as the graph is concerned."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Names what the step reads."""


def case_graph(sources: Iterable[str], steps: Mapping[str, Reader]) -> nx.DiGraph[str]:
    """Builds the graph of source concepts and steps; its nodes stand in running order."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sources)
    graph.add_nodes_from(steps)
    for name, step in steps.items():
        graph.add_edges_from((read, name) for read in step.reads)
    return graph


def between(graph: nx.DiGraph[str], given: Collection[str], step: str) -> set[str]:
    """Returns a step and all that leads to it, up to what is given, which does not count."""
    ways = graph.subgraph(n for n in graph if n == step or n not in given)
    return {step, *nx.ancestors(ways, step)}
