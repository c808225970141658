"""What is estimated of an operator's output before it runs holds when it has run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from support.catalogue import Changed, catalogue
from support.example_case import OPERATORS

from miningflow.declare.concept_statistics import ConceptStatistics
from miningflow.declare.estimates import Amount
from miningflow.project import LoadedCase
from miningflow.verbs.estimate import Estimated

FURTHER: dict[str, Changed] = {
    "twenty rows": ("RowSelectionByRandomSampling", {"how_many": 20}),
    "balanced": ("RowSelectionByUnbiasing", {"how_many": None}),
    "balanced by counts": (
        "RowSelectionByUnbiasing",
        {"how_many": None, "counts": {"yes": 7, "no": 3}},
    ),
    "without duplicates of one": ("RemoveDuplicates", {"targets": ["region"]}),
    "without duplicates of all": ("RemoveDuplicates", {"targets": None}),
    "joined by features": ("JoinByKey", {"keys": ["Customer.region", "Rating.grade"]}),
    "without NULL": ("DeleteRecordsWithMissingValues", {"targets": ["income"]}),
}


def _within(amount: Amount, real: int) -> bool:
    return amount.low <= real <= (real if amount.high is None else amount.high)


@dataclass(frozen=True)
class Known:
    """What is known of the steps of a case before and after it ran."""

    case: LoadedCase
    before: Mapping[str, Estimated]
    real: Mapping[str, ConceptStatistics]
    after: Mapping[str, Estimated]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Runs the examples of all operators, and further ones, as steps of one case."""
    case = catalogue(FURTHER).load(tmp_path_factory.mktemp("estimates"))
    before = case.estimate()
    case.run()
    return Known(case, before, case.stats(), case.estimate())


@pytest.mark.parametrize("step", [*(o.__name__ for o in OPERATORS), *FURTHER])
@pytest.mark.slow
def test_bounds_hold(step: str, known: Known) -> None:
    before, real, after = known.before[step], known.real[step], known.after[step]
    assert before.rows is None
    assert _within(before.estimate.rows, real.rows)
    outline = known.case.bound.steps[step].output.features
    assert list(before.estimate.features) == list(outline)
    gone = set(outline) - {f.feature for f in real.features}
    for name, estimate in before.estimate.features.items():
        found = real.of(name)
        if found is None:
            assert estimate.may_go
            continue
        assert _within(estimate.missing, found.missing), name
        assert _within(estimate.distinct, found.distinct), name
    assert gone <= {n for n, f in before.estimate.features.items() if f.may_go}
    assert (after.rows, after.statistics) == (real.rows, real)
    assert after.estimate == before.estimate
