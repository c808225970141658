"""Warnings about a comparison of selectors: nothing is better than a constant, or too good."""

from __future__ import annotations

from miningflow.warn.of_evaluations import TOO_GOOD
from miningflow.warn.result_warning import ResultWarning


def comparison_warnings(
    step: str, metric: str, best: float, constant: float, beats_constant: bool
) -> tuple[ResultWarning, ...]:
    """Judges the best result of a comparison."""
    if not beats_constant:
        return (
            ResultWarning(
                "not_better_than_constant",
                step,
                f"no selector beats the same answer for all rows, whose {metric} is {constant:.3f}",
                "give other features, or compare on more --rows",
            ),
        )
    if metric == "auc" and best >= TOO_GOOD:
        return (
            ResultWarning(
                "too_good",
                step,
                f"the area under the ROC curve is {best:.4f}",
                "check whether a feature is known only after the target, or made from it",
            ),
        )
    return ()
