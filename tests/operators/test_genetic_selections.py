"""Genetic selections find what tells only together, the same with the same seed."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.small_case import rows, run

from miningflow.declare.selection import Selection
from miningflow.learn.selection.estimates import XiAlphaEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import RadialKernel

N = 150
NAMES = [f"x{i}" for i in range(7)]
TYPES = {"id": "key", **dict.fromkeys(NAMES, "numeric"), "kind": "nominal", "label": "binary"}


def _numbers() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    random = np.random.default_rng(4)
    X = random.normal(size=(N, len(NAMES)))
    X[:, 6] = X[:, 0] * -3 + 1  # the same, turned round
    return X, X[:, 1] * X[:, 4] + random.normal(0, 0.1, N) > 0


def _table() -> dict[str, list[Any]]:
    X, y = _numbers()
    return {
        "id": list(range(N)),
        **{name: X[:, i].tolist() for i, name in enumerate(NAMES)},
        "kind": np.random.default_rng(2).choice(["a", "b", "c"], N).tolist(),
        "label": np.where(y, "yes", "no").tolist(),
    }


def _select(folder: Path, operator: str = "GeneticFeatureSelection", **more: Any) -> Selection:
    step = {
        "operator": operator,
        "input": "T",
        "target": "label",
        "positive": "yes",
        "attributes": NAMES,
        "kernel": "radial",
        "C": 2,
        "population": 12,
        "generations": 8,
        **more,
    }
    case = run(folder, {"T": rows("id", TYPES, _table())}, {"chosen": step})
    return case.selections()["chosen"]


def _error_of(subset: tuple[int, ...]) -> float:
    X, y = _numbers()
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    columns = ColumnGroups.of(standard, range(len(NAMES)), RadialKernel(None))
    estimate = XiAlphaEstimate(np.where(y, 1.0, -1.0), 2.0, 2.0, 1e-3)
    return estimate(columns.subset(subset))


def test_it_finds_the_best_of_all_subsets(tmp_path: Path) -> None:
    found = _select(tmp_path)
    every = [s for size in range(1, 8) for s in combinations(range(len(NAMES)), size)]
    best = min(every, key=lambda subset: (_error_of(subset), len(subset)))
    assert found.kept == tuple(NAMES[i] for i in best) == ("x1", "x4")
    last = [t for t in found.trace if t.accepted][-1]
    assert set(last.kept) == {"x1", "x4"}
    assert last.value == pytest.approx(_error_of(best), abs=2 / N)


def test_generations_get_better_and_no_subset_is_tried_twice(tmp_path: Path) -> None:
    trace = _select(tmp_path).trace
    assert trace[0].kept == tuple(NAMES)
    accepted = [(t.value, len(t.kept)) for t in trace if t.accepted]
    assert accepted == sorted(accepted, reverse=True)
    assert len(accepted) > 1
    assert [t.level for t in trace] == sorted(t.level for t in trace)
    assert trace[-1].level <= 8
    subsets = [t.kept for t in trace]
    assert len(set(subsets)) == len(subsets)
    assert () not in subsets


def test_the_seed_decides(tmp_path: Path) -> None:
    first, again, other = (
        _select(tmp_path / name, seed=seed) for name, seed in (("a", -5), ("b", -5), ("c", 6))
    )
    assert first == again
    assert [t.kept for t in first.trace] != [t.kept for t in other.trace]


def test_scores_are_the_least_errors_with_the_feature(tmp_path: Path) -> None:
    found = _select(tmp_path)
    for name in NAMES:
        assert found.scores[name] == min(t.value for t in found.trace if name in t.kept)
    assert found.scores["x1"] == found.scores["x4"] == min(found.scores.values())


def test_a_nominal_attribute_is_bred_as_one(tmp_path: Path) -> None:
    found = _select(tmp_path, attributes=["x1", "x4", "kind"], population=12, generations=8)
    errors = {t.kept: t.value for t in found.trace}
    assert set(errors) <= {s for n in (1, 2, 3) for s in combinations(["x1", "x4", "kind"], n)}
    assert len(errors) >= 6
    assert found.kept == min(errors, key=lambda kept: (errors[kept], len(kept)))


@pytest.mark.parametrize("mutation", [0.0, 1.0])
def test_without_chance_nothing_new_is_bred(tmp_path: Path, mutation: float) -> None:
    """Without crossing, children are copies of their parents, or exactly the opposite."""
    found = _select(tmp_path, crossover=0, mutation=mutation, population=5, generations=4)
    first = {t.kept for t in found.trace if t.level == 0}
    opposite = {tuple(n for n in NAMES if n not in kept) for kept in first}
    bred = {t.kept for t in found.trace if t.level > 0}
    if mutation == 0:
        assert not bred
    else:
        assert bred
        # the opposite of all is none, which is given one by chance, and that has an opposite
        assert {kept for kept in bred if 1 < len(kept) < len(NAMES) - 1} <= first | opposite


def test_repeats_are_dropped_before_breeding(tmp_path: Path) -> None:
    found = _select(tmp_path, "SGFeatureSelection", attributes=[*NAMES, "kind"])
    assert found.kept == ("x1", "x4")
    assert set(found.dropped) == {"x0", "x2", "x3", "x5", "x6", "kind"}
    compared = {t.changed: t for t in found.trace[:7]}
    assert not compared["x6"].accepted
    assert compared["x6"].value == pytest.approx(1)
    bred = found.trace[7:]
    assert bred[0].kept == ("x0", "x1", "x2", "x3", "x4", "x5", "kind")
    assert found.reason.startswith("1 correlated by more than 0.9")
    alone = _select(tmp_path / "alone", attributes=[*NAMES[:6], "kind"])
    assert bred == alone.trace
    assert found.scores == alone.scores


def test_what_is_borne_is_bred(tmp_path: Path) -> None:
    found = _select(tmp_path, "SGFeatureSelection", threshold=1, population=4, generations=1)
    assert found.trace[7].kept == tuple(NAMES)
