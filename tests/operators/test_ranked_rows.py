"""Rows are chosen by their rank: classes are balanced, duplicates removed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.small_case import Columns, column, frame, key_hash, load, rows, run

from miningflow.errors import ResolveError
from miningflow.project import LoadedCase

N = 300
TYPES = {"id": "key", "x": "numeric", "label": "nominal", "place": "nominal"}
TABLE: Columns = {
    "id": list(range(1, N + 1)),
    "x": [None if i % 5 == 1 else float(i % 3) for i in range(N)],
    "label": [None if i % 13 == 5 else "aaaaaabbbc"[i % 10] for i in range(N)],
    "place": [None if i % 4 == 1 else "pq"[i % 2] for i in range(N)],
}
SEED = 7


def _draw(**more: Any) -> dict[str, Any]:
    draw = {"operator": "RowSelectionByUnbiasing", "input": "T", "label": "label", "seed": SEED}
    return {**draw, **more}


def _distinct(**more: Any) -> dict[str, Any]:
    return {"operator": "RemoveDuplicates", "input": "T", **more}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    types = {name: kind for name, kind in TYPES.items() if name != "id"}
    some = {name: values[:40] for name, values in TABLE.items()}
    concepts = {
        "T": rows("id", TYPES, TABLE),
        "Backwards": rows("id", TYPES, {n: values[::-1] for n, values in TABLE.items()}),
        "Keyless": rows(None, types, TABLE),
        "Held": rows("id", TYPES, TABLE, {"share": 0.5, "seed": SEED}),
        "OnlyKey": rows("id", {"id": "key"}, {"id": some["id"]}),
    }
    steps = {
        "equal": _draw(),
        "other_order": _draw(input="Backwards"),
        "other_seed": _draw(seed=8),
        "ten": _draw(how_many=10),
        "many": _draw(how_many=40),
        "given": _draw(counts={"a": 50, "c": 9999}),
        "balanced_keyless": _draw(input="Keyless"),
        "of_held": _draw(input="Held"),
        "then_where": {
            "operator": "RowSelectionByQuery",
            "input": "ten",
            "where": "x is not null",
        },
        "distinct": _distinct(targets=["x", "place"]),
        "distinct_backwards": _distinct(input="Backwards", targets=["x", "place"]),
        "whole_rows": _distinct(),
        "keyless_rows": _distinct(input="Keyless"),
        "only_key": _distinct(input="OnlyKey"),
        "distinct_of_distinct": _distinct(input="distinct", targets=["x"]),
    }
    return run(tmp_path_factory.mktemp("ranked"), concepts, steps)


def _drawn(counts: dict[str, int], seed: int = SEED) -> list[int]:
    found: list[int] = []
    for label, count in counts.items():
        pairs = zip(TABLE["id"], TABLE["label"], strict=True)
        members = [key for key, value in pairs if value == label]
        found += sorted(members, key=lambda key: key_hash(f"{key}:class", seed))[:count]
    return sorted(found)


SIZES = Counter(v for v in TABLE["label"] if v is not None)
LEAST = min(SIZES.values())


def test_classes_are_as_large_as_the_smallest(case: LoadedCase) -> None:
    assert column(case, "equal", "id") == _drawn(dict.fromkeys("abc", LEAST))
    assert column(case, "other_seed", "id") == _drawn(dict.fromkeys("abc", LEAST), 8)
    assert column(case, "other_seed", "id") != column(case, "equal", "id")
    assert min(SIZES["a"], SIZES["b"]) > LEAST


def test_draws_do_not_depend_on_the_order_of_rows(case: LoadedCase) -> None:
    assert column(case, "other_order", "id") == column(case, "equal", "id")


def test_at_most_so_many_of_each(case: LoadedCase) -> None:
    assert column(case, "ten", "id") == _drawn(dict.fromkeys("abc", 10))
    assert column(case, "many", "id") == _drawn(dict.fromkeys("abc", 40))
    assert LEAST < 40


def test_numbers_may_differ(case: LoadedCase) -> None:
    assert column(case, "given", "id") == _drawn({"a": 50, "c": LEAST})


def test_rows_without_a_key_are_balanced_too(case: LoadedCase) -> None:
    found = Counter(case.table("balanced_keyless").column("label").to_pylist())
    assert found == dict.fromkeys("abc", LEAST)


def test_the_seed_of_a_holdout_does_not_bend_the_draw(case: LoadedCase) -> None:
    held = [key_hash(key, SEED) < "80000000" for key in column(case, "of_held", "id")]
    assert 0.3 < sum(held) / len(held) < 0.7


def test_a_condition_after_the_draw_chooses_from_it(case: LoadedCase) -> None:
    drawn = _drawn(dict.fromkeys("abc", 10))
    expected = [key for key in drawn if TABLE["x"][key - 1] is not None]
    assert column(case, "then_where", "id") == expected


def _first(table: pd.DataFrame, on: list[str]) -> list[int]:
    table = table.assign(hash=[key_hash(f"{key}:duplicate", 0) for key in table["id"]])
    return sorted(table.sort_values("hash").drop_duplicates(on)["id"])


def test_the_row_with_the_smallest_hash_stays(case: LoadedCase) -> None:
    expected = _first(pd.DataFrame(TABLE), ["x", "place"])
    assert column(case, "distinct", "id") == expected
    assert column(case, "distinct_backwards", "id") == expected
    assert frame(case, "distinct")["x"].isna().any()


def test_whole_rows_are_compared_without_their_key(case: LoadedCase) -> None:
    expected = _first(pd.DataFrame(TABLE), ["x", "label", "place"])
    assert column(case, "whole_rows", "id") == expected
    assert case.table("whole_rows").column_names == list(TYPES)
    assert case.table("keyless_rows").num_rows == len(expected)
    assert column(case, "only_key", "id") == TABLE["id"][:40]


def test_duplicates_are_removed_again(case: LoadedCase) -> None:
    first = pd.DataFrame(TABLE)
    first = first[first["id"].isin(_first(first, ["x", "place"]))]
    assert column(case, "distinct_of_distinct", "id") == _first(first, ["x"])


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (_draw(how_many=3, counts={"a": 1}), "`how_many` and `counts` are both given"),
        (_draw(counts={"a": 0}), "must be at least 1, got 0"),
        (_draw(counts={"a": "many"}), "takes a whole number, got 'many'"),
        (_draw(counts=[3]), "takes a map of values to whole numbers"),
        (_draw(label="x"), "feature 'x' is numeric"),
        (_distinct(targets=["y"]), "there is no feature 'y'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    step: dict[str, Any], message: str, tmp_path: Path
) -> None:
    first = {name: values[:3] for name, values in TABLE.items()}
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, {"T": rows("id", TYPES, first)}, {"s": step})
