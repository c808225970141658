"""Kernel machines in SQL against scikit-learn's decision_function, on DuckDB."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC, SVR
from sqlglot import exp

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial, Sigmoid
from miningflow.sql.block import Block, Scan, over
from miningflow.sql.dialect import NotInDialect, render
from miningflow.sql.literal_table import values_select
from miningflow.sql.models.kernels.support_vectors import TABLE, kernel_decisions

# what the installed DuckDB reads
DIALECT = DuckDBEngine.dialect
OLDER = DIALECT == "duckdb1.5"
KERNELS: dict[str, tuple[Kernel, dict[str, Any]]] = {
    "radial": (Radial(0.3), {"kernel": "rbf", "gamma": 0.3}),
    "sigmoid": (Sigmoid(0.1, -0.5), {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.5}),
    **{
        f"poly{degree}{'c' if constant else ''}": (
            Polynomial(degree, 0.2, constant),
            {"kernel": "poly", "degree": degree, "gamma": 0.2, "coef0": constant},
        )
        for degree in (0, 1, 2, 3, 5)
        for constant in (0.0, 1.3)
    },
}


def _table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _decided(model: KernelModel, width: int, outputs: list[str]) -> Block:
    names = [f"x{i}" for i in range(width)]
    rows = over(Scan("t", ("id", *names)))
    return kernel_decisions(model, rows, names, outputs, older=OLDER)


def _computed(model: KernelModel, X: Matrix) -> tuple[Matrix, str]:
    """Returns the decision values that DuckDB computes, and the SQL."""
    outputs = [f"f{i}" for i in range(len(model.intercepts))]
    block = _decided(model, X.shape[1], outputs)
    connection = duckdb.connect()
    frame = pd.DataFrame({"id": np.arange(len(X)), **{f"x{i}": x for i, x in enumerate(X.T)}})
    connection.register("frame", frame)
    connection.execute('CREATE TABLE "t" AS SELECT * FROM frame')
    for values in block.values():
        select = render(values_select(values, DIALECT), DIALECT)
        connection.execute(f'CREATE TABLE "{values.name}" AS {select}')
    sql = render(block.select(_table, DIALECT), DIALECT)
    found = connection.execute(f"SELECT * FROM ({sql}) ORDER BY id").fetchall()
    numbers = [[math.nan if v is None else v for v in row[-len(outputs) :]] for row in found]
    return np.array(numbers, dtype=np.float64), sql


def _regression(kernel: Kernel, options: dict[str, Any], rows: int, width: int) -> Any:
    random = np.random.default_rng(rows + width)
    X = random.normal(size=(rows, width))
    machine = SVR(C=2.0, epsilon=0.01, max_iter=5_000, **options)
    machine.fit(X, random.normal(size=rows))
    # A machine with a kernel of our own keeps no support vectors.
    support = X[machine.support_]
    model = KernelModel(support, machine.dual_coef_, machine.intercept_, kernel)
    return machine, model, random.normal(size=(50, width))


def _agree(found: Matrix, expected: Matrix) -> None:
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("rows", "width"), [(8, 12), (60, 1), (80, 3)])
def test_decisions_are_those_of_scikit_learn(name: str, rows: int, width: int) -> None:
    machine, model, X = _regression(*KERNELS[name], rows, width)
    found, sql = _computed(model, X)
    _agree(found[:, 0], machine.predict(X))
    assert "POW" not in sql


def test_few_monomials_leave_no_table_and_many_do() -> None:
    _, few, _ = _regression(*KERNELS["poly3c"], 80, 3)
    _, many, _ = _regression(*KERNELS["poly3c"], 8, 12)
    assert _decided(few, 3, ["f"]).values() == []
    assert [v.name for v in _decided(many, 12, ["f"]).values()] == [TABLE]


def test_a_high_degree_is_written_over_the_table() -> None:
    kernel = Polynomial(41, 0.2, 0.9)
    options = {"kernel": "poly", "degree": 41, "gamma": 0.2, "coef0": 0.9, "max_iter": 500}
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, size=(40, 2))
    machine = SVC(**options).fit(X, X[:, 0] > 0)
    model = KernelModel(machine.support_vectors_, machine.dual_coef_, machine.intercept_, kernel)
    found, sql = _computed(model, X)
    _agree(found[:, 0], machine.decision_function(X))
    assert TABLE in sql


def test_coefficients_that_overflow_fall_back_to_the_table() -> None:
    support = np.array([[1e120], [2e120]])
    model = KernelModel(support, np.array([[1.0, -1.0]]), np.array([0.5]), Polynomial(3, 1.0, 1.0))
    assert _decided(model, 1, ["f"]).values() != []


@pytest.mark.parametrize("name", ["radial", "sigmoid", "poly2c"])
def test_several_outputs_share_the_support_vectors(name: str) -> None:
    kernel, _ = KERNELS[name]
    random = np.random.default_rng(5)
    support, X = random.normal(size=(7, 4)), random.normal(size=(30, 4))
    coefficients, intercepts = random.normal(size=(3, 7)), random.normal(size=3)
    found, _ = _computed(KernelModel(support, coefficients, intercepts, kernel), X)
    products = X @ support.T
    distances = ((X[:, None] - support[None]) ** 2).sum(axis=2)
    values = {
        "radial": np.exp(-0.3 * distances),
        "sigmoid": np.tanh(0.1 * products - 0.5),
        "poly2c": (0.2 * products + 1.3) ** 2,
    }[name]
    _agree(found, values @ coefficients.T + intercepts)


def test_parts_serve_their_own_outputs() -> None:
    random = np.random.default_rng(6)
    support, X = random.normal(size=(9, 2)), random.normal(size=(20, 2))
    coefficients, intercepts = np.zeros((4, 9)), random.normal(size=4)
    coefficients[0, :4] = random.normal(size=4)
    coefficients[1, [1, 5, 6]] = random.normal(size=3)
    coefficients[2, 4:7] = random.normal(size=3)  # the last part and the last output have none
    model = KernelModel(support, coefficients, intercepts, Radial(0.3), parts=(4, 3, 0, 2))
    found, _ = _computed(model, X)
    distances = ((X[:, None] - support[None]) ** 2).sum(axis=2)
    _agree(found, np.exp(-0.3 * distances) @ coefficients.T + intercepts)
    (table,) = _decided(model, 2, ["a", "b", "c", "d"]).values()
    assert table.columns == ("position", "part", "c1", "c2", "x1", "x2")
    assert len(table.rows) == 7


def _radial(random: np.random.Generator, rows: int, width: int, gamma: float) -> KernelModel:
    support, coefficients = random.normal(size=(rows, width)), random.normal(size=(1, rows))
    return KernelModel(support, coefficients, np.array([0.7]), Radial(gamma))


@pytest.mark.parametrize("offset", [0.0, 100.0, 1e4])
def test_radial_decisions_keep_their_digits_far_from_zero(offset: float) -> None:
    random = np.random.default_rng(7)
    model = _radial(random, 60, 5, 0.2)
    model = replace(model, support=model.support + offset)
    X = np.vstack([random.normal(size=(40, 5)) + offset, model.support])
    found, _ = _computed(model, X)
    assert found == pytest.approx(model.decisions(X), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("gamma", [8.0, 1e3, 1e7])
def test_support_vectors_far_apart_are_compared_by_distance(gamma: float) -> None:
    random = np.random.default_rng(8)
    model = _radial(random, 50, 4, gamma)
    X = np.vstack([random.normal(size=(20, 4)), model.support, model.support + 1e-4])
    found, sql = _computed(model, X)
    assert ("LIST_DISTANCE" in sql) == (gamma > 8)
    assert found == pytest.approx(model.decisions(X), rel=1e-10, abs=1e-10)


def test_a_row_far_from_everything_gets_the_intercept() -> None:
    model = _radial(np.random.default_rng(9), 40, 3, 1.0)
    X = np.array([[1e3, 0, 0], [0, -1e8, 0], [1e100, 1e100, 0], [-1e200, 0, 0], [30, 30, 30]])
    found, _ = _computed(model, X)
    assert found[:, 0].tolist() == [0.7] * 5


@pytest.mark.parametrize("name", ["radial", "sigmoid", "poly3c"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_wide_vectors_are_cut_into_pieces(name: str, outputs: int) -> None:
    random = np.random.default_rng(10)
    kernels: dict[str, Kernel] = {
        "radial": Radial(0.01),
        "sigmoid": Sigmoid(0.01, 0.2),
        "poly3c": Polynomial(3, 0.01, 1.3),
    }
    support, X = random.normal(size=(21, 70)), random.normal(size=(30, 70))
    coefficients, intercepts = random.normal(size=(outputs, 21)), random.normal(size=outputs)
    model = KernelModel(support, coefficients, intercepts, kernels[name])
    found, sql = _computed(model, X)
    assert '"vector_2"' in sql
    _agree(found, model.decisions(X))


def test_a_column_without_variation_counts_in_the_distance() -> None:
    random = np.random.default_rng(11)
    model = _radial(random, 30, 3, 0.3)
    model.support[:, 1] = 0.1
    X = random.normal(size=(40, 3))
    found, _ = _computed(model, X)
    _agree(found, model.decisions(X))
    alike = replace(model, support=np.full((30, 3), 0.1))  # one vector is left of these
    found, _ = _computed(alike, X)
    _agree(found, alike.decisions(X))


@pytest.mark.parametrize("varying", [0, 1])
@pytest.mark.parametrize("outputs", [1, 2])
def test_hardly_any_variation_in_wide_vectors(varying: int, outputs: int) -> None:
    random = np.random.default_rng(15)
    support = np.tile(random.normal(size=70), (10, 1))
    support[:, :varying] = random.normal(size=(10, varying))
    coefficients, intercepts = random.normal(size=(outputs, 10)), random.normal(size=outputs)
    model = KernelModel(support, coefficients, intercepts, Radial(0.01))
    X = random.normal(size=(20, 70))
    found, _ = _computed(model, X)
    _agree(found, model.decisions(X))


def test_one_output_adds_up_all_parts() -> None:
    random = np.random.default_rng(14)
    model = replace(_radial(random, 30, 3, 0.3), parts=(9, 0, 21))
    X = random.normal(size=(40, 3))
    found, _ = _computed(model, X)
    _agree(found, model.decisions(X))


def test_equal_support_vectors_are_stored_once() -> None:
    random = np.random.default_rng(12)
    model = _radial(random, 20, 3, 0.3)
    twice = replace(
        model,
        support=np.vstack([model.support, model.support[:15]]),
        coefficients=np.hstack([model.coefficients, -model.coefficients[:, :5], np.ones((1, 10))]),
    )
    X = random.normal(size=(40, 3))
    found, _ = _computed(twice, X)
    _agree(found, twice.decisions(X))
    (table,) = _decided(twice, 3, ["f"]).values()
    assert len(table.rows) == 15


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_text_does_not_grow_with_the_support_vectors(outputs: int) -> None:
    random = np.random.default_rng(13)
    lengths = []
    for rows in (200, 1001, 5000):
        support, coefficients = random.normal(size=(rows, 4)), random.normal(size=(outputs, rows))
        model = KernelModel(support, coefficients, np.zeros(outputs), Radial(0.3))
        block = _decided(model, 4, [f"f{i}" for i in range(outputs)])
        written = render(block.select(_table, DIALECT), DIALECT)
        lengths.append(len(re.sub(r"-?\d\.\d+e-?\d", "number", written)))
    assert len(set(lengths)) == 1


@pytest.mark.parametrize("name", ["radial", "sigmoid", "poly2", "poly5c"])
@pytest.mark.parametrize("odd", [None, math.nan, math.inf, -math.inf])
def test_a_row_that_is_not_all_numbers_has_no_decision(name: str, odd: float | None) -> None:
    _, model, X = _regression(*KERNELS[name], 40, 3)
    wide = X[:4].astype(object)
    for i in range(3):
        wide[i, i] = odd
    found, _ = _computed(model, wide)
    assert np.isnan(found[:3, 0]).all()
    assert np.isfinite(found[3, 0])


@pytest.mark.parametrize("name", ["radial", "sigmoid", "poly2c"])
def test_without_support_vectors_the_decision_is_constant(name: str) -> None:
    empty = KernelModel(np.zeros((0, 2)), np.zeros((1, 0)), np.array([1.5]), KERNELS[name][0])
    found, _ = _computed(empty, np.array([[0.0, 1.0], [math.nan, 1.0]]))
    assert found[0, 0] == 1.5
    assert np.isnan(found[1, 0])


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_other_engines_get_monomials_and_refuse_the_table(dialect: str) -> None:
    _, few, _ = _regression(*KERNELS["poly3c"], 80, 3)
    assert '"x2"' in render(_decided(few, 3, ["f"]).select(_table, dialect), dialect).replace(
        "`", '"'
    )
    for name in ("radial", "sigmoid"):
        _, model, _ = _regression(*KERNELS[name], 30, 3)
        with pytest.raises(NotInDialect, match=f"{dialect} has no .*LIST_"):
            render(_decided(model, 3, ["f"]).select(_table, dialect), dialect)


def test_two_thousand_monomials_stay_shallow() -> None:
    random = np.random.default_rng(2)
    support = random.normal(size=(500, 60))
    coefficients = random.normal(size=(1, 500))
    model = KernelModel(support, coefficients, np.zeros(1), Polynomial(2, 0.1, 1.0))
    X = random.normal(size=(20, 60))
    found, sql = _computed(model, X)
    assert TABLE not in sql
    _agree(found[:, 0], (0.1 * X @ support.T + 1) ** 2 @ coefficients[0])
    depths = np.cumsum([(c == "(") - (c == ")") for c in sql])
    assert depths.max() < 40


def test_columns_called_like_ours_pass_through() -> None:
    kernel = Radial(0.5)
    model = KernelModel(np.array([[1.0]]), np.array([[2.0]]), np.array([0.0]), kernel)
    kept = [
        "total",
        "vector",
        "vector_1",
        "moved_1",
        "exponent",
        "vectors_0",
        "computed_0",
        "rows",
        "model",
    ]
    kept += ["t", "s", "z", "i", "part", "position", "c1", "v", "v1", "weight"]
    block = kernel_decisions(model, over(Scan("t", (*kept, "x"))), ["x"], ["f"], older=OLDER)
    connection = duckdb.connect()
    listed = ", ".join(f'{i} AS "{name}"' for i, name in enumerate(kept))
    connection.execute(f'CREATE TABLE "t" AS SELECT {listed}, 1e0 AS "x"')
    (values,) = block.values()
    select = render(values_select(values, DIALECT), DIALECT)
    connection.execute(f'CREATE TABLE "{TABLE}" AS {select}')
    (row,) = connection.execute(render(block.select(_table, DIALECT), DIALECT)).fetchall()
    assert row == (*range(len(kept)), 1.0, 2.0)
