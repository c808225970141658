"""Support vector machines in SQL against scikit-learn on data encoded by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.svm import SVC, SVR
from support.small_case import Columns, Rows, column, key_hash, load, rows, run

from miningflow.errors import RunError
from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.project import LoadedCase

N = 90
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "two": "binary",
    "three": "nominal",
    "label": "binary",
    "number": "numeric",
}
PREDICTORS = ["x", "y", "two", "three"]


def _table() -> Columns:
    random = np.random.default_rng(8)
    x, y = random.normal(50, 10, N), random.normal(-1, 1e-3, N)
    two, three = random.choice(["m", "n"], N), random.choice(["r", "s", "t's"], N)
    error = random.normal(size=N)
    signal = (x - 50) / 10 + (y + 1) * 1e3 + (two == "n") - 2 * (three == "s")
    table: Columns = {
        "id": list(range(1, N + 1)),
        "x": [float(v) for v in x],
        "y": [float(v) for v in y],
        "two": [str(v) for v in two],
        "three": [str(v) for v in three],
        "label": ["yes" if v > 0 else "no" for v in signal + error],
        "number": [float(v) for v in 100 * signal + random.normal(0, 20, N)],
    }
    for i, name in enumerate(TYPES):
        if name != "id":
            table[name][3 * i] = None
    return table


TABLE = _table()
SCIKIT_LEARN = {"radial": "rbf", "polynomial": "poly", "dot": "linear", "neural": "sigmoid"}
FLAT = ("radial", "sigmoid", "neural")
# At scoring: as learned, a third value of a two-valued predictor, a new value, and NULL in each.
NEW: Columns = {
    "id": [501, 502, 503, 504, 505, 506, 507, 508],
    "x": [55.0, 55.0, 55.0, None, 55.0, 55.0, 55.0, 1e6],
    "y": [-1.0, -1.0, -1.0, -1.0, None, -1.0, -1.0, -1.0],
    "two": ["n", "new", "n", "n", "n", None, "n", "m"],
    "three": ["s", "s", "new", "s", "s", "s", None, "r"],
    "label": [None] * 8,
    "number": [None] * 8,
}
UNKNOWN = [502, 504, 505, 506, 507]


def _rows(table: Columns) -> Rows:
    return rows("id", TYPES, table)


def _classify(kernel: str, positive: str, **more: Any) -> dict[str, Any]:
    return {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "positive": positive,
        "predictors": PREDICTORS,
        "kernel": kernel,
        "output": "risk",
        **more,
    }


def _regress(kernel: str, **more: Any) -> dict[str, Any]:
    return {
        "operator": "SupportVectorMachineForRegression",
        "input": "T",
        "target": "number",
        "predictors": PREDICTORS,
        "kernel": kernel,
        "output": "guess",
        **more,
    }


CLASSIFIERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "linear_yes": ("linear", "yes", {}),
    "linear_no": ("linear", "no", {"C": 0.3}),
    "radial_yes": ("radial", "yes", {"C": 3}),
    "radial_no": ("radial", "no", {"gamma": 0.05}),
    "polynomial_yes": ("polynomial", "yes", {"degree": 2}),
    "polynomial_no": ("polynomial", "no", {"degree": 5, "constant": 0.5, "gamma": 0.1}),
    "sigmoid_yes": ("sigmoid", "yes", {"gamma": 0.05}),
    "sigmoid_no": ("sigmoid", "no", {"gamma": 0.02, "constant": -0.5}),
    "dot_yes": ("dot", "yes", {}),
    "neural_no": ("neural", "no", {"gamma": 0.05}),
}
REGRESSIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("linear", {"C": 50, "epsilon": 5}),
    "radial": ("radial", {"C": 200, "epsilon": 10}),
    "polynomial": ("polynomial", {"C": 20, "epsilon": 10, "degree": 2}),
    "sigmoid": ("sigmoid", {"C": 20, "epsilon": 10, "gamma": 0.01}),
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {name: _classify(k, p, **more) for name, (k, p, more) in CLASSIFIERS.items()}
    steps |= {f"number_{name}": _regress(k, **more) for name, (k, more) in REGRESSIONS.items()}
    return run(tmp_path_factory.mktemp("svm"), {"T": _rows(TABLE)}, steps)


@dataclass(frozen=True)
class Encoded:
    """Rows encoded by hand: numbers standardised, categories as standardised indicators."""

    known: Mask
    learned: Matrix
    order: Indices
    all: Matrix


def _encode(target: str, table: Columns) -> Encoded:
    """Learns the encoding from TABLE and applies it to a table."""
    needed = [*PREDICTORS, target]
    complete = [i for i in range(N) if all(TABLE[name][i] is not None for name in needed)]
    order = np.array(sorted(complete, key=lambda i: key_hash(TABLE["id"][i], 0)))
    both = [_columns(TABLE), _columns(table)]
    mean, deviation = both[0][order].mean(axis=0), both[0][order].std(axis=0)
    learned, applied = ((matrix - mean) / deviation for matrix in both)
    return Encoded(~np.isnan(applied).any(axis=1), learned[order], order, applied)


def _columns(table: Columns) -> Matrix:
    def numbers(values: list[Any]) -> list[float]:
        return [np.nan if v is None else float(v) for v in values]

    two = [{"m": 0.0, "n": 1.0}.get(v, np.nan) for v in table["two"]]
    three = [
        [np.nan if v is None else float(v == category) for v in table["three"]]
        for category in ("r", "s", "t's")
    ]
    return np.array([numbers(table["x"]), numbers(table["y"]), two, *three]).T


def _classifier(kernel: str, positive: str, more: dict[str, Any], encoded: Encoded) -> SVC:
    labels = np.array([TABLE["label"][i] == positive for i in encoded.order])
    return SVC(C=more.get("C", 1), **_options(kernel, more)).fit(encoded.learned, labels)


def _options(kernel: str, more: dict[str, Any]) -> dict[str, Any]:
    return {
        "kernel": SCIKIT_LEARN.get(kernel, kernel),
        "gamma": more.get("gamma", "scale"),
        "degree": more.get("degree", 3),
        "coef0": more.get("constant", 1.0 if kernel == "polynomial" else 0.0),
    }


def _expected(decide: Any, encoded: Encoded) -> list[float | None]:
    values = decide(encoded.all[encoded.known])
    found: list[float | None] = [None] * len(encoded.all)
    for i, value in zip(np.flatnonzero(encoded.known), values, strict=True):
        found[i] = float(value)
    return found


def _close(found: list[float | None], expected: list[float | None], scale: float = 1.0) -> None:
    assert [v is None for v in found] == [v is None for v in expected]
    known, right = (np.array([v for v in values if v is not None]) for values in (found, expected))
    np.testing.assert_allclose(known, right, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("step", CLASSIFIERS)
def test_decisions_and_labels_are_those_of_scikit_learn(case: LoadedCase, step: str) -> None:
    kernel, positive, more = CLASSIFIERS[step]
    encoded = _encode("label", TABLE)
    assert 0 < (~encoded.known).sum() < 10
    machine = _classifier(kernel, positive, more, encoded)
    expected = _expected(machine.decision_function, encoded)
    _close(column(case, step, "risk"), expected)
    negative = {"yes": "no", "no": "yes"}[positive]
    labels = [None if v is None else positive if v > 0 else negative for v in expected]
    assert column(case, step, "risk_label") == labels
    assert {positive, negative} <= set(labels)


@pytest.mark.parametrize("step", CLASSIFIERS)
def test_new_rows_are_decided_or_unknown(case: LoadedCase, step: str) -> None:
    kernel, positive, more = CLASSIFIERS[step]
    machine = _classifier(kernel, positive, more, _encode("label", TABLE))
    encoded = _encode("label", NEW)
    expected = _expected(machine.decision_function, encoded)
    assert [i for i, v in zip(NEW["id"], expected, strict=True) if v is None] == UNKNOWN
    scored = case.score({"T": _rows(NEW).table}, step=step).sort_by("id")
    # The outlier is 1e5 deviations away: decisions that grow have that many digits less.
    degree = more.get("degree", 3) if kernel == "polynomial" else 1
    _close(scored["risk"].to_pylist(), expected, scale=1 if kernel in FLAT else 1e5**degree)
    assert [v is None for v in scored["risk_label"].to_pylist()] == [v is None for v in expected]


@pytest.mark.parametrize("step", REGRESSIONS)
def test_predicted_numbers_are_those_of_scikit_learn(case: LoadedCase, step: str) -> None:
    kernel, more = REGRESSIONS[step]
    encoded = _encode("number", TABLE)
    machine = SVR(C=more["C"], epsilon=more["epsilon"], **_options(kernel, more))
    machine.fit(encoded.learned, np.array([TABLE["number"][i] for i in encoded.order]))
    _close(column(case, f"number_{step}", "guess"), _expected(machine.predict, encoded), scale=1e3)
    new = _encode("number", NEW)
    scored = case.score({"T": _rows(NEW).table}, step=f"number_{step}").sort_by("id")
    scale = 1e3 if kernel in FLAT else 1e3 * 1e5 ** (2 if kernel == "polynomial" else 1)
    _close(scored["guess"].to_pylist(), _expected(machine.predict, new), scale=scale)


def test_a_value_too_large_for_a_double_gets_no_class(case: LoadedCase) -> None:
    table = _rows({name: values[:1] for name, values in NEW.items()}).table
    huge = table.set_column(1, "x", pa.array([float("inf")]))
    scored = case.score({"T": huge}, step="linear_yes")
    assert scored["risk_label"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["no"] * N, "the positive value 'yes' of 'label' never occurs"),
        (["yes"] * N, "all training rows have 'label' = 'yes'"),
        (["yes", "no", "maybe"] * (N // 3), "'label' has 3 classes; two are needed"),
    ],
)
def test_two_classes_are_needed(labels: list[str], message: str, tmp_path: Path) -> None:
    table = _rows({**TABLE, "label": labels})
    case = load(tmp_path, {"T": table}, {"risk": {**_classify("linear", "yes"), "output": "r"}})
    with pytest.raises(RunError, match=message):
        case.run()


def test_without_support_vectors_the_decision_is_constant(tmp_path: Path) -> None:
    table = _rows({**TABLE, "x": [None, *[1.0] * (N - 1)], "label": ["no", "yes"] * (N // 2)})
    steps = {
        "classes": _classify("radial", "yes", predictors=["x"]),
        "numbers": _regress("radial", predictors=["x"], epsilon=1e6),
    }
    case = run(tmp_path, {"T": table}, steps)
    decisions, guesses = column(case, "classes", "risk"), column(case, "numbers", "guess")
    assert decisions[0] is guesses[0] is None
    assert len(set(decisions[1:])) == 1
    (guess,) = set(guesses[1:])
    known = [v for v in TABLE["number"][1:] if v is not None]
    assert guess == pytest.approx((min(known) + max(known)) / 2)
