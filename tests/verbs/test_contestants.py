"""Which selectors take part in comparisons: those that operators of the catalog declare."""

from __future__ import annotations

from typing import ClassVar

import pytest

from miningflow.catalog import installed
from miningflow.declare import FeatureSelection, operator
from miningflow.errors import MiningFlowError
from miningflow.learn.arrays import Codes, Labels, Matrix
from miningflow.learn.selection.contestant import Contestant
from miningflow.verbs.compare import contestants


def backwards(X: Matrix, labels: Labels, groups: Codes) -> list[int]:
    return sorted(set(groups.tolist()), reverse=True)


@operator
class LastColumnsFirst(FeatureSelection):
    """Prefers the last columns."""

    contestant: ClassVar[Contestant | None] = Contestant("backwards", backwards)


@operator
class LastColumnsOnly(LastColumnsFirst):
    """Inherits from an operator that takes part, and takes no part."""


def test_installed_selectors_run_in_order_of_effort() -> None:
    found = {c.name: operator for c, operator in contestants(installed()).items()}
    assert list(found.items()) == [
        ("score", "FeatureSelectionByScore"),
        ("alignment", "FeatureSelectionByAlignment"),
        ("normal", "FeatureSelectionByNormal"),
        ("margin_bound", "FeatureSelectionByMarginBound"),
        ("svm", "FeatureSelectionWithSVM"),
    ]


def test_an_operator_of_another_library_takes_part() -> None:
    catalog = {cls.__name__: cls for cls in (LastColumnsFirst, LastColumnsOnly)}
    found = contestants({**installed(), **catalog})
    assert len(found) == len(contestants(installed())) + 1
    assert list(found.values())[-1] == "LastColumnsFirst"


def test_two_operators_cannot_take_part_under_one_name() -> None:
    catalog = {"First": LastColumnsFirst, "Second": LastColumnsFirst}
    with pytest.raises(MiningFlowError, match=r"First and Second take part .* as 'backwards'"):
        contestants(catalog)
