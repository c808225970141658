"""Models as SQL functions: called with the features of a row, they return what the step returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from support.default_run import first_only
from support.small_case import Columns, Rows, load, rows, run

from miningflow.project import LoadedCase

N = 120
# names that also occur inside of the functions, or that SQL must quote
NAMES = ["x1", "part", "s", "model", "größe; drop", "layer 4", "values of the model"]
TYPES = {"id": "key", **dict.fromkeys(NAMES, "numeric"), "t": "nominal", "label": "nominal"}


def _table() -> Rows:
    random = np.random.default_rng(4)
    columns: Columns = {name: [float(v) for v in random.normal(size=N)] for name in NAMES}
    columns["id"] = list(range(N))
    columns["t"] = [str(v) for v in random.choice(["a", "b", "it's"], N)]
    best = np.array([columns["x1"], columns["s"], columns["model"]]).argmax(axis=0)
    columns["label"] = [("red", "green", "blue")[i] for i in best]
    columns["part"][3] = None
    columns["t"][4] = None
    return rows("id", TYPES, columns)


def _machine(**more: Any) -> dict[str, Any]:
    return {
        "operator": "SupportVectorMachineForClassification",
        "input": "T",
        "target": "label",
        "predictors": [*NAMES, "t"],
        "output": "f",
        "probability": "p",
        **more,
    }


STEPS: dict[str, dict[str, dict[str, Any]]] = {
    "linear": {"s": _machine(kernel="linear")},
    "radial": {"s": _machine(kernel="radial", classes=["red", "green", "blue"])},
    "polynomial": {"s": _machine(kernel="polynomial", degree=2)},
    "sigmoid": {"s": _machine(kernel="sigmoid", gamma=0.05)},
    "after constructions": {
        "filled": {"operator": "AssignAverageValue", "input": "T", "target": "part"},
        "told": {"operator": "AssignModalValue", "input": "filled", "target": "t"},
        "doubled": {
            "operator": "GenericFeatureConstruction",
            "input": "told",
            "output": "x1",
            "sql": "2 * x1 + s",
        },
        "kept": {
            "operator": "RowSelectionByQuery",
            "input": "doubled",
            "where": "s > -10",
        },
        "s": _machine(input="kept", kernel="radial"),
    },
}


def _query(case: LoadedCase, sql: str) -> list[tuple[Any, ...]]:
    store = Path(case.path).parent / "store.duckdb"
    with duckdb.connect(str(store)) as connection:
        return connection.sql(sql).fetchall()


@pytest.mark.parametrize("kind", first_only(STEPS, 2))
def test_functions_give_what_the_step_gives(kind: str, tmp_path: Path) -> None:
    case = run(tmp_path, {"T": _table()}, STEPS[kind])
    found = _query(
        case, "SELECT function_name, parameters, concept FROM miningflow.functions ORDER BY ALL"
    )
    assert {"f", "f_label", "p"} <= {name for name, _, _ in found}
    for name, parameters, concept in found:
        assert concept == "s"
        assert json.loads(parameters) == {**dict.fromkeys(NAMES, "numeric"), "t": "nominal"}
        called = ", ".join(f'T."{p}"' for p in json.loads(parameters))
        differing = _query(
            case,
            f'SELECT count(*) FROM small_results.s JOIN small_results."T" AS T USING (id) '
            f'WHERE s."{name}" IS DISTINCT FROM small_results."{name}"({called})',
        )
        assert differing == [(0,)], name
    known = _query(case, 'SELECT count(f), count(*) FROM small_results."s"')
    assert known == ([(N, N)] if kind == "after constructions" else [(N - 2, N)])


def test_a_function_takes_whole_numbers_and_text_as_numbers(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": _table()}, {"s": _machine(kernel="radial")})
    spelled = (
        "SELECT small_results.f(1, 2, 3, 4, 5, 6, 7, 'a'), "
        "small_results.f('1', '2', 3.0, 4::DECIMAL, 5, 6, 7, 'a'), "
        "small_results.f_label(1, 2, 3, 4, NULL, 6, 7, 'a'), "
        "small_results.f_label('nan', 2, 3, 4, 5, 6, 7, 'a')"
    )
    ((one, other, unknown, not_a_number),) = _query(case, spelled)
    assert one == other is not None
    assert unknown is not_a_number is None


def test_the_scoring_step_has_the_function_of_two_that_predict_the_same(tmp_path: Path) -> None:
    steps = {"first": _machine(kernel="linear"), "second": _machine(kernel="radial")}
    case = load(tmp_path, {"T": _table()}, steps)
    case.run()
    ((owner,),) = _query(case, "SELECT concept FROM miningflow.functions WHERE feature = 'f'")
    assert owner == case.bound.scoring


def test_functions_go_with_their_model_and_others_stay(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": _table()}, {"s": _machine(kernel="linear")})
    _query(case, "CREATE MACRO small_results.mine(x) AS x + 1")
    _query(case, "CREATE MACRO small_results.g() AS 7")
    again = run(tmp_path, {"T": _table()}, {"s": _machine(kernel="linear", output="g")})
    listed = "SELECT function_name FROM duckdb_functions() WHERE schema_name = 'small_results'"
    assert {n for (n,) in _query(case, listed)} == {"g", "g_label", "p", "mine"}
    assert _query(case, "SELECT small_results.g()") == [(7,)], "somebody else's stays as it is"
    dropped = again.clean()
    assert {o.name for o in dropped if o.kind == "function"} == {"g_label()", "p()"}
    assert {n for (n,) in _query(case, listed)} == {"g", "mine"}


def test_a_prediction_that_needs_other_rows_is_a_function_of_what_was_joined(
    tmp_path: Path,
) -> None:
    other = rows("id", {"id": "key", "more": "numeric"}, {"id": [*range(N)], "more": [1.0] * N})
    steps = {
        "joined": {"operator": "JoinByKey", "concepts": ["T", "U"]},
        "s": _machine(input="joined", kernel="linear", predictors=["x1", "more"]),
    }
    case = run(tmp_path, {"T": _table(), "U": other}, steps)
    ((parameters, definition),) = _query(
        case, "SELECT parameters, definition FROM miningflow.functions WHERE feature = 'f_label'"
    )
    assert list(json.loads(parameters)) == ["x1", "more"]
    assert definition.startswith('CREATE OR REPLACE MACRO "small_results"."f_label"("x1", "more")')
