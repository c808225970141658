"""Which steps become a view, which a table, and which are fused into the next SELECT."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from miningflow.resolve import BoundCase

Builds = Literal["inline", "view", "table"]


def layout(bound: BoundCase) -> dict[str, Builds]:
    """Decides how each step is built.

    A run of feature-construction steps becomes one SELECT: a step that only adds columns, and that
    only one such step uses, is fused into it. `materialize: view` makes it visible all the same.
    """
    used = Counter(name for step in bound.steps.values() for name in step.inputs)
    learned_on = {step.learn_on for step in bound.steps.values()}
    user = {name: step for step in bound.steps.values() for name in step.inputs}
    found: dict[str, Builds] = {}
    for step in bound.steps.values():
        fused = (
            step.operator.fuses
            and not step.asked_for
            and step.builds == "view"
            and used[step.name] == 1
            and user[step.name].operator.fuses
            and step.name not in learned_on
            and step.name != bound.scoring
        )
        found[step.name] = "inline" if fused or step.hidden else step.builds
    return found
