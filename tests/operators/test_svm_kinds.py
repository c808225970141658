"""Many classes, one class, probabilities, missing values and smaller machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, OneClassSVM
from support.small_case import Columns, Rows, column, key_hash, load, rows, run

from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.errors import EngineError, ResolveError, RunError
from miningflow.project import LoadedCase
from miningflow.verbs.score import rows_scoring

N = 240
TYPES = {"id": "key", "x": "numeric", "y": "numeric", "kind": "nominal", "colour": "nominal"}
# in an order that is not theirs by name, with what SQL must quote
CLASSES = ["zebra", "o'k", "größe", "a b"]


def _table() -> Columns:
    random = np.random.default_rng(5)
    x, y = random.normal(10, 3, N), random.normal(0, 0.1, N)
    kind = random.choice(["p", "q", "r"], N)
    score = np.column_stack(
        [x - 10, 20 * y, -(x - 10) + (kind == "q"), 1.0 - np.abs(x - 10) + (kind == "r")]
    )
    best = (score + random.normal(0, 0.7, score.shape)).argmax(axis=1)
    return {
        "id": list(range(1, N + 1)),
        "x": [float(v) for v in x],
        "y": [float(v) for v in y],
        "kind": [str(v) for v in kind],
        "colour": [CLASSES[i] for i in best],
    }


TABLE = _table()
ORDER = sorted(range(N), key=lambda i: key_hash(TABLE["id"][i], 0))


def _rows(**changed: list[Any]) -> Rows:
    return rows("id", TYPES, {**TABLE, **changed})


def _step(**more: Any) -> dict[str, Any]:
    return {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "colour",
        "predictors": ["x", "y", "kind"],
        "output": "f",
        **more,
    }


def _matrix() -> npt.NDArray[np.float64]:
    columns = [TABLE["x"], TABLE["y"]]
    columns += [[float(v == kind) for v in TABLE["kind"]] for kind in ("p", "q", "r")]
    raw: npt.NDArray[np.float64] = np.array(columns).T
    scaled: npt.NDArray[np.float64] = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    return scaled


X = _matrix()
LABELS = np.array(TABLE["colour"])


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "pairs": _step(classes=CLASSES, probability="p"),
        "cubic": _step(kernel="polynomial", classes=sorted(CLASSES)),
        "rest": _step(kernel="linear", classes=CLASSES, probability="p"),
        "squared": _step(kernel="linear", loss="squared_hinge", C=0.1, classes=CLASSES),
        "bare": _step(kernel="sigmoid", gamma=0.05),
        "two": _step(target="two", classes=["yes", "no"], probability="p"),
        "positive": _step(target="two", positive="no", probability="p", kernel="linear"),
        "strange": {
            "operator": "SupportVectorMachineForOneClass",
            "input": "T",
            "predictors": ["x", "y", "kind"],
            "nu": 0.2,
            "output": "usualness",
            "usual": "in",
            "unusual": "out",
        },
    }
    two = ["yes" if c in CLASSES[:2] else "no" for c in TABLE["colour"]]
    table = rows("id", {**TYPES, "two": "binary"}, {**TABLE, "two": two})
    return run(tmp_path_factory.mktemp("kinds"), {"T": table}, steps)


def _per_class(case: LoadedCase, step: str, stem: str) -> npt.NDArray[np.float64]:
    return np.array([column(case, step, f"{stem}_{c}") for c in sorted(CLASSES)]).T


@pytest.mark.parametrize(
    ("step", "options"), [("pairs", {}), ("cubic", {"kernel": "poly", "coef0": 1.0})]
)
@pytest.mark.slow
def test_pairs_of_classes_vote_as_in_scikit_learn(
    case: LoadedCase, step: str, options: dict[str, Any]
) -> None:
    machine = SVC(gamma="scale", **options).fit(X[ORDER], LABELS[ORDER])
    assert list(machine.classes_) == sorted(CLASSES)
    assert column(case, step, "f_label") == list(machine.predict(X))
    decisions = machine.decision_function(X)
    np.testing.assert_allclose(_per_class(case, step, "f"), decisions, rtol=0, atol=1e-9)
    chosen = [sorted(CLASSES).index(label) for label in column(case, step, "f_label")]
    np.testing.assert_allclose(
        column(case, step, "f"), decisions[np.arange(N), chosen], rtol=0, atol=1e-9
    )


@pytest.mark.slow
def test_a_machine_without_declared_classes_gives_the_same_labels(case: LoadedCase) -> None:
    machine = SVC(kernel="sigmoid", gamma=0.05).fit(X[ORDER], LABELS[ORDER])
    assert column(case, "bare", "f_label") == list(machine.predict(X))
    assert [c for c in case.table("bare").column_names if c.startswith("f")] == ["f", "f_label"]


def test_a_linear_machine_tells_each_class_from_the_rest(case: LoadedCase) -> None:
    wanted = np.column_stack(
        [
            SVC(kernel="linear").fit(X[ORDER], LABELS[ORDER] == c).decision_function(X)
            for c in sorted(CLASSES)
        ]
    )
    np.testing.assert_allclose(_per_class(case, "rest", "f"), wanted, rtol=0, atol=1e-9)
    labels = [sorted(CLASSES)[i] for i in wanted.argmax(axis=1)]
    assert column(case, "rest", "f_label") == labels
    assert len(set(labels)) == len(CLASSES)


def test_two_classes_without_a_positive_one_mirror_each_other(case: LoadedCase) -> None:
    yes, no = column(case, "two", "f_yes"), column(case, "two", "f_no")
    assert [-v for v in yes] == no
    assert column(case, "two", "f_label") == ["yes" if v > 0 else "no" for v in yes]
    assert column(case, "two", "f") == [abs(v) for v in yes]
    p_yes, p_no = column(case, "two", "p_yes"), column(case, "two", "p_no")
    np.testing.assert_allclose(np.add(p_yes, p_no), 1.0, rtol=0, atol=1e-15)


def test_a_probability_is_a_sigmoid_learned_on_held_out_decisions(case: LoadedCase) -> None:
    labels = np.array([c not in CLASSES[:2] for c in TABLE["colour"]])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    twin = CalibratedClassifierCV(SVC(kernel="linear"), cv=folds, ensemble=False)
    wanted = twin.fit(X[ORDER], labels[ORDER]).predict_proba(X)[:, 1]
    found = np.array(column(case, "positive", "p"))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4)
    decisions = np.array(column(case, "positive", "f"))
    assert (np.diff(found[np.argsort(decisions)]) >= 0).all(), "it grows with the decision"


@pytest.mark.parametrize("step", ["pairs", "rest"])
def test_probabilities_of_classes_add_up(case: LoadedCase, step: str) -> None:
    each = _per_class(case, step, "p")
    np.testing.assert_allclose(each.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert (each > 0).all() and (each < 1).all()
    chosen = [sorted(CLASSES).index(label) for label in column(case, step, "f_label")]
    assert column(case, step, "p") == [each[i, c] for i, c in enumerate(chosen)]
    right = [each[i, sorted(CLASSES).index(label)] for i, label in enumerate(LABELS)]
    assert np.mean(right) > 0.4, "four classes by luck would be a quarter"


def test_one_class_is_told_from_what_is_unusual(case: LoadedCase) -> None:
    machine = OneClassSVM(nu=0.2, gamma="scale").fit(X[ORDER])
    wanted = machine.decision_function(X)
    found = column(case, "strange", "usualness")
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)
    labels = column(case, "strange", "usualness_label")
    assert labels == ["in" if v > 0 else "out" for v in wanted]
    assert labels.count("out") == pytest.approx(0.2 * N, abs=12)


def test_every_run_compares_sql_with_the_model(case: LoadedCase) -> None:
    report = case.run()
    parity = {s.name: s.parity for s in report.stages if s.parity is not None}
    assert set(parity) == {s.name for s in report.stages} - {"T"}
    for name, found in parity.items():
        assert found.compared_rows == N and found.labels == N, name
        assert 0 <= found.largest_difference < 1e-11, name


HOLES = {
    "x": [None if i % 7 == 0 else v for i, v in enumerate(TABLE["x"])],
    "kind": [None if i % 11 == 0 else v for i, v in enumerate(TABLE["kind"])],
}
NEW: Columns = {
    "id": [1, 2, 3, 4, 5],
    "x": [9.0, None, 9.0, float("nan"), float("inf")],
    "y": [0.0] * 5,
    "kind": ["q", "q", None, "q", "q"],
    "colour": [None] * 5,
}


def _new_rows() -> pa.Table:
    return rows("id", TYPES, NEW).table


KERNELS = ["linear", "radial", "polynomial", "sigmoid"]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {k: _step(kernel=k, probability="p", sample_size=100) for k in KERNELS}
    return run(tmp_path_factory.mktemp("kernels"), {"T": _rows()}, steps)


@pytest.mark.parametrize("kernel", KERNELS)
def test_null_nan_and_infinity_give_no_class(kernels: LoadedCase, kernel: str) -> None:
    scored = kernels.score({"T": _new_rows()}, step=kernel).sort_by("id")
    for name in ("f", "f_label", "p"):
        values = scored[name].to_pylist()
        assert values[0] is not None
        assert values[1:] == [None] * 4, name


def _filled() -> Columns:
    """Fills the holes by hand: the mean of the known, and the most frequent category."""
    known = [v for v in HOLES["x"] if v is not None]
    kinds = [v for v in HOLES["kind"] if v is not None]
    mean, mode = sum(known) / len(known), max(sorted(set(kinds)), key=kinds.count)
    return {
        "x": [mean if v is None else v for v in HOLES["x"]],
        "kind": [mode if v is None else v for v in HOLES["kind"]],
    }


@pytest.fixture(scope="module")
def imputing(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {k: _step(kernel=k, nulls="impute") for k in ("linear", "radial")}
    return run(tmp_path_factory.mktemp("imputing"), {"T": _rows(**HOLES)}, steps)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    """The machines of `imputing`, over rows that were filled before."""
    steps = {k: _step(kernel=k) for k in ("linear", "radial")}
    return run(tmp_path_factory.mktemp("twin"), {"T": _rows(**_filled())}, steps)


@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_imputing_takes_means_and_the_most_frequent_category(
    imputing: LoadedCase, twin: LoadedCase, kernel: str
) -> None:
    assert None not in column(imputing, kernel, "f_label")
    np.testing.assert_allclose(
        column(imputing, kernel, "f"), column(twin, kernel, "f"), rtol=0, atol=1e-9
    )
    scored = imputing.score({"T": _new_rows()}, step=kernel).sort_by("id")["f"].to_pylist()
    assert [v is None for v in scored] == [False, False, False, True, True]
    mean, mode = _filled()["x"][0], _filled()["kind"][0]  # row 0 has holes in both
    same = rows(
        "id", TYPES, {**NEW, "x": [9.0, mean, 9.0, 1.0, 1.0], "kind": ["q"] * 2 + [mode] * 3}
    )
    wanted = twin.score({"T": same.table}, step=kernel).sort_by("id")["f"].to_pylist()
    np.testing.assert_allclose(scored[:3], wanted[:3], rtol=0, atol=1e-9)


def test_an_error_was_asked_for(tmp_path: Path) -> None:
    step = _step(nulls="error")
    with pytest.raises(RunError, match=r"NULL in 'x' \(35 rows\), 'kind' \(22 rows\)"):
        load(tmp_path / "holes", {"T": _rows(**HOLES)}, {"s": step}).run()
    case = run(tmp_path, {"T": _rows()}, {"s": step})
    fine = _new_rows().slice(0, 1)
    assert case.score({"T": fine})["f_label"].to_pylist() != [None]
    with pytest.raises(EngineError, match="a predictor is NULL"):
        case.score({"T": _new_rows()})


def _noisy(rows_wanted: int) -> Rows:
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, rows_wanted))
    label = np.where(x**2 + y**2 + random.normal(0, 0.6, rows_wanted) > 1.4, "yes", "no")
    columns: Columns = {
        "id": list(range(rows_wanted)),
        "x": [float(v) for v in x],
        "y": [float(v) for v in y],
        "label": [str(v) for v in label],
    }
    return rows("id", {"id": "key", "x": "numeric", "y": "numeric", "label": "binary"}, columns)


def test_a_compressed_machine_keeps_its_labels(tmp_path: Path) -> None:
    table = _noisy(3_000)
    step = {**_step(target="label", positive="yes"), "predictors": ["x", "y"]}
    case = run(tmp_path, {"T": table}, {"whole": step, "small": {**step, "compress": 0.01}})
    notes = [n for s in case.run().stages if s.name == "small" for n in s.notes]
    (told,) = [n for n in notes if n.startswith("compressed from")]
    before, after = _counts(told)
    assert after < before / 10
    whole, small = column(case, "whole", "f_label"), column(case, "small", "f_label")
    changed = np.mean([a != b for a, b in zip(whole, small, strict=True)])
    assert 0 < changed <= 0.015


def _counts(told: str) -> tuple[int, int]:
    words = [w.replace(",", "") for w in told.split()]
    return int(words[words.index("from") + 1]), int(words[words.index("to") + 1])


@pytest.mark.parametrize(
    ("bound", "message"),
    [(0.0, "no number of rows shows that none does"), (1e-4, "it takes 90,000 rows")],
)
def test_a_bound_that_cannot_be_shown_is_refused(
    bound: float, message: str, tmp_path: Path
) -> None:
    step = {**_step(target="label", positive="yes"), "predictors": ["x", "y"], "compress": bound}
    with pytest.raises(RunError, match=message):
        load(tmp_path, {"T": _noisy(300)}, {"s": step}).run()


def test_a_bound_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    columns: Columns = {
        "id": list(range(900)),
        **{f"x{i}": [float(v) for v in random.normal(size=900)] for i in range(12)},
        "label": [str(v) for v in random.choice(["yes", "no"], 900)],
    }
    names = [f"x{i}" for i in range(12)]
    types = {"id": "key", **dict.fromkeys(names, "numeric"), "label": "binary"}
    step = {**_step(target="label", positive="yes", gamma=1.0), "predictors": names}
    with pytest.raises(RunError, match=r"with up to half of the .* support vectors at least"):
        load(tmp_path, {"T": rows("id", types, columns)}, {"s": {**step, "compress": 0.02}}).run()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"positive": "zebra", "classes": CLASSES}, "`classes` and `positive` are both given"),
        ({"kernel": "radial", "degree": 4}, "a radial kernel has no degree"),
        ({"kernel": "linear", "constant": 1}, "a linear kernel has no constant"),
        ({"kernel": "anova"}, "cannot be 'anova'"),
        ({"classes": ["zebra"]}, "takes at least 2 values"),
        ({"classes": ["a b", "a b"]}, "names 'a b' twice"),
        ({"probability": "x"}, "already has a feature 'x'"),
        ({"probability": "f"}, "already has a feature 'f'"),
        ({"use_db_svm": "always"}, "without `positive` cannot learn inside the database"),
        ({"nulls": "drop"}, "cannot be 'drop'"),
    ],
)
def test_what_does_not_fit_is_refused(more: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, {"T": _rows()}, {"s": _step(**more)})


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([*CLASSES, "green"], "the class 'green' of 'colour' never occurs"),
        (CLASSES[:3], "`classes` does not name 'a b'"),
    ],
)
def test_classes_are_those_of_the_data(classes: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=message):
        load(tmp_path, {"T": _rows()}, {"s": _step(classes=classes)}).run()


def test_one_class_only_and_too_many_are_refused(tmp_path: Path) -> None:
    many = [str(i % 40) for i in range(N)]
    for labels, message in (
        (["a"] * N, "two classes are needed"),
        (many, "a machine takes at most 30"),
    ):
        case = load(tmp_path / message, {"T": _rows(colour=labels)}, {"s": _step()})
        with pytest.raises(RunError, match=message):
            case.run()


@pytest.mark.parametrize("step", ["pairs", "cubic", "bare", "strange"])
def test_long_scoring_in_this_process_gives_the_same(
    case: LoadedCase, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"T": case.table("T")}
    by_sql = case.score(given, step=step).sort_by("id")
    calls: list[str] = []
    offering = DuckDBSession.offering

    def noted(session: DuckDBSession, models: Any) -> Any:
        calls.extend(models)
        return offering(session, models)

    monkeypatch.setattr(DuckDBSession, "offering", noted)
    monkeypatch.setattr(rows_scoring, "SECONDS_OF_SQL", 0.0)
    found = case.score(given, step=step).sort_by("id")
    assert calls == (["miningflow_kernel_1"] if step != "cubic" else calls)
    for name in by_sql.column_names:
        values, wanted = found[name].to_pylist(), by_sql[name].to_pylist()
        if isinstance(wanted[0], float):
            np.testing.assert_allclose(values, wanted, rtol=0, atol=1e-11)
        else:
            assert values == wanted


def test_true_and_false_say_where_to_learn(tmp_path: Path) -> None:
    step = _step(target="kind", positive="p", predictors=["x", "y"], kernel="linear")
    table = _rows(kind=["p" if i % 2 else "q" for i in range(N)])
    given: dict[str, tuple[object, str]] = {
        "true": (True, "always"),
        "false": (False, "never"),
        "word": ("never", "never"),
    }
    steps = {name: {**step, "use_db_svm": value} for name, (value, _) in given.items()}
    case = run(tmp_path, {"T": table}, steps)
    notes = {stage.name: stage.notes for stage in case.run().stages}
    for name, (_, told) in given.items():
        assert any(f"(use_db_svm: {told}" in note for note in notes[name]), name


def test_probabilities_of_a_machine_from_the_database_are_shares(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    count = 4_000
    x, y = random.normal(size=(2, count))
    chance = 1 / (1 + np.exp(-(1.5 * x - y + 0.5)))
    columns: Columns = {
        "id": list(range(count)),
        "x": [float(v) for v in x],
        "y": [float(v) for v in y],
        "label": ["yes" if hit else "no" for hit in random.random(count) < chance],
    }
    types = {"id": "key", "x": "numeric", "y": "numeric", "label": "binary"}
    step = _step(target="label", positive="yes", predictors=["x", "y"], kernel="linear")
    more = {"use_db_svm": "always", "sample_size": 1_000, "probability": "p"}
    case = run(tmp_path, {"T": rows("id", types, columns)}, {"s": {**step, **more}})
    assert np.abs(np.array(column(case, "s", "p")) - chance).mean() < 0.03
