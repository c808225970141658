"""Rows are chosen by conditions, at random, and by what is known."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.small_case import Columns, column, key_hash, rows, run

from miningflow.project import LoadedCase

N = 40
TYPES = {"id": "key", "x": "numeric", "w": "nominal", "at": "time"}
X = [None if i % 7 == 3 else float(i % 10) for i in range(N)]
W = [None if i % 9 == 1 else "ab"[i % 2] for i in range(N)]
AT = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(N)]


def _query(**more: Any) -> dict[str, Any]:
    return {"operator": "RowSelectionByQuery", "input": "T", **more}


def _sample(**more: Any) -> dict[str, Any]:
    return {"operator": "RowSelectionByRandomSampling", "input": "T", "how_many": 12, **more}


def _compare(feature: str, operator: str, value: Any) -> dict[str, Any]:
    return {"feature": feature, "operator": operator, "value": value}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    table: Columns = {"id": list(range(1, N + 1)), "x": X, "w": W, "at": AT}
    backwards = {name: values[::-1] for name, values in table.items()}
    keyless: Columns = {"x": [float(i % 4) for i in range(N)], "w": W}
    concepts = {
        "T": rows("id", TYPES, table),
        "Backwards": rows("id", TYPES, backwards),
        "Keyless": rows(None, {"x": "numeric", "w": "nominal"}, keyless),
    }
    steps = {
        "where": _query(where="x > 3 and not w = 'a'"),
        "compared": _query(
            conditions=[
                _compare("x", ">=", 2),
                _compare("w", "<>", "b"),
                _compare("at", "<", "2024-01-31"),
                _compare("id", "<>", "13"),
            ]
        ),
        "both": _query(where="x > 3", conditions=[_compare("w", "=", "b")]),
        "sample": _sample(seed=7),
        "other_order": _sample(input="Backwards", seed=7),
        "other_seed": _sample(seed=8),
        "all": _sample(how_many=10 * N),
        "keyless_sample": _sample(input="Keyless"),
        "of_sample": _query(input="sample", where="x >= 0"),
        "complete": {
            "operator": "DeleteRecordsWithMissingValues",
            "input": "T",
            "targets": ["x", "w"],
        },
    }
    return run(tmp_path_factory.mktemp("rows"), concepts, steps)


def _ids(condition: Any) -> list[int]:
    return [i + 1 for i in range(N) if condition(X[i], W[i], AT[i], i + 1)]


def test_what_is_unknown_is_left_out(case: LoadedCase) -> None:
    expected = _ids(lambda x, w, at, i: x is not None and x > 3 and w is not None and w != "a")
    assert column(case, "where", "id") == expected


def test_comparisons_all_hold(case: LoadedCase) -> None:
    expected = _ids(
        lambda x, w, at, i: (
            x is not None and x >= 2 and w == "a" and at < datetime(2024, 1, 31) and i != 13
        )
    )
    assert column(case, "compared", "id") == expected
    assert expected


def test_a_condition_and_comparisons_both_hold(case: LoadedCase) -> None:
    expected = _ids(lambda x, w, at, i: x is not None and x > 3 and w == "b")
    assert column(case, "both", "id") == expected


def _drawn(seed: int) -> list[int]:
    return sorted(sorted(range(1, N + 1), key=lambda i: key_hash(f"{i}:sample", seed))[:12])


def test_a_sample_is_drawn_by_hash_of_the_key(case: LoadedCase) -> None:
    assert column(case, "sample", "id") == _drawn(7)
    assert column(case, "other_seed", "id") == _drawn(8)
    assert _drawn(7) != _drawn(8)


def test_a_sample_does_not_depend_on_the_order_of_rows(case: LoadedCase) -> None:
    assert column(case, "other_order", "id") == _drawn(7)


def test_a_sample_of_few_rows_is_all_of_them(case: LoadedCase) -> None:
    assert column(case, "all", "id") == list(range(1, N + 1))


def test_rows_without_a_key_are_drawn_too(case: LoadedCase) -> None:
    assert case.table("keyless_sample").num_rows == 12


def test_the_seed_of_a_holdout_does_not_draw_held_out_rows_first(tmp_path: Path) -> None:
    columns = {"id": list(range(1, 401))}
    held = rows("id", {"id": "key"}, columns, {"share": 0.5, "seed": 7})
    case = run(tmp_path, {"T": held}, {"sample": {**_sample(seed=7), "how_many": 100}})
    drawn = column(case, "sample", "id")
    held_out = sum(key_hash(i, 7) < "80000000" for i in drawn)
    assert len(drawn) == 100
    assert 30 <= held_out <= 70  # all 100, were both drawn by the same hash


def test_a_row_without_a_key_is_not_taken_for_another(tmp_path: Path) -> None:
    """Texts without a bar between them would be equal, and the engine would choose."""
    types = {"x": "nominal", "y": "nominal"}
    found = []
    for i, (x, y) in enumerate(([["a", None], [None, "a"]], [[None, "a"], ["a", None]])):
        keyless = rows(None, types, {"x": x, "y": y})
        case = run(tmp_path / str(i), {"T": keyless}, {"sample": {**_sample(), "how_many": 1}})
        found.append(case.table("sample").to_pylist())
    assert found[0] == found[1]


def test_a_condition_after_a_sample_chooses_from_the_sample(case: LoadedCase) -> None:
    assert column(case, "of_sample", "id") == [i for i in _drawn(7) if X[i - 1] is not None]


def test_rows_with_null_are_deleted(case: LoadedCase) -> None:
    expected = _ids(lambda x, w, at, i: x is not None and w is not None)
    assert column(case, "complete", "id") == expected
