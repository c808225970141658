"""Decision values to classes: ties and zeros go where libsvm and scikit-learn put them."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function
from sqlglot import exp

from miningflow.sql.block import Block, Scan, over
from miningflow.sql.dialect import render
from miningflow.sql.literals import text
from miningflow.sql.models.classes import (
    by_greatest,
    by_sign,
    one_vs_rest_of_pairs,
    votes_of_pairs,
)

LABELS = ["c", "a", "d", "b"]
VALUES = [-1.0, -0.25, 0.0, 0.25, 1.0]
NAMES = tuple(f"d{i}" for i in range(6))


def _rows(block: Block, rows: list[tuple[Any, ...]], columns: tuple[str, ...]) -> list[Any]:
    connection = duckdb.connect()
    listed = ", ".join(f'"{name}" DOUBLE' for name in columns)
    connection.execute(f'CREATE TABLE "t" (id BIGINT, {listed})')
    marks = ", ".join("?" for _ in range(len(columns) + 1))
    numbered = [(i, *row) for i, row in enumerate(rows)]
    connection.executemany(f'INSERT INTO "t" VALUES ({marks})', numbered)
    tree = block.select(lambda name: exp.Table(this=exp.to_identifier(name, quoted=True)), "duckdb")
    return connection.execute(f"{render(tree, 'duckdb')} ORDER BY id").fetchall()


def _start(columns: tuple[str, ...]) -> Block:
    return over(Scan("t", ("id", *columns)))


def _pairs() -> list[tuple[float, ...]]:
    random = np.random.default_rng(3)
    drawn = random.choice(VALUES, size=(600, 6))
    return [tuple(float(v) for v in row) for row in drawn]


def _libsvm(row: tuple[float, ...], classes: int) -> int:
    votes = [0] * classes
    for value, (i, j) in zip(row, combinations(range(classes), 2), strict=True):
        votes[i if value > 0 else j] += 1
    return votes.index(max(votes))


def test_votes_are_libsvms_with_ties_and_zeros() -> None:
    rows = _pairs()
    votes = [f"v{i}" for i in range(4)]
    counted = _start(NAMES).extend(
        dict(zip(votes, votes_of_pairs(NAMES, 4, zero_is_first=False), strict=True))
    )
    label = by_greatest(votes, [text(x) for x in LABELS], NAMES)
    block = counted.layered().extend({"label": label}).project(["id", "label"])
    found = _rows(block, [*rows, (None, *rows[0][1:])], NAMES)
    assert [label for _, label in found[:-1]] == [LABELS[_libsvm(row, 4)] for row in rows]
    assert found[-1][1] is None


def test_one_vs_rest_is_scikit_learns() -> None:
    rows = _pairs()
    votes = [f"v{i}" for i in range(4)]
    counted = _start(NAMES).extend(
        dict(zip(votes, votes_of_pairs(NAMES, 4, zero_is_first=True), strict=True))
    )
    outputs = [f"o{i}" for i in range(4)]
    values = one_vs_rest_of_pairs(NAMES, votes)
    block = counted.layered().extend(dict(zip(outputs, values, strict=True)))
    found = _rows(block.project(["id", *outputs]), [*rows, (None, *rows[0][1:])], NAMES)
    matrix = np.array(rows)
    expected = _ovr_decision_function(matrix < 0, -matrix, 4)
    assert np.array([row[1:] for row in found[:-1]], dtype=float) == pytest.approx(
        expected, abs=1e-14
    )
    assert [value is None for value in found[-1][1:]] == [True, True, False, False]


def test_the_first_of_equal_greatest_values_wins() -> None:
    rows = list(product([-1.0, 0.0, 2.0], repeat=4))
    names = NAMES[:4]
    label = by_greatest(names, [text(x) for x in LABELS], names)
    block = _start(names).extend({"label": label}).project(["id", "label"])
    found = _rows(block, rows, names)
    assert [label for _, label in found] == [LABELS[row.index(max(row))] for row in rows]


@pytest.mark.parametrize("zero_is_above", [True, False])
def test_signs(zero_is_above: bool) -> None:
    label = by_sign("d0", text("below"), text("above"), zero_is_above)
    block = _start(("d0",)).extend({"label": label}).project(["id", "label"])
    values = [-2.0, -0.0, 0.0, 3.0, None, float("nan"), float("inf"), float("-inf")]
    zero = "above" if zero_is_above else "below"
    found = [label for _, label in _rows(block, [(v,) for v in values], ("d0",))]
    assert found == ["below", zero, zero, "above", None, None, None, None]
