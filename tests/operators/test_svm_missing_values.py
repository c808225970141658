"""Missing numbers filled by a support vector machine, against scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVR
from support.small_case import Columns, Rows, column, key_hash, load, rows, run

from miningflow.errors import ResolveError

N = 150
TYPES = {"id": "key", "x": "numeric", "y": "numeric", "z": "numeric"}


def _table() -> Columns:
    random = np.random.default_rng(9)
    x, y = random.normal(5, 2, N), random.normal(size=N)
    z = 3 * x - y**2 + random.normal(0, 0.2, N)
    columns: Columns = {"id": list(range(N))}
    columns |= {n: [float(v) for v in values] for n, values in (("x", x), ("y", y), ("z", z))}
    columns["z"][::6] = [None] * len(columns["z"][::6])
    columns["y"][12] = columns["y"][13] = None
    return columns


TABLE = _table()


def _rows() -> Rows:
    return rows("id", TYPES, TABLE)


def _step(**more: Any) -> dict[str, Any]:
    operator = {"operator": "MissingValuesWithRegressionSVM", "input": "T", "target": "z"}
    return {**operator, "predictors": ["x", "y"], "C": 10, "epsilon": 0.1, **more}


def _expected(kernel: str) -> list[float | None]:
    known = [i for i in range(N) if TABLE["z"][i] is not None and TABLE["y"][i] is not None]
    order = sorted(known, key=lambda i: key_hash(TABLE["id"][i], 0))
    X = np.array([TABLE["x"], TABLE["y"]], dtype=float).T
    scaled = (X - X[known].mean(axis=0)) / X[known].std(axis=0)
    target = np.array([TABLE["z"][i] for i in order])
    machine = SVR(kernel=kernel, C=10, epsilon=0.1).fit(scaled[order], target)
    found: list[float | None] = list(TABLE["z"])
    for i, value in enumerate(TABLE["z"]):
        if value is None and TABLE["y"][i] is not None:
            found[i] = float(machine.predict(scaled[i : i + 1])[0])
    return found


def _close(found: list[Any], wanted: list[Any], far: float) -> None:
    known = [i for i, v in enumerate(wanted) if v is not None]
    np.testing.assert_allclose(
        [found[i] for i in known], [wanted[i] for i in known], rtol=0, atol=far
    )


@pytest.mark.parametrize(("kernel", "theirs"), [("linear", "linear"), ("radial", "rbf")])
@pytest.mark.parametrize("output", [None, "filled"])
def test_what_is_missing_is_predicted(
    kernel: str, theirs: str, output: str | None, tmp_path: Path
) -> None:
    more = {} if output is None else {"output": output}
    case = run(tmp_path, {"T": _rows()}, {"s": _step(kernel=kernel, **more)})
    found, wanted = column(case, "s", output or "z"), _expected(theirs)
    assert [v is None for v in found] == [v is None for v in wanted]
    assert [i for i, v in enumerate(found) if v is None] == [12]
    _close(found, wanted, 1e-9)
    kept = column(case, "s", "z")
    assert (kept == TABLE["z"]) == (output is not None)


def test_imputed_predictors_leave_nothing_missing(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": _rows()}, {"s": _step(nulls="impute")})
    assert None not in column(case, "s", "z")


def test_it_learns_from_all_rows_in_the_database(tmp_path: Path) -> None:
    step = _step(kernel="linear", use_db_svm=True)
    case = run(tmp_path, {"T": _rows()}, {"s": step})
    notes = [note for stage in case.run().stages for note in stage.notes]
    assert any("in the database (use_db_svm: always" in note for note in notes)
    found, wanted = column(case, "s", "z"), _expected("linear")
    _close(found, wanted, 0.02)


def test_the_target_is_no_predictor(tmp_path: Path) -> None:
    with pytest.raises(ResolveError, match="the target 'z' is among the predictors"):
        load(tmp_path, {"T": _rows()}, {"s": _step(predictors=["x", "z"])})
