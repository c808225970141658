"""Selection by geometry is that of the estimator, group by group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.small_case import key_hash, load, rows, run

from miningflow.declare.selection import Selection
from miningflow.errors import MiningFlowError, RunError
from miningflow.learn.selection import GeometrySelector

N = 240
KINDS = ("heat", "noise", "shake")
NAMES = [f"{kind}_{i}" for kind in KINDS for i in (1, 2, 3)]
GROUPS = {"warm": "heat_*", "loud": "noise_1, noise_2,noise_3", "rough": "shake_?"}
TYPES = {"id": "key", **dict.fromkeys(NAMES, "numeric"), "state": "nominal"}


def _readings(classes: int = 2) -> tuple[npt.NDArray[np.float64], list[str]]:
    random = np.random.default_rng(6)
    state = random.integers(0, classes, N)
    X = random.normal(size=(N, len(NAMES)))
    X[:, :3] += 1.2 * (state == 1)[:, np.newaxis]
    X[:, 6:] += 1.2 * (state >= 1)[:, np.newaxis]
    return 10 * X + 3, [f"s{s}" for s in state]


def _table(classes: int) -> dict[str, list[Any]]:
    X, states = _readings(classes)
    columns = {name: X[:, i].tolist() for i, name in enumerate(NAMES)}
    return {"id": list(range(N)), **columns, "state": states}


def _step(**more: Any) -> dict[str, Any]:
    return {
        "operator": "FeatureSelectionByGeometry",
        "input": "T",
        "target": "state",
        "attributes": NAMES,
        "groups": GROUPS,
        **more,
    }


def _select(folder: Path, classes: int = 2, **more: Any) -> Selection:
    step = {name: value for name, value in _step(**more).items() if value is not None}
    case = run(folder, {"T": rows("id", TYPES, _table(classes))}, {"chosen": step})
    return case.selections()["chosen"]


def _expected(classes: int, judge: Any, choose: Any) -> GeometrySelector:
    """Fits the estimator on the rows in the order in which a step sees them."""
    X, states = _readings(classes)
    order = sorted(range(N), key=lambda key: key_hash(key, 0))
    if judge == "svm":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    numbers = [sorted(GROUPS).index(_group(name)) for name in NAMES]
    selector = GeometrySelector(numbers, judge=judge, choose=choose, random_state=0)
    return selector.fit(X[order], np.array(states)[order])


def _group(name: str) -> str:
    return {"heat": "warm", "noise": "loud", "shake": "rough"}[name.partition("_")[0]]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("judge", ["geometry", "svm"])
@pytest.mark.parametrize("choose", ["score", "smallest"])
def test_groups_are_chosen_as_the_estimator_does(
    tmp_path: Path, classes: int, judge: str, choose: str
) -> None:
    found = _select(tmp_path, classes, judge=judge, choose=choose)
    expected = _expected(classes, judge, choose)
    assert found.kept == tuple(np.array(NAMES)[expected.get_support()])
    assert [t.value for t in found.trace] == pytest.approx(
        [j.score for j in expected.trace_], abs=0 if judge == "geometry" else 1e-9
    )
    assert [t.changed for t in found.trace] == [
        " + ".join(sorted(GROUPS)[g] for g in j.groups) for j in expected.trace_
    ]


def test_the_groups_that_tell_are_kept_whole(tmp_path: Path) -> None:
    found = _select(tmp_path, judge="svm", choose="smallest")
    assert found.kept == tuple(n for n in NAMES if not n.startswith("noise"))
    assert found.reason == "svm suggested 2 of 7 sets of groups; kept: rough, warm"
    (chosen,) = [t for t in found.trace if t.accepted]
    assert chosen.kept == found.kept
    assert len({found.scores[n] for n in NAMES[:3]}) == 1
    assert found.scores["noise_1"] < found.scores["heat_1"]


def test_an_attribute_without_a_group_is_one_of_its_own(tmp_path: Path) -> None:
    groups = {"warm": "heat_*", "rough": "shake_*"}
    found = _select(tmp_path / "a", groups=groups, judge="svm")
    assert len(found.trace) == 2**5 - 1
    assert {"noise_1", "noise_2", "noise_3"} <= {t.changed for t in found.trace}
    few = _select(tmp_path / "b", groups=None, attributes=NAMES[:3], judge="svm")
    assert len(few.trace) == 2**3 - 1


def test_groups_shrink_with_what_was_dropped_before(tmp_path: Path) -> None:
    drop = [*NAMES[3:6], "heat_2"]
    steps = {
        "fewer": {"operator": "FeatureSelectionByAttributes", "input": "T", "drop": drop},
        "chosen": _step(judge="svm") | {"input": "fewer"},
    }
    case = run(tmp_path, {"T": rows("id", TYPES, _table(2))}, steps)
    found = case.selections()["chosen"]
    assert [t.changed for t in found.trace] == ["rough", "warm", "rough + warm"]
    assert "heat_2" not in found.scores


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"groups": {"warm": "heat_*", "hot": "heat_1"}}, "'heat_1' is in two groups, 'warm' and"),
        ({"groups": {"warm": "heet_1"}}, "group 'warm' names 'heet_1', which matches no attribute"),
        ({"groups": {"who": "id"}}, "group 'who' names 'id', which matches no attribute"),
        ({"groups": {"warm": None}}, "group 'warm' names '', which matches no attribute"),
        ({"groups": {"warm": ["heat_1"]}}, "'groups' of FeatureSelectionByGeometry takes a value"),
        ({"groups": None, "max_sets": 500}, "9 groups and 2 classes make 511 sets to judge"),
        ({"judge": "radial"}, "'judge' of FeatureSelectionByGeometry cannot be 'radial'"),
    ],
)
def test_wrong_groups_are_found_before_the_run(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    step = {name: value for name, value in _step(**more).items() if value is not None}
    with pytest.raises(MiningFlowError, match=message) as refused:
        load(tmp_path, {"T": rows("id", TYPES, _table(2))}, {"chosen": step})
    assert all(diagnostic.place is not None for diagnostic in refused.value.diagnostics)


def test_classes_that_make_too_many_sets_are_found_when_they_are_known(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="3 groups and 5 classes make 105 sets to judge"):
        _select(tmp_path, 5, max_sets=100)
