"""A run that finds SQL and model apart warns, or fails and publishes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from support.small_case import Columns, column, load, rows, run

from miningflow.catalog import installed
from miningflow.declare import Expected
from miningflow.errors import RunError
from miningflow.run.events import Event

N = 60
STEP = {
    "operator": "SupportVectorMachineForClassification",
    "input": "T",
    "target": "label",
    "positive": "yes",
    "predictors": ["x"],
    "kernel": "linear",
    "output": "f",
}


def _table(shift: float = 0.0) -> Any:
    x = np.random.default_rng(0).normal(size=N) + shift
    columns: Columns = {
        "id": list(range(N)),
        "x": [float(v) for v in x],
        "label": ["yes" if v > shift else "no" for v in x],
    }
    columns["x"][5] = None
    return rows("id", {"id": "key", "x": "numeric", "label": "binary"}, columns)


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Expected], None]], None]:
    """Lets the model expect something else than it says."""

    def change(how: Callable[[Expected], None]) -> None:
        operator = installed()["SupportVectorMachineForClassification"]
        right = operator.expected

        def expected(self: Any, columns: Any, artifact: Any) -> Expected:
            found = right(self, columns, artifact)
            assert found is not None
            how(found)
            return found

        monkeypatch.setattr(operator, "expected", expected)

    return change


def test_a_label_that_differs_fails_the_run_and_keeps_what_was_there(
    tmp_path: Path, wrong: Callable[[Callable[[Expected], None]], None]
) -> None:
    case = run(tmp_path, {"T": _table()}, {"s": STEP})
    before = column(case, "s", "f")

    def flip(found: Expected) -> None:
        labels = found.values["f_label"]
        labels[7] = "no" if labels[7] == "yes" else "yes"

    wrong(flip)
    again = load(tmp_path, {"T": _table(shift=1.0)}, {"s": STEP})
    with pytest.raises(RunError, match="SQL and model disagree about 'f_label' in 1 of 60 rows"):
        again.run()
    assert column(case, "s", "f") == before


def test_null_on_one_side_only_fails_the_run(
    tmp_path: Path, wrong: Callable[[Callable[[Expected], None]], None]
) -> None:
    def claim(found: Expected) -> None:
        found.known[5] = True

    wrong(claim)
    with pytest.raises(RunError, match="the first has NULL by SQL and"):
        load(tmp_path, {"T": _table()}, {"s": STEP}).run()


def test_a_label_too_close_to_call_is_counted(
    tmp_path: Path, wrong: Callable[[Callable[[Expected], None]], None]
) -> None:
    def flip(found: Expected) -> None:
        labels = found.values["f_label"]
        labels[7] = "no" if labels[7] == "yes" else "yes"
        found.margins[7] = 1e-12

    wrong(flip)
    (parity,) = [s.parity for s in load(tmp_path, {"T": _table()}, {"s": STEP}).run().stages][1:]
    assert parity is not None and (parity.labels, parity.labels_too_close) == (N - 1, 1)
    assert "1 too close to call" in str(parity)


@pytest.mark.parametrize(("off", "warned"), [(1e-7, True), (1e-11, False)])
def test_a_difference_beyond_rounding_is_told(
    off: float, warned: bool, tmp_path: Path, wrong: Callable[[Callable[[Expected], None]], None]
) -> None:
    def shift(found: Expected) -> None:
        found.values["f"][3] += off * np.abs(found.values["f"]).max()

    wrong(shift)
    events: list[Event] = []
    case = load(tmp_path, {"T": _table()}, {"s": STEP})
    case.run(listener=events.append)
    told = [e.message for e in events if e.kind == "note" and e.message.startswith("warning: SQL")]
    assert bool(told) == warned
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        kept = connection.sql(
            "SELECT step, compared_rows, largest_difference, labels FROM miningflow.parity"
        ).fetchall()
    assert kept == [("s", N, pytest.approx(off, rel=0.5), N - 1)]
