"""Rankings of all features by selectors; the selectors are loaded when a ranking is called."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from miningflow.learn import selection
from miningflow.learn.arrays import Codes, Labels, Matrix


def rank_by_fisher_score(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    """Ranks by the Fisher score of each feature."""
    return _by_score(selection.ScoreSelector("fisher", keep=1).fit(X, labels).scores_, groups)


def rank_by_normal(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    """Ranks by the weights of a linear machine."""
    return _by_score(selection.NormalSelector(keep=1).fit(X, labels).scores_, groups)


def rank_by_alignment(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    """Ranks in the order in which features are added to raise the alignment of the kernel."""
    selector = selection.AlignmentSelector("incremental", keep=X.shape[1]).fit(X, labels)
    return _by_order([column for step in selector.trace_ for column in step.changed], groups)


def rank_by_margin_bound(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    """Ranks in the reverse of the order in which features are removed to keep the bound low."""
    selector = selection.MarginBoundSelector(keep=1).fit(X, labels)
    taken = [trial for trial in selector.trace_ if trial.accepted]
    dropped = [column for trial in taken for column in trial.removed]
    return _by_order([*taken[-1].columns, *reversed(dropped)], groups)


def rank_by_machine_error(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    """Ranks in the reverse of the order in which features are removed to keep the error low."""
    selector = selection.XiAlphaSelector(search="guided", keep=1, groups=groups).fit(X, labels)
    subsets = [trial.subset for trial in selector.trace_ if trial.accepted]
    dropped = [
        group
        for before, after in pairwise(subsets)
        for group in sorted(set(before) - set(after))  # several at once if there are many
    ]
    return [*subsets[-1], *reversed(dropped)]


def _by_score(scores: Matrix, groups: Codes) -> list[int]:
    """Ranks features by the best of their columns; the first of equals comes first."""
    best = np.full(int(groups.max()) + 1, -np.inf)
    np.maximum.at(best, groups, np.nan_to_num(scores, posinf=1e300))
    return [int(group) for group in np.argsort(-best, kind="stable")]


def _by_order(columns: Sequence[int], groups: Codes) -> list[int]:
    """Ranks features by the first of their columns."""
    return list(dict.fromkeys(int(groups[column]) for column in columns))
