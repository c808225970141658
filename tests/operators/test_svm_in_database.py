"""Linear machines that learn inside the database, against the same rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.database_machines import (
    PREDICTORS,
    TABLE,
    TYPES,
    N,
    classifier,
    known_rows,
    module,
    training_rows,
)
from support.small_case import Columns, column, load, rows, run

from miningflow.declare import Holdout, LearningError
from miningflow.engines import Session, open_engine
from miningflow.errors import MiningFlowError, RunError
from miningflow.learn.arrays import Matrix
from miningflow.run.events import Event
from miningflow.run.training_rows import Cancelled


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("store")
    engine = open_engine("duckdb:///store.duckdb", folder)
    with engine.session() as opened:
        opened.register("given", rows("id", TYPES, TABLE).table)
        opened.execute('CREATE TABLE "T" AS FROM given')
        yield opened
    engine.close()


def _both(session: Session, predictors: list[str], **more: Any) -> tuple[Any, Any]:
    holdout = more.pop("holdout", None)
    found = []
    for use in ("never", "always"):
        training = training_rows(session, holdout=holdout)
        step = classifier(
            training, predictors, use_db_svm=use, sample_size=10 * N, epsilon=1e-5, **more
        )
        found.append(step.learn(training))
    return found[0], found[1]


def _same_encoding(one: Any, other: Any) -> None:
    for left, right in zip(one.predictors, other.predictors, strict=True):
        assert (left.name, type(left)) == (right.name, type(right))
        if hasattr(left, "categories"):
            assert left.categories == right.categories
            np.testing.assert_allclose(left.means, right.means, rtol=1e-12)
            np.testing.assert_allclose(left.scales, right.scales, rtol=1e-12)
        else:
            assert left.mean == pytest.approx(right.mean, rel=1e-13)
            assert left.scale == pytest.approx(right.scale, rel=1e-8)


def _decisions(saved: Any) -> Matrix:
    decisions: Matrix = saved.machine.model.decisions(known_rows(saved.encoding)[0])[:, 0]
    return decisions


@pytest.mark.parametrize("predictors", [PREDICTORS, ["x"], ["two", "x"], ["three", "y"]])
@pytest.mark.parametrize("positive", ["yes", "no"])
def test_squared_hinge_learns_the_same_weights(
    session: Session, predictors: list[str], positive: str
) -> None:
    memory, database = _both(session, predictors, loss="squared_hinge", positive=positive, C=0.3)
    _same_encoding(memory.encoding, database.encoding)
    assert (memory.rows, memory.machine.result) == (database.rows, database.machine.result)
    left, right = memory.machine.model, database.machine.model
    np.testing.assert_allclose(left.weights, right.weights, rtol=0, atol=1e-6)
    assert left.intercepts == pytest.approx(right.intercepts, abs=1e-6)
    assert np.abs(right.weights).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("predictors", [PREDICTORS, ["x", "y"]])
@pytest.mark.parametrize("positive", ["yes", "no"])
def test_hinge_learns_the_same_labels(
    session: Session, predictors: list[str], positive: str
) -> None:
    memory, database = _both(session, predictors, positive=positive, C=0.005)
    left, right = _decisions(memory), _decisions(database)
    assert np.mean((left > 0) == (right > 0)) >= 0.999
    np.testing.assert_allclose(left, right, rtol=0, atol=2e-3)
    assert np.ptp(right) > 1


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_that_stream_give_what_sums_give(
    session: Session, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for most in (30, 7):
        monkeypatch.setattr(module("linear_training"), "MOST_SUMMED", most)
        training = training_rows(session)
        step = classifier(training, PREDICTORS, use_db_svm="always", loss=loss, C=0.1)
        found.append(step.learn(training).machine.model)
        assert training.notes[0].endswith("rows have a NULL and are not learned from")
        streamed = "8 columns streamed to this process" in training.notes[-1]
        assert streamed == (most == 7)
    one, other = found
    np.testing.assert_allclose(one.weights, other.weights, rtol=0, atol=1e-5)
    np.testing.assert_allclose(one.intercepts, other.intercepts, rtol=0, atol=1e-5)


def test_many_columns_are_learned_from_all_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    size, columns = 3000, 40
    X = random.normal(size=(size, columns))
    side = X @ random.normal(size=columns) + random.normal(size=size)
    names = [f"x{i}" for i in range(columns)]
    table: Columns = {name: [float(v) for v in X[:, i]] for i, name in enumerate(names)}
    table |= {"id": list(range(size)), "label": ["yes" if v > 0 else "no" for v in side]}
    types = {"id": "key", **dict.fromkeys(names, "numeric"), "label": "binary"}
    step = {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "predictors": names,
        "kernel": "linear",
        "loss": "squared_hinge",
        "output": "risk",
    }
    steps = {"auto": {**step, "sample_size": 1000}, "memory": {**step, "use_db_svm": "never"}}
    case = load(tmp_path, {"T": rows("id", types, table)}, steps)
    notes = {stage.name: " / ".join(stage.notes) for stage in case.run().stages}
    assert "40 weights from 3,000 rows, in the database" in notes["auto"]
    assert "40 columns streamed to this process" in notes["auto"]
    one, other = column(case, "auto", "risk"), column(case, "memory", "risk")
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


def test_held_out_rows_teach_nothing(session: Session) -> None:
    holdout = Holdout(0.4, 1)
    memory, database = _both(session, PREDICTORS, loss="squared_hinge", holdout=holdout)
    everything = _both(session, PREDICTORS, loss="squared_hinge")[1]
    assert database.rows == memory.rows < 0.65 * everything.rows
    learned = database.machine.model.weights
    np.testing.assert_allclose(memory.machine.model.weights, learned, rtol=0, atol=1e-6)
    assert np.abs(everything.machine.model.weights - learned).max() > 1e-4


@pytest.mark.slow
def test_the_run_tells_which_way_was_taken_and_why(tmp_path: Path) -> None:
    step = {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "predictors": PREDICTORS,
        "kernel": "linear",
        "output": "risk",
    }
    steps = {
        "above": step,
        "below": {**step, "sample_size": N},
        "never": {**step, "use_db_svm": "never", "sample_size": 2000},
        "always": {**step, "use_db_svm": "always", "sample_size": N, "loss": "squared_hinge"},
        "radial": {**step, "kernel": "radial", "sample_size": 500},
    }
    case = load(tmp_path, {"T": rows("id", TYPES, TABLE)}, steps)
    notes = {stage.name: " / ".join(stage.notes) for stage in case.run().stages}
    complete = sum(all(TABLE[n][i] is not None for n in [*PREDICTORS, "label"]) for i in range(N))
    assert (
        f"from {complete:,} rows, in the database (use_db_svm: auto, more than 10,000)"
        in (notes["above"])
    )
    assert "in the database (use_db_svm: always, asked for)" in notes["always"]
    for name in ("above", "always"):
        assert notes[name].count("have a NULL") == 1
        assert float(notes[name].rsplit("duality gap ", 1)[1]) <= 1e-6
        assert " passes" in notes[name]
    assert "in memory (use_db_svm: auto, at most" in notes["below"]
    assert f"2,000 of {complete:,} rows" in notes["never"]
    assert "in memory (use_db_svm: auto; " in notes["radial"]
    assert (
        "support vectors or more; learning in the database is worthwhile up to 500"
        in notes["radial"]
    )
    agreed = [
        a == b
        for a, b in zip(
            column(case, "above", "risk_label"), column(case, "below", "risk_label"), strict=True
        )
    ]
    assert np.mean(agreed) >= 0.999
    assert column(case, "above", "risk")[7] is None


def test_learning_stops_between_passes(session: Session) -> None:
    seen: list[str] = []

    def listen(event: Event) -> None:
        if event.kind == "progress":
            seen.append(event.message)
            if len(seen) == 2:
                training.cancelled.set()

    training = training_rows(session, listen)
    with pytest.raises(Cancelled):
        classifier(training, PREDICTORS, use_db_svm="always").learn(training)
    assert [message.split(" over ")[0] for message in seen] == ["pass 1", "pass 2"]


def test_a_squared_hinge_needs_a_linear_kernel(tmp_path: Path) -> None:
    step = {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "predictors": ["x"],
        "kernel": "radial",
        "use_db_svm": "always",
        "loss": "squared_hinge",
        "output": "risk",
    }
    with pytest.raises(MiningFlowError) as raised:
        load(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"risk": step})
    assert "a radial kernel does not support the loss 'squared_hinge'" in str(raised.value)


SMALL = {"id": "key", "x": "numeric", "word": "nominal", "label": "nominal"}


def _small(**changed: list[Any]) -> pa.Table:
    size = 600
    table: Columns = {
        "id": list(range(size)),
        "x": [float(i % 17) for i in range(size)],
        "word": ["a", "b"] * (size // 2),
        "label": ["yes" if i % 17 > 8 else "no" for i in range(size)],
    }
    return rows("id", SMALL, {**table, **changed}).table


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": ["no"] * 600}, "the positive value 'yes' of 'label' never occurs"),
        ({"label": ["yes"] * 600}, "all training rows have 'label' = 'yes'"),
        ({"label": ["yes", "no", "maybe"] * 200}, "'label' has 3 classes; two are needed"),
        ({"x": [None] * 600}, "fewer than two training rows"),
        ({"x": [float("nan"), 1.0, float("inf")] * 200}, "'x' has 400 values that are NaN or inf"),
        ({"word": [f"w{i}" for i in range(600)]}, "'word' has 600 categories"),
        ({"x": [1e300, -1e300] * 300}, "'x' has the value .*1e.300; learning squares its values"),
    ],
)
def test_rows_that_cannot_teach_are_refused(
    session: Session, changed: dict[str, list[Any]], message: str
) -> None:
    session.register("small_given", _small(**changed))
    session.execute("CREATE OR REPLACE TABLE small AS FROM small_given")
    training = training_rows(session, types=SMALL, table="small")
    with pytest.raises(LearningError, match=message):
        classifier(training, ["x", "word"], use_db_svm="always").learn(training)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_sorted_by_class_are_no_worse(session: Session, loss: str) -> None:
    session.execute('CREATE OR REPLACE TABLE sorted AS FROM "T" ORDER BY label, x')
    found = []
    for table in ("T", "sorted"):
        training = training_rows(session, table=table)
        step = classifier(training, PREDICTORS, use_db_svm="always", loss=loss)
        found.append(step.learn(training).machine.model)
        assert float(training.notes[-1].rsplit(" ", 1)[1]) <= 1e-6
    np.testing.assert_allclose(found[0].weights, found[1].weights, rtol=0, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_all_alike_give_aclassifier(session: Session, loss: str) -> None:
    """All predictors are nominal: thousands of rows lie on the very margin."""
    training = training_rows(session)
    step = classifier(training, ["two", "three"], use_db_svm="always", loss=loss)
    found = step.learn(training)
    assert float(training.notes[-1].rsplit(" ", 1)[1]) <= 1e-6
    assert set(np.sign(_decisions(found))) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("MOST_STREAMED", 7, "the predictors are 8 encoded columns"),
        ("WIDEST_GAP", -1.0, "too many rows lie on the margin to learn in the database"),
    ],
)
def test_what_the_database_cannot_learn_is_learned_in_memory_unless_forbidden(
    session: Session, limit: str, value: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module("training_in_database"), limit, value)
    training = training_rows(session)
    step = classifier(training, PREDICTORS, loss="squared_hinge", sample_size=1000)
    assert step.learn(training).rows == 1000
    assert any(note.startswith(message) for note in training.notes)
    assert "in memory (use_db_svm: auto; " in training.notes[-1]
    step = classifier(training, PREDICTORS, loss="squared_hinge", use_db_svm="always")
    with pytest.raises(LearningError, match=message) as raised:
        step.learn(training)
    assert "or learn in memory with `use_db_svm: never`" in raised.value.hint


def test_a_case_with_too_few_rows_says_so(tmp_path: Path) -> None:
    few = {name: values[:1] for name, values in TABLE.items()}
    step = {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "predictors": ["x"],
        "kernel": "linear",
        "use_db_svm": "always",
        "output": "risk",
    }
    with pytest.raises(RunError, match="fewer than two training rows"):
        run(tmp_path, {"T": rows("id", TYPES, few)}, {"risk": step})
