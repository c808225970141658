"""What stands before a machine, and the machine itself."""

from __future__ import annotations

from typing import Any

from miningflow.fitted.machines import read_machine
from miningflow.fitted.refusals import is_scikit_learns
from miningflow.fitted.transformers import transformed
from miningflow.learn.machines import Machine
from miningflow.sql.models.model_inputs import ModelInputs


def steps_of(fitted: Any) -> list[Any]:
    """Returns the steps of a Pipeline, those of a last one within it too, or the only step."""
    if is_scikit_learns(fitted):
        if type(fitted).__name__ == "FrozenEstimator":
            return steps_of(fitted.estimator)
        if type(fitted).__name__ == "Pipeline":
            *before, last = [step for _, step in fitted.steps]
            return [*before, *steps_of(last)]
    return [fitted]


def machine_over(fitted: Any, columns: ModelInputs) -> tuple[Machine, ModelInputs]:
    """Reads a machine, and the columns that reach it."""
    *before, last = steps_of(fitted)
    for step in before:
        columns = transformed(step, columns)
    return read_machine(last, len(columns.values)), columns
