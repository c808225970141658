"""The order of steps: edges come from names, not from the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from miningflow.catalog import Catalog
from miningflow.errors import Diagnostic
from miningflow.nodes import Scalar
from miningflow.read.case import Case, RelationText, StepText


def in_running_order(case: Case, catalog: Catalog, diagnostics: list[Diagnostic]) -> list[str]:
    """Orders the steps so that each comes after what it names; notes cycles."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(case.concepts)
    graph.add_nodes_from(case.steps)
    for step in case.steps.values():
        for name in _named(case, step, catalog):
            meant = case.chains.get(name.text, name.text)
            if meant in graph:
                graph.add_edge(meant, step.name.text)
    cyclic: set[str] = set()
    for component in nx.strongly_connected_components(graph):
        if len(component) > 1 or any(graph.has_edge(n, n) for n in component):
            cyclic |= component
            diagnostics.append(_cycle(case, component, graph))
    acyclic = graph.subgraph(n for n in graph if n not in cyclic) if cyclic else graph
    place_in_file = {name: i for i, name in enumerate(case.steps)}
    ordered = nx.lexicographical_topological_sort(acyclic, lambda n: place_in_file.get(n, -1))
    return [name for name in ordered if name in case.steps]


def _cycle(case: Case, component: set[str], graph: nx.DiGraph[str]) -> Diagnostic:
    first = min(component, key=list(case.steps).index)
    cycle = [u for u, _ in nx.find_cycle(graph.subgraph(component), first)]
    path = " → ".join([*cycle, cycle[0]])
    if len(cycle) == 1:
        message = f"step {first!r} reads its own output"
    else:
        message = f"these steps depend on each other: {path}"
    return Diagnostic(
        message, case.steps[first].name.place, "a step can only use what comes before it"
    )


def _named(case: Case, step: StepText, catalog: Catalog) -> Iterator[Scalar]:
    """Returns every name in a step that may be a concept."""
    operator = catalog.find(step.operator.text)
    names = [p.name for p in operator.parameters()] if operator else []
    if step.implied_input is not None and "input" in names:
        yield step.implied_input
    if step.learn_on is not None:
        yield step.learn_on
    for parameter in operator.parameters() if operator else ():
        if parameter.name not in step.parameters:
            continue
        node = step.parameters[parameter.name][1]
        yield from parameter.kind.concept_names(node)
        for name in parameter.kind.relation_names(node):
            relation = case.relations.get(name.text)
            for end in _ends(relation) if relation is not None else ():
                yield Scalar(end.text.rpartition(".")[0], "text", name.place)


def _ends(relation: RelationText) -> tuple[Scalar, ...]:
    return (relation.start, relation.end, *(relation.through or ()))
