"""What all selectors share as scikit-learn estimators."""

from __future__ import annotations

from typing import ClassVar

from miningflow.learn.arrays import Mask
from miningflow.learn.scikit_learn import (
    BaseEstimator,
    ClassifierTags,
    SelectorMixin,
    Tags,
    check_is_fitted,
)


class ColumnSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
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
