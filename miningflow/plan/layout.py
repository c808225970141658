"""Which steps become a view, which a table, and which are fused into the next SELECT."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from miningflow.resolve import BoundCase, BoundStep

Builds = Literal["inline", "view", "table"]


def layout(bound: BoundCase) -> dict[str, Builds]:
    """Decides how each step is built.

    A run of feature-construction steps becomes one SELECT: a step that only adds columns, and that
    only one such step uses, is fused into it. `materialize: view` makes it visible all the same.
    A step that applies a model becomes a table, unless the case asks for a view.
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
        if fused or step.hidden:
            found[step.name] = "inline"
        else:
            found[step.name] = "table" if keeps_predictions(step) else step.builds
    return found


def keeps_predictions(step: BoundStep) -> bool:
    """Returns whether a step is stored because it applies a model, and not because of the case."""
    return step.operator.applies_model and not step.asked_for and not step.hidden
