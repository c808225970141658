"""Warnings about evaluations: one class only, no better than a constant, too good, other rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from miningflow.warn.result_warning import ResultWarning

HELD_OUT = "held out"
TOO_GOOD = 0.999
# Fewer rows are easily ranked without a mistake.
ENOUGH_ROWS = 50
# An answer that is the same for all rows has 0.5.
HARDLY_BALANCED = 0.55


@dataclass(frozen=True)
class Evaluated:
    """What is known of one part of an evaluation."""

    step: str
    part: str
    measures: Mapping[str, Any]
    positive: str | None = None
    most_frequent: tuple[str, float] | None = None
    """The most frequent class, and its share."""
    deviation: float | None = None
    """The standard deviation of a numeric truth."""

    @property
    def compared(self) -> int:
        """Returns the number of rows with truth and prediction."""
        return int(self.measures["rows"] - self.measures["unknown"])


def warnings_of(evaluated: Sequence[Evaluated]) -> Iterator[ResultWarning]:
    """Judges the held-out part of an evaluation, or all rows if none are held out."""
    held_out = [each for each in evaluated if each.part == HELD_OUT]
    for each in held_out or evaluated:
        if not each.compared:
            continue
        only = _only_class(each)
        if only is not None:
            yield ResultWarning(
                "one_class_predicted",
                each.step,
                f"all {each.compared:,} rows ({each.part}) are predicted as {only}",
                "set `class_weight: balanced`, learn from balanced classes "
                "(RowSelectionByUnbiasing and `learn_on`), or rank by the decision value instead",
            )
        else:
            yield from _no_better(each)
        yield from _too_good(each)


def _only_class(each: Evaluated) -> str | None:
    m = each.measures
    if each.positive is None or "true_positives" not in m:
        return None
    if not m["true_positives"] + m["false_positives"]:
        return f"other than {each.positive!r}"
    if not m["true_negatives"] + m["false_negatives"]:
        return f"{each.positive!r}"
    return None


def _no_better(each: Evaluated) -> Iterator[ResultWarning]:
    m = each.measures
    remedy = "give the model other predictors, or another kernel or depth; do not use it as it is"
    if each.most_frequent is not None and m.get("accuracy") is not None:
        name, share = each.most_frequent
        balanced = _balanced_accuracy(m)
        if m["accuracy"] <= share and (balanced is None or balanced <= HARDLY_BALANCED):
            yield ResultWarning(
                "not_better_than_constant",
                each.step,
                f"accuracy {m['accuracy']:.3f} ({each.part}) is not better than always {name!r}, "
                f"{share:.3f}",
                remedy,
            )
    error = m.get("root_mean_squared_error")
    if each.deviation is not None and error is not None and error >= each.deviation:
        yield ResultWarning(
            "not_better_than_constant",
            each.step,
            f"the root mean squared error {error:.4g} ({each.part}) is not better than that of "
            f"always the mean, {each.deviation:.4g}",
            remedy,
        )


def _balanced_accuracy(m: Mapping[str, Any]) -> float | None:
    """Returns the mean of the shares of right answers in both classes, if both occur."""
    if "true_positives" not in m:
        return None
    positives = m["true_positives"] + m["false_negatives"]
    negatives = m["true_negatives"] + m["false_positives"]
    if not positives or not negatives:
        return None
    return float(m["true_positives"] / positives + m["true_negatives"] / negatives) / 2


def _too_good(each: Evaluated) -> Iterator[ResultWarning]:
    area = each.measures.get("auc")
    if each.part == HELD_OUT and each.compared >= ENOUGH_ROWS and area and area >= TOO_GOOD:
        yield ResultWarning(
            "too_good",
            each.step,
            f"the area under the ROC curve is {area:.4f} on {each.compared:,} held-out rows",
            "check whether a predictor is known only after the target, or made from it",
        )


def not_comparable(evaluations: Mapping[str, Sequence[Evaluated]]) -> Iterator[ResultWarning]:
    """Compares evaluations of the same truth, which are keyed by it, by their numbers of rows."""
    for about in evaluations.values():
        for one, other in combinations(about, 2):
            same = (one.part, one.measures["rows"], one.compared)
            if one.part == other.part and same != (
                other.part,
                other.measures["rows"],
                other.compared,
            ):
                yield ResultWarning(
                    "not_comparable",
                    f"{one.step} and {other.step}",
                    f"they compare different rows ({one.part}): {one.compared:,} and "
                    f"{other.compared:,}",
                    "evaluate both on the same rows, or fill NULL before the models",
                )
