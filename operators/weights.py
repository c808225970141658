"""Weights of classes and rows: the parameters, and what they must not name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from miningflow.declare import Feature, Notes, class_weights, feature
from miningflow.errors import suggestion

WeightOfClasses = str | dict[str, float] | None


def weight_of_classes() -> Any:
    """Declares the weights of classes."""
    return class_weights(
        "the weight of each class, by which its rows count; `balanced`: n / (k·n_c), with which "
        "all k classes weigh the same together"
    )


def weight_of_rows() -> Any:
    """Declares the feature with the weight of each row."""
    return feature(
        "the feature with the weight of each row, by which it counts; 0 leaves the row out",
        types=["numeric"],
        default=None,
        later=True,
    )


def note_row_weight(
    notes: Notes, of_row: Feature | None, target: Feature, features: Sequence[Feature], role: str
) -> None:
    """Notes a weight that is the target, or among the predictors or attributes."""
    if of_row is None:
        return
    if of_row.name == target.name:
        notes.error(
            "sample_weight", f"the weight {of_row.name!r} is the target", "give another feature"
        )
    if any(each.name == of_row.name for each in features):
        notes.error(
            role,
            f"the weight {of_row.name!r} is among the {role}",
            f"remove {of_row.name!r}: it says how much a row counts, not what the row is like",
        )


def note_class_weights(
    notes: Notes,
    by_class: WeightOfClasses,
    positive: str | None,
    classes: Sequence[str] | None,
    several: bool = False,
) -> None:
    """Notes weights that do not fit the classes that other parameters name.

    With `several` there may be more than two classes although one is positive.
    """
    if not isinstance(by_class, Mapping):
        return
    if classes is not None:
        for name in by_class:
            if name not in classes:
                hint = suggestion(name, classes, "classes")
                notes.error("class_weight", f"{name!r} is not one of `classes`", hint)
    for name in classes or ([] if positive is None else [positive]):
        if name not in by_class:
            hint = suggestion(name, by_class, "classes with a weight")
            notes.error("class_weight", f"there is no weight for the class {name!r}", hint)
    if several or classes is not None or positive not in by_class:
        return
    if len(by_class) > 2:
        notes.error(
            "class_weight",
            f"there are weights for {len(by_class)} classes, and with `positive` there are two",
            "leave `positive` out, or give the weights of two classes",
        )
