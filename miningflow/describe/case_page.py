"""A case as a page: its graph, or a table of its steps where a graph would be too large."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from miningflow.describe.picture import case_graph
from miningflow.errors import Diagnostic
from miningflow.html import Content, Element, element, page, section, table
from miningflow.html.page import badge
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import nodes

MOST_BOXES = 150


def case_page(bound: BoundCase) -> str:
    """Returns the case as HTML. Needs no data."""
    steps = sum(not step.hidden for step in bound.steps.values())
    return page(
        bound.name,
        f"{_counted(len(bound.sources), 'source')}, {_counted(steps, 'step')}",
        element("p", None, bound.case.about) if bound.case.about else None,
        _warnings(bound.warnings),
        _graph(bound) if len(nodes(bound)) <= MOST_BOXES else _steps(bound),
    )


def _graph(bound: BoundCase) -> Element:
    # ids are shared by all of a page, and a case may be shown in two states
    tip = sha256("\0".join([bound.name, *nodes(bound)]).encode()).hexdigest()[:10]
    return element("div", "mf-wide mf-graph", case_graph(bound, f"mf-tip-{tip}"))


def _steps(bound: BoundCase) -> Element:
    rows = [
        [name, type(step.operator).__name__, ", ".join(step.reads)]
        for name, step in bound.steps.items()
        if not step.hidden
    ]
    return table(["step", "operator", "reads"], rows)


def _warnings(warnings: Sequence[Diagnostic]) -> Element | None:
    if not warnings:
        return None
    rows: list[Sequence[Content]] = [
        [badge("warning", "doubtful"), w.message, w.hint, str(w.place or "")] for w in warnings
    ]
    count = _counted(len(warnings), "warning")
    return section(count, table(["", "what may go wrong", "what to do", "where"], rows))


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"
