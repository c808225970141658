"""Linear regression inside the database, against scikit-learn's SVR on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVR
from support.database_machines import (
    PREDICTORS,
    TABLE,
    TYPES,
    N,
    known_rows,
    module,
    regression,
    training_rows,
)
from support.small_case import rows

from miningflow.declare import Holdout, LearningError
from miningflow.engines import Session, open_engine
from miningflow.learn.arrays import Matrix


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    engine = open_engine("duckdb:///store.duckdb", tmp_path_factory.mktemp("store"))
    with engine.session() as opened:
        opened.register("given", rows("id", TYPES, TABLE).table)
        opened.execute('CREATE TABLE "T" AS FROM given')
        yield opened
    engine.close()


def _objective(X: Matrix, y: Matrix, model: Any, C: float, epsilon: float) -> float:
    errors = np.maximum(0, np.abs(y - model.decisions(X)[:, 0]) - epsilon)
    return float(0.5 * np.sum(model.weights**2) + C * errors.sum())


@pytest.mark.slow
def test_the_objective_is_that_of_svr(session: Session) -> None:
    C, epsilon = 0.1, 20.0
    training = training_rows(session)
    step = regression(training, PREDICTORS, use_db_svm="always", C=C, epsilon=epsilon)
    saved = step.learn(training)
    X, (y,) = known_rows(saved.encoding, "size")
    assert saved.rows == len(y) > 0.9 * N
    twin = SVR(kernel="linear", C=C, epsilon=epsilon, tol=1e-4).fit(X, y)
    model = type(saved.machine.model)(twin.coef_, twin.intercept_)
    ours = _objective(X, y, saved.machine.model, C, epsilon)
    assert ours == pytest.approx(_objective(X, y, model, C, epsilon), rel=1e-5)
    left, right = saved.machine.model.decisions(X), model.decisions(X)
    np.testing.assert_allclose(left, right, rtol=0, atol=0.02 * np.std(y))


@pytest.mark.parametrize(("C", "epsilon"), [(0.002, 0.1), (1.0, 0.0)])
@pytest.mark.slow
def test_rows_that_stream_give_what_sums_give(
    session: Session, C: float, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    objectives = []
    for most in (30, 7):
        monkeypatch.setattr(module("linear_training"), "MOST_SUMMED", most)
        training = training_rows(session)
        step = regression(training, PREDICTORS, use_db_svm="always", C=C, epsilon=epsilon)
        saved = step.learn(training)
        X, (y,) = known_rows(saved.encoding, "size")
        objectives.append(_objective(X, y, saved.machine.model, C, epsilon))
        assert ("streamed" in training.notes[-1]) == (most == 7)
        assert float(training.notes[-1].rsplit(" ", 1)[1]) <= 1e-6
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


def test_above_the_sample_size_all_rows_teach(session: Session) -> None:
    training = training_rows(session, holdout=Holdout(0.3, 1))
    saved = regression(training, ["x", "three"], sample_size=5000).learn(training)
    assert 0.6 * N < saved.rows < 0.75 * N
    assert "in the database (use_db_svm: auto, more than 5,000)" in training.notes[-1]
    training = training_rows(session)
    saved = regression(training, ["x"], sample_size=500, use_db_svm="never").learn(training)
    assert training.notes[-1].endswith("from 500 rows, in memory (use_db_svm: never)")


def test_a_number_that_is_the_same_everywhere_is_predicted(session: Session) -> None:
    training = training_rows(session)
    step = regression(training, ["x", "two"], target="same", use_db_svm="always")
    model = step.learn(training).machine.model
    assert not model.weights.any()
    assert model.intercepts.tolist() == [0.1]
    assert "'same' is the same everywhere" in training.notes[-1]


def test_numbers_that_are_not_finite_are_refused(session: Session) -> None:
    session.execute(
        """CREATE OR REPLACE TABLE "Wrong" AS SELECT * REPLACE (CASE WHEN id % 100 = 3
        THEN 'nan'::DOUBLE ELSE size END AS size) FROM "T" """
    )
    training = training_rows(session, table="Wrong")
    with pytest.raises(LearningError, match="'size' has 240 values that are NaN or infinite"):
        regression(training, ["x"], use_db_svm="always").learn(training)


def test_rows_without_an_end_say_what_helps(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module("training_in_database"), "WIDEST_GAP", -1.0)
    training = training_rows(session)
    with pytest.raises(LearningError, match="too many rows lie on the margin") as raised:
        regression(training, ["x"], use_db_svm="always").learn(training)
    assert "set a larger `epsilon`, or a smaller `C`" in raised.value.hint
