"""Features in the order of their scores, and how many of them to keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Mask, Matrix


@dataclass(frozen=True, slots=True)
class Ranked:
    """A feature with its score, and whether it is kept."""

    feature: int
    score: float
    kept: bool


def ranked(
    scores: Matrix,
    filled: Matrix,
    keep: int | None = None,
    threshold: float | None = None,
    sparsity: float | None = None,
) -> tuple[Ranked, ...]:
    """Returns the features from the highest score down; the first of equals comes first.

    Kept are `keep` of them, or those with at least the score `threshold`, or as many as it takes
    until rows have `sparsity` values other than 0 on average, `filled` being the average of each
    feature. Without any of these, half of the features are kept.
    """
    order = np.argsort(-scores, kind="stable")
    if threshold is not None:
        count = int(np.count_nonzero(scores >= threshold))
    elif sparsity is not None:
        # Sums of shares such as 0.1 miss the wanted number by a rounding error.
        reached = np.cumsum(filled[order]) >= sparsity * (1 - 1e-12)
        count = int(np.argmax(reached)) + 1 if reached.any() else len(order)
    else:
        count = max(1, len(order) // 2) if keep is None else keep
    return tuple(
        Ranked(int(feature), float(scores[feature]), rank < count)
        for rank, feature in enumerate(order)
    )


def kept(ranking: tuple[Ranked, ...]) -> Mask:
    """Returns the mask of the kept features."""
    mask = np.zeros(len(ranking), dtype=bool)
    mask[[each.feature for each in ranking if each.kept]] = True
    return mask


def check_one_limit(width: int, keep: int | None, **others: float | None) -> None:
    """Refuses more than one limit, and more features than there are."""
    limits = {"n_features_to_select": keep, **others}
    given = [name for name, limit in limits.items() if limit is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} each decide what is kept; give one of them")
    if keep is not None and keep > width:
        raise ValueError(f"{keep} features cannot be kept; there are {width}")
