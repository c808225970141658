"""Missing values are replaced by medians, constants, draws and predictions."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import Columns, column, key_hash, load, rows, run

from miningflow.errors import ResolveError, RunError
from miningflow.project import LoadedCase

N = 4_000
RANDOM = np.random.default_rng(5)
TYPES = {
    "id": "key",
    "x": "numeric",
    "few": "numeric",
    "w": "nominal",
    "flag": "binary",
    "guess": "nominal",
    "at": "time",
}


def _holes(values: Any, share: float) -> list[Any]:
    missing = RANDOM.random(N) < share
    return [None if m else v for v, m in zip(values.tolist(), missing, strict=True)]


TABLE: Columns = {
    "id": list(range(1, N + 1)),
    "x": _holes(RANDOM.lognormal(0, 2, N), 0.3),
    "few": _holes(RANDOM.choice([1.0, 2.0, 10.0], N, p=[0.5, 0.3, 0.2]), 0.3),
    "w": _holes(RANDOM.choice(["p", "q", "r's"], N, p=[0.7, 0.25, 0.05]), 0.5),
    "flag": _holes(RANDOM.choice(["no", "yes"], N), 0.1),
    "guess": _holes(RANDOM.choice(["p", "q"], N), 0.2),
    "at": [None if i % 5 == 0 else datetime(2024, 1, 1 + i % 28) for i in range(N)],
}
SEED = 7


def _draw(target: str, **more: Any) -> dict[str, Any]:
    draw = {"operator": "AssignStochasticValue", "input": "T", "target": target, "seed": SEED}
    return {**draw, **more}


def _default(target: str, value: Any, **more: Any) -> dict[str, Any]:
    default = {"operator": "AssignDefaultValue", "target": target, "default": value}
    return {**default, "input": "T", **more}


def _median(**more: Any) -> dict[str, Any]:
    return {"operator": "AssignMedianValue", "input": "T", "target": "x", **more}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    table = rows("id", TYPES, TABLE)
    backwards = rows("id", TYPES, {name: values[::-1] for name, values in TABLE.items()})
    even = rows("id", TYPES, {name: values[:8] for name, values in TABLE.items()})
    held = rows("id", TYPES, TABLE, {"share": 0.5, "seed": SEED})
    predicted = {"operator": "AssignPredictedValueCategorial", "input": "T", "predicted": "guess"}
    steps = {
        "median": _median(),
        "few_rows": _median(input="Even", output="y"),
        "held_median": _median(input="Held"),
        "number": _default("x", -1.5),
        "word": _default("w", "it's unknown", output="y"),
        "moment": _default("at", "2020-02-29 12:00:00"),
        "short_form": _default("at", "20200229T12"),
        "draw_word": _draw("w"),
        "other_order": _draw("w", input="Backwards"),
        "other_seed": _draw("w", seed=8),
        "draw_few": _draw("few", output="y"),
        "draw_x": _draw("x"),
        "held_draw": _draw("w", input="Held"),
        "predicted": {**predicted, "target": "w", "output": "y"},
        "flag": {**predicted, "target": "flag"},
    }
    concepts = {"T": table, "Backwards": backwards, "Even": even, "Held": held}
    return run(tmp_path_factory.mktemp("drawn"), concepts, steps)


def _known(name: str) -> list[Any]:
    return [v for v in TABLE[name] if v is not None]


def _chance(key: int, seed: int = SEED) -> float:
    """The number between 0 and 1 that a draw for this key is made by."""
    return int(key_hash(f"{key}:value", seed)[:8], 16) / 16**8


def _held_out(key: int) -> bool:
    return key_hash(key, SEED) < "80000000"


def test_the_median_replaces_null(case: LoadedCase) -> None:
    median = float(np.median(_known("x")))
    assert column(case, "median", "x") == [median if v is None else v for v in TABLE["x"]]
    first = [v for v in TABLE["x"][:8] if v is not None]
    filled = [float(np.median(first)) if v is None else v for v in TABLE["x"][:8]]
    assert column(case, "few_rows", "y") == pytest.approx(filled, rel=1e-15)
    assert None in TABLE["x"][:8]


def test_held_out_rows_do_not_count(case: LoadedCase) -> None:
    pairs = zip(TABLE["id"], TABLE["x"], strict=True)
    seen = [x for key, x in pairs if x is not None and not _held_out(key)]
    found = zip(column(case, "held_median", "x"), TABLE["x"], strict=True)
    filled = {x for x, was in found if was is None}
    assert filled == {float(np.median(seen))}


def test_a_constant_has_the_type_of_the_feature(case: LoadedCase) -> None:
    assert column(case, "number", "x") == [-1.5 if v is None else v for v in TABLE["x"]]
    assert column(case, "word", "y") == [v or "it's unknown" for v in TABLE["w"]]
    assert column(case, "word", "w") == TABLE["w"]
    leap = datetime(2020, 2, 29, 12)
    assert column(case, "moment", "at") == [v or leap for v in TABLE["at"]]
    assert column(case, "short_form", "at") == column(case, "moment", "at")


@pytest.mark.parametrize(("step", "seed"), [("draw_word", SEED), ("other_seed", 8)])
def test_a_word_is_drawn_by_hash_and_share(case: LoadedCase, step: str, seed: int) -> None:
    counts = Counter(_known("w"))
    words = sorted(counts)
    limits = np.cumsum([counts[w] for w in words]) / sum(counts.values())
    expected = [
        words[int(np.searchsorted(limits, _chance(key, seed), side="right"))] if v is None else v
        for key, v in zip(TABLE["id"], TABLE["w"], strict=True)
    ]
    assert column(case, step, "w") == expected


def test_draws_do_not_depend_on_the_order_of_rows(case: LoadedCase) -> None:
    assert column(case, "other_order", "w") == column(case, "draw_word", "w")
    assert column(case, "other_seed", "w") != column(case, "draw_word", "w")


def test_draws_have_the_distribution_of_what_is_known(case: LoadedCase) -> None:
    for step, made, name in [("draw_few", "y", "few"), ("draw_word", "w", "w")]:
        found = column(case, step, made)
        drawn = Counter(v for v, was in zip(found, TABLE[name], strict=True) if was is None)
        known = Counter(_known(name))
        for value, count in known.items():
            share = count / sum(known.values())
            deviation = math.sqrt(share * (1 - share) / sum(drawn.values()))
            assert abs(drawn[value] / sum(drawn.values()) - share) < 4 * deviation


def test_a_number_is_drawn_from_quantiles(case: LoadedCase) -> None:
    ends = np.quantile(_known("x"), np.arange(1, 101) / 100, method="inverted_cdf")
    sizes = np.searchsorted(np.sort(_known("x")), ends, side="right")
    limits = sizes / len(_known("x"))
    expected = [
        float(ends[int(np.searchsorted(limits, _chance(key), side="right"))]) if v is None else v
        for key, v in zip(TABLE["id"], TABLE["x"], strict=True)
    ]
    assert column(case, "draw_x", "x") == expected


def test_the_seed_of_a_holdout_does_not_bend_the_draws(case: LoadedCase) -> None:
    found = zip(TABLE["id"], TABLE["w"], column(case, "held_draw", "w"), strict=True)
    drawn = Counter(new for key, old, new in found if old is None and _held_out(key))
    assert min(drawn.values()) > 10
    assert len(drawn) == 3


def test_a_prediction_replaces_null_only(case: LoadedCase) -> None:
    pairs = list(zip(TABLE["w"], TABLE["guess"], strict=True))
    assert column(case, "predicted", "y") == [g if w is None else w for w, g in pairs]
    assert (None, None) in pairs
    assert case.bound.steps["flag"].output.features["flag"].type == "binary"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (_default("x", "much"), "takes a number, got 'much'"),
        (_default("at", "soon"), "'soon' is not a time"),
        (_default("at", "2020-01-01T00:00+01:00"), "has a time zone"),
        (_draw("x", input="Keyless"), "'Keyless' has no key, which drawing values needs"),
    ],
)
def test_what_cannot_be_filled_is_refused(
    step: dict[str, Any], message: str, tmp_path: Path
) -> None:
    first = {name: values[:5] for name, values in TABLE.items()}
    keyless = rows(None, {"x": "numeric"}, {"x": [1.0, None]})
    concepts = {"T": rows("id", TYPES, first), "Keyless": keyless}
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, concepts, {"s": step})


def _refused(values: list[Any], kind: str, operator: str, tmp_path: Path) -> str:
    ids = list(range(len(values)))
    table = rows("id", {"id": "key", "x": kind}, {"id": ids, "x": values})
    step = {"operator": operator, "input": "T", "target": "x"}
    with pytest.raises(RunError) as refused:
        load(tmp_path, {"T": table}, {"s": step}).run()
    return str(refused.value)


@pytest.mark.parametrize("operator", ["AssignMedianValue", "AssignStochasticValue"])
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(operator: str, odd: float, tmp_path: Path) -> None:
    message = _refused([1.0, 2.0, 3.0, odd], "numeric", operator, tmp_path)
    assert "'x' has 1 value that is NaN or infinite" in message


def test_too_many_words_are_refused(tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(1_001)]
    message = _refused(words, "nominal", "AssignStochasticValue", tmp_path)
    assert "1,001 different values; values can be drawn from at most 1,000" in message
