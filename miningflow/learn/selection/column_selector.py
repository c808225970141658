"""What all selectors share as scikit-learn estimators."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

from miningflow.learn.arrays import Mask
from miningflow.learn.kernels import SCIKIT_LEARN_NAMES
from miningflow.learn.scikit_learn import (
    ClassifierTags,
    Interval,
    RealNotInt,
    SelectorMixin,
    Tags,
    check_is_fitted,
)
from miningflow.learn.selection.parameter_words import WithOtherWords

COUNT_OR_SHARE = [
    Interval(Integral, 1, None, closed="left"),
    Interval(RealNotInt, 0, 1, closed="right"),
    None,
]
"""What `n_features_to_select` takes: as many, a share of all, or no limit."""


class ColumnSelector(SelectorMixin, WithOtherWords):  # type: ignore[misc]  # scikit-learn has no types
    """A selector for a class label, which `fit` needs; it leaves a mask of what it keeps."""

    _two_classes_only: ClassVar[bool] = False

    support_: Mask
    n_features_in_: int

    def _takes_sparse(self) -> bool:
        return False

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._takes_sparse()
        if self._two_classes_only:
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def count_of(wanted: int | float | None, among: int) -> int | None:
    """Returns how many to select: a share is that of all, and at least one."""
    if wanted is None or isinstance(wanted, Integral):
        return wanted
    return max(1, int(wanted * among))


def kernel_name(word: str) -> str:
    """Returns the name of a kernel here, which scikit-learn may call differently."""
    return SCIKIT_LEARN_NAMES.get(word, word)
