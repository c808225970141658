"""A plan as a page: which stages would run, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from miningflow.html import Content, page, table
from miningflow.html.page import badge

if TYPE_CHECKING:
    from miningflow.plan.stage import Plan


def plan_page(plan: Plan) -> str:
    """Returns the plan as HTML."""
    rows: list[Sequence[Content]] = [
        [
            badge(stage.action, "good" if stage.action == "run" else ""),
            stage.name,
            f"{stage.operator} (learns)" if stage.learns else stage.operator,
            "fused" if stage.builds == "inline" else stage.builds,
            stage.reason,
        ]
        for stage in plan.stages
    ]
    said = f"{len(plan.running)} of {len(plan.stages)} stages would run"
    return page(plan.case, said, table(["", "stage", "operator", "as", "why"], rows))
