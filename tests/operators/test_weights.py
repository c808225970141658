"""Weights of classes and rows in cases, against scikit-learn on rows encoded by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from support.small_case import Columns, Rows, frame, load, rows, run

import miningflow
from miningflow.errors import MiningFlowError, ResolveError, RunError
from miningflow.project import LoadedCase

N = 600
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "w": "numeric",
    "label": "binary",
    "kind": "nominal",
    "size": "numeric",
}
RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(N, 2))
SIGNAL = X[:, 0] + 0.5 * X[:, 1] + RANDOM.normal(0, 0.7, N)
W = np.where(np.arange(N) % 9 == 4, 0.0, RANDOM.uniform(0.1, 4, N))
TABLE: Columns = {
    "id": list(range(N)),
    "x": X[:, 0].tolist(),
    "y": X[:, 1].tolist(),
    "w": W.tolist(),
    "label": ["yes" if v > 1.4 else "no" for v in SIGNAL],
    "kind": [["a", "b", "c"][i] for i in np.digitize(SIGNAL, [0.2, 1.6])],
    "size": (3 * SIGNAL).tolist(),
}
MACHINE: dict[str, Any] = {
    "operator": "SupportVectorMachineForClassification",
    "input": "T",
    "target": "label",
    "positive": "yes",
    "predictors": ["x", "y"],
    "kernel": "linear",
    "epsilon": 1e-5,
    "output": "risk",
}
MANY = {key: value for key, value in MACHINE.items() if key != "positive"} | {"target": "kind"}
REGRESSION: dict[str, Any] = {
    "operator": "SupportVectorMachineForRegression",
    "input": "T",
    "target": "size",
    "predictors": ["x", "y"],
    "kernel": "radial",
    "gamma": 0.5,
    "output": "guess",
}
TREE: dict[str, Any] = {
    "operator": "PredictionWithDecisionTree",
    "input": "T",
    "target": "label",
    "predictors": ["x", "y"],
    "pruning": 0.0,
    "output": "told",
}
BOTH = {"class_weight": "balanced", "sample_weight": "w"}


def _given(**changed: list[Any]) -> dict[str, Rows]:
    return {"T": rows("id", TYPES, {**TABLE, **changed})}


def _standard(learned: Any) -> Any:
    return (X - X[learned].mean(axis=0)) / X[learned].std(axis=0)


USED = W > 0
LABEL = np.array(TABLE["label"])
KIND = np.array(TABLE["kind"])


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "linear": {**MACHINE, **BOTH},
        "by_map": {**MACHINE, "class_weight": {"yes": 6, "no": 0.5}},
        "radial": {**MACHINE, "kernel": "radial", "gamma": 0.5, **BOTH},
        "squared": {**MACHINE, "loss": "squared_hinge", **BOTH},
        "many": {**MANY, "loss": "squared_hinge", **BOTH, "classes": ["a", "b", "c"]},
        "pairs": {**MANY, "kernel": "radial", "gamma": 0.5, "class_weight": "balanced"},
        "number": {**REGRESSION, "sample_weight": "w"},
        "tree": {**TREE, **BOTH},
        "rules": {**TREE, "operator": "PredictionWithDecisionRules", "class_weight": "balanced"},
        "plain": MACHINE,
    }
    return run(tmp_path_factory.mktemp("weights"), _given(), steps)


def _near(case: LoadedCase, step: str, name: str, wanted: Any) -> None:
    found = frame(case, step)[name].to_numpy()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-4 * np.abs(wanted).max())


@pytest.mark.parametrize(("step", "kernel"), [("linear", "linear"), ("radial", "rbf")])
def test_a_machine_is_that_of_svc(ran: LoadedCase, step: str, kernel: Any) -> None:
    Z = _standard(USED)
    twin = SVC(kernel=kernel, gamma=0.5, class_weight="balanced", tol=1e-5)
    twin.fit(Z[USED], LABEL[USED], W[USED])
    _near(ran, step, "risk", twin.decision_function(Z))
    labels = frame(ran, step)["risk_label"]
    assert np.mean(labels == twin.predict(Z)) > 0.999
    assert np.mean(labels[LABEL == "yes"] == "yes") > 1.2 * np.mean(
        frame(ran, "plain")["risk_label"][LABEL == "yes"] == "yes"
    )


def test_weights_of_a_map_multiply_c(ran: LoadedCase) -> None:
    Z = _standard(np.full(N, True))
    twin = SVC(kernel="linear", class_weight={"yes": 6, "no": 0.5}, tol=1e-5).fit(Z, LABEL)
    _near(ran, "by_map", "risk", twin.decision_function(Z))


def test_a_squared_hinge_is_that_of_linear_svc(ran: LoadedCase) -> None:
    Z = _standard(USED)
    # as SVC and the trees do, and not as LinearSVC, weights of rows do not count in balanced ones
    balanced = compute_class_weight("balanced", classes=np.array(["no", "yes"]), y=LABEL[USED])
    weights = dict(zip(["no", "yes"], balanced, strict=True))
    twin = LinearSVC(class_weight=weights, tol=1e-9, max_iter=100_000)
    twin.fit(Z[USED], LABEL[USED], W[USED])
    _near(ran, "squared", "risk", twin.decision_function(Z))


def test_each_class_against_the_rest_has_the_weights_of_the_rows(ran: LoadedCase) -> None:
    Z = _standard(USED)
    heavy = W[USED] * compute_sample_weight("balanced", KIND[USED])
    twin = LinearSVC(tol=1e-9, max_iter=100_000).fit(Z[USED], KIND[USED], heavy)
    wanted = twin.decision_function(Z)
    for i, name in enumerate("abc"):
        _near(ran, "many", f"risk_{name}", wanted[:, i])


def test_pairs_of_classes_are_those_of_svc(ran: LoadedCase) -> None:
    Z = _standard(np.full(N, True))
    twin = SVC(gamma=0.5, class_weight="balanced", tol=1e-5).fit(Z, KIND)
    assert np.mean(frame(ran, "pairs")["risk_label"] == twin.predict(Z)) > 0.998


def test_a_regression_is_that_of_svr(ran: LoadedCase) -> None:
    Z = _standard(USED)
    twin = SVR(gamma=0.5).fit(Z[USED], 3 * SIGNAL[USED], W[USED])
    _near(ran, "number", "guess", twin.predict(Z))


def test_a_tree_is_that_of_scikit_learn(ran: LoadedCase) -> None:
    twin = DecisionTreeClassifier(
        max_depth=10, min_samples_leaf=5, class_weight="balanced", random_state=0
    )
    twin.fit(X[USED], LABEL[USED], W[USED])
    assert frame(ran, "tree")["told"].tolist() == twin.predict(X).tolist()


def test_rules_find_more_of_a_heavier_class(ran: LoadedCase) -> None:
    told = frame(ran, "rules")["told"]
    assert np.mean(told[LABEL == "yes"] == "yes") > 0.75


def test_explain_shows_the_weights(ran: LoadedCase) -> None:
    steps = ("linear", "tree", "by_map", "plain")
    shown = {step: ran.explain(step).topics for step in steps}
    counts = {name: int(np.sum(LABEL[USED] == name)) for name in ("no", "yes")}
    parts = [f"{name!r} {USED.sum() / (2 * n):.4g}" for name, n in counts.items()]
    for step in ("linear", "tree"):
        found = shown[step]["weights"]
        assert all(part in found for part in parts), found
        assert found.endswith("(balanced); each row by 'w'")
    assert shown["by_map"]["weights"] == "classes: 'no' 0.5, 'yes' 6"
    assert "weights" not in shown["plain"]


def test_rows_of_weight_0_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    some = {
        name: [v for v, u in zip(values, USED, strict=True) if u] for name, values in TABLE.items()
    }
    steps = {"scored": {**MACHINE, **BOTH}, "told": {**TREE, **BOTH, "output": "tree"}}
    whole = run(tmp_path / "whole", _given(), steps)
    part = run(tmp_path / "part", {"T": rows("id", TYPES, some)}, steps)
    for step, name in (("scored", "risk"), ("told", "tree")):
        pd.testing.assert_series_equal(
            frame(whole, step)[name][USED].reset_index(drop=True), frame(part, step)[name]
        )


DATABASE: dict[str, dict[str, Any]] = {
    "hinge": {**MACHINE, **BOTH},
    "squared": {**MACHINE, **BOTH, "loss": "squared_hinge"},
    "kernel": {**MACHINE, **BOTH, "kernel": "radial", "gamma": 0.5, "C": 4},
    "number": {**REGRESSION, "kernel": "linear", "sample_weight": "w"},
    "tube": {**REGRESSION, "sample_weight": "w"},
}


@pytest.fixture(
    params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.slow)],
)
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    """Returns how a connection names a store."""
    if request.param == "duckdb":
        return {"store": "duckdb:///store.duckdb"}
    if request.param == "postgres":
        return {"store": request.getfixturevalue("database").url}
    master = request.getfixturevalue("warehouse").master
    return {"store": master, "repository": "sqlite:///repository.db"}


def test_the_database_learns_what_memory_learns(store: dict[str, str], tmp_path: Path) -> None:
    steps: dict[str, Any] = {}
    for name, step in DATABASE.items():
        steps[name] = {**step, "use_db_svm": "never"}
        steps[f"{name}_db"] = {**step, "use_db_svm": "always"}
    load(tmp_path, _given(), steps)
    path = tmp_path / "case.yml"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["connect"] |= store
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    case = miningflow.load(path, path)
    report = case.run()
    notes = {stage.name: " / ".join(stage.notes) for stage in report.stages}
    for name in DATABASE:
        output = DATABASE[name]["output"]
        one, other = (frame(case, step)[output].to_numpy() for step in (name, f"{name}_db"))
        np.testing.assert_allclose(one, other, rtol=0, atol=0.02 * np.abs(one).max(), err_msg=name)
        said = notes[f"{name}_db"]
        assert "rows have the weight 0 and are not learned from" in said
        assert f"from {USED.sum()} rows, in the database" in said
        assert float(said.rsplit("duality gap ", 1)[1]) <= (
            1e-3 if name in ("kernel", "tube") else 1e-6
        )


def test_probabilities_are_those_of_the_rows_whatever_classes_weigh(tmp_path: Path) -> None:
    steps = {
        "scored": {**MACHINE, "class_weight": "balanced", "probability": "p"},
        "many": {
            **MANY,
            "class_weight": "balanced",
            "probability": "p",
            "classes": ["a", "b", "c"],
        },
        "told": {**TREE, "class_weight": "balanced", "probability": "p", "positive": "yes"},
        "ruled": {
            **TREE,
            "operator": "PredictionWithDecisionRules",
            "class_weight": {"yes": 9, "no": 1},
            "probability": "p",
            "positive": "yes",
        },
        "heavy": {**MACHINE, "sample_weight": "w", "probability": "p"},
    }
    case = run(tmp_path, _given(), steps)
    rate = np.mean(LABEL == "yes")
    assert rate < 0.2
    for step in ("scored", "told", "ruled"):
        assert frame(case, step)["p"].mean() == pytest.approx(rate, abs=0.015), step
    many = frame(case, "many")
    for name in "abc":
        assert many[f"p_{name}"].mean() == pytest.approx(np.mean(name == KIND), abs=0.04)
    heavy = np.average(frame(case, "heavy")["p"], weights=W)
    assert heavy == pytest.approx(np.average(LABEL == "yes", weights=W), abs=0.015)


def test_a_weight_that_was_deselected_counts_as_not_given(tmp_path: Path) -> None:
    dropped = {
        "operator": "FeatureSelectionByAttributes",
        "input": "T",
        "attributes": ["x", "w"],
        "drop": ["w"],
    }
    steps = {
        "fewer": dropped,
        "scored": {**MACHINE, "input": "fewer", "sample_weight": "w"},
        "plain": MACHINE,
    }
    case = run(tmp_path, _given(), steps)
    pd.testing.assert_series_equal(frame(case, "scored")["risk"], frame(case, "plain")["risk"])


def test_new_rows_need_no_weight(tmp_path: Path) -> None:
    case = run(tmp_path, _given(), {"scored": {**MACHINE, **BOTH}})
    new = tmp_path / "new.csv"
    new.write_text("id,x,y\n1,0.5,0.25\n", encoding="utf-8")
    scored = case.score({"T": new})
    assert scored.num_rows == 1


def test_a_step_without_weights_keeps_its_fingerprint(tmp_path: Path) -> None:
    case = load(tmp_path, _given(), {"plain": MACHINE, "heavy": {**MACHINE, **BOTH}, "tree": TREE})
    given = {name: set(step.given) for name, step in case.bound.steps.items()}
    assert given["heavy"] - given["plain"] == {"class_weight", "sample_weight"}
    assert not given["tree"] & {"class_weight", "sample_weight"}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({**MACHINE, "class_weight": "balancd"}, "cannot be 'balancd'\n.*\n.*\n.*'balanced'"),
        ({**MACHINE, "class_weight": {"yes": 0, "no": 1}}, "must be at least 1e-09, got 0"),
        ({**MACHINE, "class_weight": {"yes": -2, "no": 1}}, "must be at least 1e-09, got -2"),
        ({**MACHINE, "class_weight": {"yes": "nan", "no": 1}}, "takes a finite number"),
        ({**MACHINE, "class_weight": {"yes": 5}}, "has no weight for a class besides 'yes'"),
        ({**MACHINE, "class_weight": [5, 1]}, "takes `balanced`, or a map of all classes"),
        (
            {**MACHINE, "class_weight": {"yess": 5, "no": 1}},
            "there is no weight for the class 'yes'",
        ),
        (
            {**MACHINE, "class_weight": {"yes": 5, "no": 1, "o": 2}},
            "there are weights for 3 classes",
        ),
        ({**MANY, "classes": ["a", "b", "c"], "class_weight": {"a": 1, "b": 2}}, "the class 'c'"),
        (
            {**MACHINE, "predictors": ["x", "w"], "sample_weight": "w"},
            "'w' is among the predictors",
        ),
        ({**REGRESSION, "sample_weight": "size"}, "the weight 'size' is the target"),
        ({**MACHINE, "sample_weight": "kind"}, "feature 'kind' is nominal"),
        ({**TREE, "target": "size", "class_weight": "balanced"}, "a numeric target has no classes"),
        ({**REGRESSION, "class_weight": "balanced"}, "has no parameter 'class_weight'"),
    ],
)
def test_weights_that_cannot_be_are_refused_in_their_place(
    tmp_path: Path, step: dict[str, Any], message: str
) -> None:
    with pytest.raises(ResolveError, match=message) as raised:
        load(tmp_path, _given(), {"step": step})
    line = raised.value.diagnostics[0].place
    assert line is not None
    assert line.line > 1


@pytest.mark.parametrize(
    ("step", "changed", "message"),
    [
        (
            {**MANY, "class_weight": {"a": 1, "b": 2, "d": 3}},
            {},
            "weight for 'd', which 'kind' never",
        ),
        (
            {**TREE, "class_weight": {"yes": 5, "noo": 1}},
            {},
            "'noo', which 'label' never is\n.*\n.*\n.*did you mean 'no'",
        ),
        ({**MANY, "class_weight": {"a": 1, "b": 2}}, {}, "no weight for 'c', a value of 'kind'"),
        ({**TREE, "class_weight": "balanced"}, {"label": ["no"] * N}, "need two classes"),
        ({**MACHINE, "class_weight": "balanced"}, {"label": ["yes"] * N}, "two classes are needed"),
        (
            {**MACHINE, "sample_weight": "w"},
            {"w": [None, *TABLE["w"][1:]]},
            "'w' is NULL in 1 of 600",
        ),
        (
            {**MACHINE, "sample_weight": "w"},
            {"w": [-1.0, -2.0, *TABLE["w"][2:]]},
            "negative in 2 of 600",
        ),
        (
            {**TREE, "sample_weight": "w"},
            {"w": [float("nan"), *TABLE["w"][1:]]},
            "'w' is NaN or above 1e.09 in 1 of",
        ),
        (
            {**REGRESSION, "sample_weight": "w"},
            {"w": [float("inf"), *TABLE["w"][1:]]},
            "in 1 of 600",
        ),
        (
            {**REGRESSION, "sample_weight": "w"},
            {"w": [0.0] * N},
            "'w' is 0 in all 600 training rows",
        ),
    ],
)
def test_weights_that_do_not_fit_the_rows_are_refused(
    tmp_path: Path, step: dict[str, Any], changed: dict[str, list[Any]], message: str
) -> None:
    case = load(tmp_path, _given(**changed), {"step": step})
    with pytest.raises(RunError, match=message) as raised:
        case.run()
    place = raised.value.diagnostics[0].place
    assert place is not None
    assert place.text.strip().startswith(('"class_weight"', '"sample_weight"', '"a"', '"step"'))


def test_a_machine_for_one_class_takes_no_weights(tmp_path: Path) -> None:
    step = {
        "operator": "SupportVectorMachineForOneClass",
        "input": "T",
        "predictors": ["x", "y"],
        "class_weight": "balanced",
        "output": "usual",
    }
    with pytest.raises(MiningFlowError, match="has no parameter 'class_weight'"):
        load(tmp_path, _given(), {"step": step})


def test_a_search_for_features_judges_by_weighted_errors(tmp_path: Path) -> None:
    step = {
        "operator": "FeatureSelectionWithSVM",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "attributes": ["x", "y", "w"],
        "direction": "forward",
    }
    steps = {"plain": step, "heavy": {**step, "class_weight": {"yes": 8, "no": 1}}}
    case = load(tmp_path, _given(), steps)
    notes = {stage.name: stage.notes for stage in case.run().stages}
    assert "classes: 'no' 1, 'yes' 8" in notes["heavy"]
    first = next(note for note in notes["heavy"] if "forward search" in note)
    rate = np.mean(LABEL == "yes")  # of the 500 rows that are drawn, about
    assert float(first.split("error ")[1].split(" ")[0]) == pytest.approx(
        min(8 * rate, 1 - rate) / (1 + 7 * rate), abs=0.05
    )
    inside = {**step, "class_weight": "balanced", "use_db_svm": "always"}
    with pytest.raises(ResolveError, match="inside the database does not support class_weight"):
        load(tmp_path / "inside", _given(), {"step": inside})
