"""Numbers are cut where a class changes, with the least error."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, column, key_hash, load, rows, run

from miningflow.errors import RunError
from miningflow.project import LoadedCase

N = 400
RANDOM = np.random.default_rng(9)
TYPES = {"id": "key", "x": "numeric", "steps": "numeric", "label": "nominal"}
STEPS = RANDOM.integers(0, 9, N)
CHANCE = np.array([0.1, 0.2, 0.8, 0.7, 0.9, 0.3, 0.2, 0.6, 0.1])[STEPS]
LABEL = np.where(RANDOM.random(N) < CHANCE, "yes", "no")
TABLE: Columns = {
    "id": list(range(N)),
    "x": [None if i % 9 == 1 else float(v) for i, v in enumerate(RANDOM.normal(0, 1, N))],
    "steps": [None if i % 7 == 1 else float(v) for i, v in enumerate(STEPS)],
    "label": [None if i % 11 == 3 else str(v) for i, v in enumerate(LABEL)],
}
IMPLICIT = "ImplicitErrorBasedDiscretization"
CARDINALITY = "ErrorBasedDiscretizationGivenMinCardinality"
NUMBER = "ErrorBasedDiscretizationGivenNoOfInt"


def _step(operator: str, **more: Any) -> dict[str, Any]:
    step = {"operator": operator, "input": "T", "target": "steps", "label": "label", "output": "y"}
    return {**step, **more}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    edge = {"id": range(4), "x": [0.0] * 4, "steps": [-5.0, 1.49, 1.51, 99.0], "label": ["no"] * 4}
    concepts = {
        "T": rows("id", TYPES, TABLE),
        "Held": rows("id", TYPES, TABLE, {"share": 0.5, "seed": 3}),
        "Edge": rows("id", TYPES, edge),
    }
    steps = {
        "implicit": _step(IMPLICIT),
        "three": _step(NUMBER, intervals=3),
        "four": _step(NUMBER, intervals=4),
        "of_held": _step(NUMBER, intervals=3, input="Held"),
        "large": _step(CARDINALITY, min_cardinality=80),
        "huge": _step(CARDINALITY, min_cardinality=9999),
        "noise": _step(IMPLICIT, target="x"),
        "sample": _step(NUMBER, target="x", intervals=3, sample_size=50, seed=2),
        "at_edges": _step(IMPLICIT, input="Edge", learn_on="T"),
    }
    return run(tmp_path_factory.mktemp("error_based"), concepts, steps)


def _counts(keep: Any = lambda key: True) -> pd.DataFrame:
    frame = pd.DataFrame(TABLE).dropna(subset=["steps", "label"])
    frame = frame[[keep(key) for key in frame["id"]]]
    return pd.crosstab(frame["steps"], frame["label"])


def _parts(counts: pd.DataFrame, cuts: tuple[float, ...]) -> list[pd.Series]:
    places = np.searchsorted(cuts, counts.index, side="left")
    return [counts[places == i].sum() for i in range(len(cuts) + 1)]


def _error(counts: pd.DataFrame, cuts: tuple[float, ...]) -> int:
    return sum(int(part.sum() - part.max()) for part in _parts(counts, cuts))


def _cuts(case: LoadedCase, step: str) -> tuple[float, ...]:
    """Reads where a step cut, from the numbers on both sides of each change of category."""
    pairs = sorted(
        (x, y)
        for x, y in zip(TABLE["steps"], column(case, step, "y"), strict=True)
        if x is not None
    )
    neighbours = itertools.pairwise(pairs)
    return tuple((a + b) / 2 for (a, left), (b, right) in neighbours if left != right)


ALL = [c for n in range(9) for c in itertools.combinations(np.arange(0.5, 8, 1).tolist(), n)]


def test_no_error_is_added_and_no_cut_is_too_much(case: LoadedCase) -> None:
    counts, found = _counts(), _cuts(case, "implicit")
    best = min((_error(counts, cuts), len(cuts)) for cuts in ALL)
    assert (_error(counts, found), len(found)) == best
    assert _error(counts, found) == int((counts.sum(axis=1) - counts.max(axis=1)).sum())


@pytest.mark.parametrize(("step", "most"), [("three", 3), ("four", 4)])
def test_so_many_intervals_err_least(case: LoadedCase, step: str, most: int) -> None:
    counts, found = _counts(), _cuts(case, step)
    possible = [cuts for cuts in ALL if len(cuts) < most]
    assert (_error(counts, found), len(found)) == min((_error(counts, c), len(c)) for c in possible)
    assert _error(counts, found) > _error(counts, _cuts(case, "implicit"))


def test_intervals_of_so_many_rows_err_least(case: LoadedCase) -> None:
    counts, found = _counts(), _cuts(case, "large")
    possible = [c for c in ALL if min(part.sum() for part in _parts(counts, c)) >= 80]
    assert found in possible
    assert (_error(counts, found), len(found)) == min((_error(counts, c), len(c)) for c in possible)
    assert set(column(case, "huge", "y")) == {"all", None}


def test_held_out_rows_do_not_count(case: LoadedCase) -> None:
    counts = _counts(lambda key: key_hash(key, 3) >= "80000000")
    possible = [cuts for cuts in ALL if len(cuts) < 3]
    assert _error(counts, _cuts(case, "of_held")) == min(_error(counts, c) for c in possible)


def test_null_stays_null_and_noise_is_followed(case: LoadedCase) -> None:
    for step, name in [("three", "steps"), ("noise", "x"), ("sample", "x")]:
        found = column(case, step, "y")
        assert [y is None for y in found] == [v is None for v in TABLE[name]]
    assert len(set(column(case, "noise", "y"))) > 100
    assert len(set(column(case, "sample", "y"))) <= 4


def test_a_cut_lies_in_the_middle(case: LoadedCase) -> None:
    below, left, right, above = column(case, "at_edges", "y")
    assert below == left == "up to 1.5"
    assert right.startswith("1.5 to ")
    assert above.startswith("above ")


@pytest.mark.parametrize("operator", [IMPLICIT, CARDINALITY, NUMBER])
@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        ([1.0, 2.0], [None, None], "no training row has both 'x' and 'label'"),
        ([1.0, float("inf")], ["a", "b"], "1 value that is NaN or infinite"),
        (list(range(101)), [f"c{i}" for i in range(101)], "'label' has more than 100 classes"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    operator: str, values: list[float], labels: list[str | None], message: str, tmp_path: Path
) -> None:
    types = {"id": "key", "x": "numeric", "label": "nominal"}
    columns: Columns = {"id": list(range(len(values))), "x": values, "label": labels}
    more = {CARDINALITY: {"min_cardinality": 1}, NUMBER: {"intervals": 2}}.get(operator, {})
    case = load(
        tmp_path, {"T": rows("id", types, columns)}, {"s": _step(operator, target="x", **more)}
    )
    with pytest.raises(RunError, match=message):
        case.run()


def test_neighbouring_doubles_can_be_cut(tmp_path: Path) -> None:
    values = [1.0, float(np.nextafter(1.0, 2)), -1.7e308, 1.7e308]
    types = {"id": "key", "x": "numeric", "label": "nominal"}
    columns: Columns = {"id": [1, 2, 3, 4], "x": values, "label": ["a", "b", "b", "a"]}
    case = run(tmp_path, {"T": rows("id", types, columns)}, {"s": _step(IMPLICIT, target="x")})
    assert len(set(column(case, "s", "y"))) == 4
