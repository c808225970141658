"""Phase 3, plan: BoundCase + what is already built → stages, each to run or to reuse, and why."""

from miningflow.plan.cause import Cause
from miningflow.plan.layout import Builds, layout
from miningflow.plan.planner import PlanRequest, plan_case
from miningflow.plan.recipe import Built, Recipe, SourceVersion
from miningflow.plan.stage import Plan, Stage

__all__ = [
    "Builds",
    "Built",
    "Cause",
    "Plan",
    "PlanRequest",
    "Recipe",
    "SourceVersion",
    "Stage",
    "layout",
    "plan_case",
]
