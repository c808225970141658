"""A step as a page: its features with their status, its parameters, what it learned, its SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from miningflow.html import Content, element, page, section, table
from miningflow.html.page import badge, code

if TYPE_CHECKING:
    from miningflow.describe.features import FeatureStatus
    from miningflow.verbs.step import StepDescription

KINDS = {"present": "good", "deselected": "bad", "partly deselected": "doubtful"}


def step_page(step: StepDescription) -> str:
    """Returns the step as HTML."""
    reads = ", ".join(step.inputs)
    given = [
        [name, _written(value)] for name, value in step.parameters.items() if value is not None
    ]
    topics = [[topic, text] for topic, text in step.topics.items()]
    cells = list(step.features.cells.values())
    present = sum(cell.status in ("present", "partly deselected") for cell in cells)
    return page(
        step.name,
        f"{step.operator} of {reads} ({step.place})" if reads else step.operator,
        element("p", None, step.about) if step.about else None,
        section(f"Features: {present} of {len(cells)}", _features(cells)),
        section("Parameters", table(["parameter", "value"], given)) if given else None,
        section("What it learned", table(["topic", "explanation"], topics)) if topics else None,
        section(f"SQL for {step.dialect}", code(step.sql), folded=True),
    )


def _features(cells: Sequence[FeatureStatus]) -> Content:
    # what is gone stands first, so that it is seen in a long table too
    ordered = sorted(cells, key=lambda cell: cell.status == "present")
    rows: list[Sequence[Content]] = [
        [
            cell.feature,
            cell.type,
            badge(cell.status, KINDS.get(cell.status, "")),
            f"in {cell.by_step}: {cell.reason}" if cell.by_step else cell.reason,
        ]
        for cell in ordered
    ]
    return table(["feature", "type", "status", "why"], rows)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
