"""Values are put together: by hand, by number of rows, by class."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, column, load, rows, run

from miningflow.errors import ResolveError, RunError
from miningflow.project import LoadedCase

N = 600
RANDOM = np.random.default_rng(4)
TYPES = {"id": "key", "w": "nominal", "kind": "nominal", "long": "nominal"}
WORDS = ["a", "b", "c", "d, e", "d", "e", "it's"]
PICKED = RANDOM.choice(WORDS, N, p=[0.4, 0.3, 0.15, 0.1, 0.02, 0.02, 0.01])
KINDS = [
    str(RANDOM.choice(["x", "y", "z"], p=p))
    for p in (
        [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]][WORDS.index(w) % 3] for w in PICKED
    )
]
TABLE: Columns = {
    "id": list(range(N)),
    "w": [None if i % 9 == 1 else str(w) for i, w in enumerate(PICKED)],
    "kind": [None if i % 11 == 3 else k for i, k in enumerate(KINDS)],
    "long": [f"a rather long name of a value, number {i % 30}" for i in range(N)],
}
NEW: Columns = {"id": [1, 2, 3], "w": ["a", "never", None], "kind": ["x"] * 3, "long": ["l"] * 3}


def _step(operator: str, **more: Any) -> dict[str, Any]:
    return {"operator": operator, "input": "T", "target": "w", "output": "y", **more}


def _by_hand(operator: str = "UserDefinedGrouping", **more: Any) -> dict[str, Any]:
    return _step(operator, **{"groups": {"vowel": ["a", "e"], "it's": "b"}, **more})


def _by_class(operator: str, **more: Any) -> dict[str, Any]:
    return _step(operator, label="kind", **more)


IMPLICIT = "ImplicitErrorBasedGrouping"
CARDINALITY = "ErrorBasedGroupingGivenMinCardinality"
NUMBER = "ErrorBasedGroupingGivenNoOfGroups"


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    rare = "GroupingGivenMinCardinality"
    steps = {
        "by_hand": _by_hand(),
        "with_default": _by_hand("UserDefinedGroupingWithDefaultValue", default="rest", output="w"),
        "rare": _step(rare, min_cardinality=20),
        "few": _step("GroupingGivenNoOfGroups", groups=3),
        "more_than_there_are": _step("GroupingGivenNoOfGroups", groups=99),
        "of_new": _step(rare, min_cardinality=20, input="New", learn_on="T"),
        "new_default": _step(rare, min_cardinality=20, input="New", learn_on="T", default="?"),
        "long": _step("GroupingGivenNoOfGroups", groups=2, target="long"),
        "implicit": _by_class(IMPLICIT),
        "large": _by_class(CARDINALITY, min_cardinality=100),
        "two": _by_class(NUMBER, groups=2),
    }
    concepts = {"T": rows("id", TYPES, TABLE), "New": rows("id", TYPES, NEW)}
    return run(tmp_path_factory.mktemp("grouping"), concepts, steps)


def test_groups_by_hand(case: LoadedCase) -> None:
    groups = {"a": "vowel", "e": "vowel", "b": "it's", None: None}
    assert column(case, "by_hand", "y") == [groups.get(w, w) for w in TABLE["w"]]
    assert column(case, "with_default", "w") == [groups.get(w, "rest") for w in TABLE["w"]]


SIZES = Counter(w for w in TABLE["w"] if w is not None)


def _members(case: LoadedCase, step: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word, label in zip(TABLE["w"], column(case, step, "y"), strict=True):
        assert (word is None) == (label is None)
        if word is not None:
            found.setdefault(label, set()).add(word)
    assert sum(len(words) for words in found.values()) == len(SIZES)
    return found


def _merged(stop: Any) -> set[frozenset[str]]:
    """Merges the two rarest again and again, by sorting anew each time."""
    groups = [frozenset([w]) for w in sorted(SIZES)]
    while not stop(groups):
        groups.sort(key=lambda g: (sum(SIZES[w] for w in g), min(g)))
        groups = [groups[0] | groups[1], *groups[2:]]
    return set(groups)


def test_rare_values_go_together(case: LoadedCase) -> None:
    found = _members(case, "rare")
    size = {g: sum(SIZES[w] for w in words) for g, words in found.items()}
    assert min(size.values()) >= 20
    expected = _merged(lambda groups: min(sum(SIZES[w] for w in g) for g in groups) >= 20)
    assert {frozenset(words) for words in found.values()} == expected
    few = {frozenset(words) for words in _members(case, "few").values()}
    assert few == _merged(lambda groups: len(groups) <= 3)


def test_groups_are_named_after_their_values(case: LoadedCase) -> None:
    for label, words in _members(case, "rare").items():
        assert label.rstrip("_") == ", ".join(sorted(words))
    assert _members(case, "more_than_there_are") == {w: {w} for w in SIZES}
    labels = set(column(case, "long", "y"))
    assert len(labels) == 2
    assert all("and" in label and label.endswith("more") for label in labels)


def test_values_never_seen(case: LoadedCase) -> None:
    assert column(case, "of_new", "y") == ["a", None, None]
    assert column(case, "new_default", "y") == ["a", "?", None]


def _table() -> pd.DataFrame:
    frame = pd.DataFrame(TABLE).dropna()
    return pd.crosstab(frame["w"], frame["kind"])


def _error(groups: list[set[str]]) -> int:
    counts = _table()
    return sum(
        int(part.sum() - part.max()) for part in (counts.loc[sorted(g)].sum() for g in groups)
    )


def test_values_of_one_majority_go_together(case: LoadedCase) -> None:
    found = _members(case, "implicit")
    counts = _table()
    expected: dict[str, set[str]] = {}
    for word, kind in counts.idxmax(axis=1).items():
        expected.setdefault(kind, set()).add(str(word))
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected.values()))
    assert len(found) == 3


def test_groups_by_class_are_large_or_few(case: LoadedCase) -> None:
    large = list(_members(case, "large").values())
    counts = _table().sum(axis=1)
    assert min(counts.loc[sorted(g)].sum() for g in large) >= 100
    three = list(_members(case, "implicit").values())
    two = list(_members(case, "two").values())
    possible = [[three[i] | three[j], three[3 - i - j]] for i, j in ((0, 1), (0, 2), (1, 2))]
    assert _error(two) == min(_error(groups) for groups in possible)
    assert _error(two) > _error(three)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (_by_hand(groups={"v": ["a", "a"]}), "names 'a' twice\n"),
        (_by_hand(groups={"v": ["a"], "c": ["b", "a"]}), "names 'a' twice: for 'v' and 'c'"),
        (_by_hand(groups={"v": []}), "has no value for 'v'"),
        (_by_hand(groups=["a"]), "takes a map of labels to values"),
        (_by_class(IMPLICIT, target="kind"), "`target` and `label` are both 'kind'"),
        (_step("GroupingGivenNoOfGroups", groups=1), "must be at least 2"),
    ],
)
def test_what_cannot_be_grouped_is_refused(
    step: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, {"T": rows("id", TYPES, NEW)}, {"s": step})


@pytest.mark.parametrize("operator", [IMPLICIT, "GroupingGivenMinCardinality"])
def test_too_many_values_are_refused(operator: str, tmp_path: Path) -> None:
    many = 10_001
    table: Columns = {"id": list(range(many)), "w": [f"w{i}" for i in range(many)]}
    step: dict[str, Any] = {"operator": operator, "input": "T", "target": "w"}
    step |= {"label": "kind"} if operator == IMPLICIT else {"min_cardinality": 2}
    types = {"id": "key", "w": "nominal", "kind": "nominal"}
    concept = rows("id", types, {**table, "kind": ["x"] * many})
    with pytest.raises(RunError, match="'w' has more than 10,000 different values"):
        load(tmp_path, {"T": concept}, {"s": step}).run()
