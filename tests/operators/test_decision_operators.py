"""Trees and rules in the database against scikit-learn and against loops in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from support.small_case import Columns, column, frame, load, rows, run

from miningflow.errors import ResolveError, RunError
from miningflow.project import LoadedCase

N = 500
RANDOM = np.random.default_rng(11)
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "color": "nominal",
    "flag": "binary",
    "kind": "nominal",
    "amount": "numeric",
}
X = RANDOM.normal(size=N).round(2)
Y = RANDOM.normal(size=N)
COLOR = RANDOM.choice(["red", "green", "it's blue", 'a "b"'], N)
FLAG = RANDOM.choice(["no", "yes"], N)
_SIGNAL = X + (COLOR == "red") - (FLAG == "yes") * Y + RANDOM.normal(0, 0.2, N)
KIND = np.array(["zebra", "ape", "ünï"])[np.digitize(_SIGNAL, [-0.5, 0.8])]
TABLE: Columns = {
    "id": list(range(N)),
    "x": X.tolist(),
    "y": Y.tolist(),
    "color": COLOR.tolist(),
    "flag": FLAG.tolist(),
    "kind": [None if i % 10 == 3 else str(k) for i, k in enumerate(KIND)],
    "amount": [None if i % 12 == 5 else float(s) for i, s in enumerate(_SIGNAL)],
}
HOLES: Columns = {
    **TABLE,
    "x": [None if i % 7 == 2 else v for i, v in enumerate(TABLE["x"])],
    "color": [None if i % 8 == 1 else v for i, v in enumerate(TABLE["color"])],
    "flag": [None if i % 9 == 4 else v for i, v in enumerate(TABLE["flag"])],
}
MODEL: dict[str, Any] = {
    "operator": "PredictionWithDecisionTree",
    "input": "T",
    "target": "kind",
    "predictors": ["x", "y", "color", "flag"],
    "pruning": 0.0,
    "output": "told",
}
NUMBER = {**MODEL, "target": "amount"}
COLORS = ['a "b"', "green", "it's blue", "red"]


def _matrix(table: Columns) -> Any:
    """Encodes predictors by hand: numbers, an indicator for each color, one for the flag."""
    nan = float("nan")
    numbers = [[nan if v is None else v for v in table[name]] for name in ("x", "y")]
    colors = [[nan if v is None else float(v == color) for v in table["color"]] for color in COLORS]
    flags = [nan if v is None else float(v == "yes") for v in table["flag"]]
    return np.array([*numbers, *colors, flags]).T


def _scikit(table: Columns, target: str, complete: bool) -> Any:
    """Learns the same tree with scikit-learn, from the rows that have the target."""
    kind: Any = DecisionTreeClassifier if target == "kind" else DecisionTreeRegressor
    matrix = _matrix(table)
    known = np.array([v is not None for v in table[target]])
    if complete:
        known &= ~np.isnan(matrix).any(axis=1)
    # rows are learned from in the order of a hash, which decides between equal splits
    order = [i for i in _by_hash(table["id"]) if known[i]]
    labels = np.array([table[target][i] for i in order])
    return kind(max_depth=10, min_samples_leaf=5, random_state=0).fit(matrix[order], labels)


def _by_hash(keys: list[int]) -> list[int]:
    from support.small_case import key_hash

    return sorted(range(len(keys)), key=lambda i: key_hash(keys[i], 0))


def _told(case: LoadedCase, step: str = "m", name: str = "told") -> list[Any]:
    return column(case, step, name)


def test_a_tree_tells_classes_as_scikit_learn_does(tmp_path: Path) -> None:
    step = {**MODEL, "probability": "share"}
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": step})
    theirs = _scikit(TABLE, "kind", complete=True)
    matrix = _matrix(TABLE)
    assert _told(case) == theirs.predict(matrix).tolist()
    assert _told(case, name="share") == theirs.predict_proba(matrix).max(axis=1).tolist()
    assert theirs.get_n_leaves() > 10


def test_a_tree_tells_numbers_as_scikit_learn_does(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": NUMBER})
    assert _told(case) == _scikit(TABLE, "amount", complete=True).predict(_matrix(TABLE)).tolist()


@pytest.mark.parametrize("step", [MODEL, NUMBER], ids=["classes", "numbers"])
def test_null_goes_the_way_that_was_learned(step: dict[str, Any], tmp_path: Path) -> None:
    follow = {**step, "nulls": "follow"}
    case = run(tmp_path, {"T": rows("id", TYPES, HOLES)}, {"m": follow})
    theirs = _scikit(HOLES, step["target"], complete=False)
    assert _told(case) == theirs.predict(_matrix(HOLES)).tolist()


def test_null_gives_null_unless_something_else_is_wanted(tmp_path: Path) -> None:
    steps = {"m": MODEL, "filled": {**MODEL, "nulls": "impute"}}
    case = run(tmp_path, {"T": rows("id", TYPES, HOLES)}, steps)
    matrix = _matrix(HOLES)
    missing = np.isnan(matrix).any(axis=1)  # this tree asks about all predictors
    expected = _scikit(HOLES, "kind", complete=True).predict(matrix).astype(object)
    assert _told(case) == [None if m else e for m, e in zip(missing, expected, strict=True)]
    assert None not in _told(case, "filled")


def test_values_at_a_bound_are_told_as_scikit_learn_does(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": MODEL})
    theirs = _scikit(TABLE, "kind", complete=True)
    tree = theirs.tree_
    on_numbers = (tree.children_left >= 0) & (tree.feature <= 1)
    near = np.concatenate([tree.threshold[on_numbers], np.float32(tree.threshold[on_numbers])])
    for _ in range(3):
        near = np.concatenate([near, np.nextafter(near, 9), np.nextafter(near, -9)])
    halfway = [(float(np.float32(v)) + float(np.nextafter(np.float32(v), 9))) / 2 for v in near]
    near = np.unique(np.concatenate([near, halfway]))
    random = np.random.default_rng(0)
    count = 4_000
    new: Columns = {
        "id": list(range(count)),
        "x": random.choice(near, count).tolist(),
        "y": random.choice(near, count).tolist(),
        "color": random.choice(COLORS, count).tolist(),
        "flag": random.choice(["no", "yes"], count).tolist(),
    }
    types = {name: TYPES[name] for name in new}
    scored = case.score({"T": rows("id", types, new).table}).sort_by("id")
    assert scored.column("told").to_pylist() == theirs.predict(_matrix(new)).tolist()


def test_what_was_never_seen(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": MODEL})
    new: Columns = {
        "id": [1, 2, 3, 4],
        "x": [0.5, 0.5, float("nan"), float("inf")],
        "y": [0.1, 0.1, 0.1, 0.1],
        "color": ["mauve", "green", "green", "green"],
        "flag": ["no", "perhaps", "no", "no"],
    }
    types = {name: TYPES[name] for name in new}
    scored = case.score({"T": rows("id", types, new).table}).sort_by("id")
    (expected,) = _scikit(TABLE, "kind", complete=True).predict([[0.5, 0.1, 0, 0, 0, 0, 0]])
    assert scored.column("told").to_pylist() == [expected, None, None, None]


@pytest.mark.parametrize("operator", ["PredictionWithDecisionTree", "PredictionWithDecisionRules"])
@pytest.mark.parametrize("target", ["kind", "amount"])
def test_sql_and_model_agree(operator: str, target: str, tmp_path: Path) -> None:
    step = {**MODEL, "operator": operator, "target": target}
    report = load(tmp_path, {"T": rows("id", TYPES, HOLES)}, {"m": step}).run()
    parity = report.stages[-1].parity
    assert parity is not None
    assert parity.compared_rows == N
    assert parity.largest_difference == 0


def test_rules_decide_in_order(tmp_path: Path) -> None:
    step = {
        **MODEL,
        "operator": "PredictionWithDecisionRules",
        "probability": "share",
        "positive": "ape",
    }
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": step})
    found = frame(case, "m")
    known = found["kind"].notna()
    assert (found["told"] == found["kind"])[known].mean() > 0.75
    topics = case.explain("m").topics
    rules = [words for topic, words in topics.items() if topic.startswith("rule ")]
    assert 3 <= len(rules) <= 40
    assert rules[-1].startswith("otherwise: ")
    # the first rule, by what it says of itself
    first = found[found["told"].notna()]
    text = rules[0].removeprefix("if ").rpartition(": ")[0]
    for part in text.split(" and "):
        first = first[_holds(part, first)]
    said = rules[0].rpartition(": ")[2].partition("'")[2].partition("'")[0]
    assert set(first["told"]) == {said}
    learned = first[first["kind"].notna()]
    assert f"({len(learned)} rows, " in rules[0]
    share = (learned["kind"] == "ape").mean()
    assert first["share"].to_numpy() == pytest.approx(share)


def _holds(words: str, found: Any) -> Any:
    if " < " in words:
        low, _, rest = words.partition(" < ")
        name, _, high = rest.partition(" ≤ ")
        return (found[name] > float(low)) & (found[name] <= float(high))
    for sign in (" ≤ ", " > "):
        if sign in words:
            name, _, bound = words.partition(sign)
            return found[name] <= float(bound) if sign == " ≤ " else found[name] > float(bound)
    name, _, category = words.partition(" is ")
    if category.startswith("not "):
        return found[name] != eval(category.removeprefix("not "))
    return found[name] == eval(category)


@pytest.mark.parametrize(
    "operator", ["MissingValueWithDecisionTree", "MissingValueWithDecisionRules"]
)
def test_missing_values_are_told(operator: str, tmp_path: Path) -> None:
    step = {k: v for k, v in MODEL.items() if k != "output"} | {"operator": operator}
    steps = {
        "kind": step,
        "amount": {**step, "target": "amount", "output": "known"},
        "some": {**step, "predictors": ["x"]},
    }
    case = run(tmp_path, {"T": rows("id", TYPES, HOLES)}, steps)
    filled = column(case, "kind", "kind")
    model = {**step, "operator": operator.replace("MissingValue", "Prediction"), "output": "told"}
    told = _told(run(tmp_path / "again", {"T": rows("id", TYPES, HOLES)}, {"m": model}))
    given = HOLES["kind"]
    assert filled == [t if g is None else g for g, t in zip(given, told, strict=True)]
    assert filled.count(None) < given.count(None)
    assert column(case, "amount", "amount") == HOLES["amount"]
    numbers = column(case, "amount", "known")
    assert all(k == g for k, g in zip(numbers, HOLES["amount"], strict=True) if g is not None)
    assert numbers.count(None) < HOLES["amount"].count(None)
    unknown = [x is None and k is None for x, k in zip(HOLES["x"], given, strict=True)]
    assert [v is None for v in column(case, "some", "kind")] == unknown


def test_missing_values_are_told_where_predictors_are_missing_too(tmp_path: Path) -> None:
    step = {k: v for k, v in MODEL.items() if k != "output"}
    step |= {"operator": "MissingValueWithDecisionTree", "nulls": "follow"}
    case = run(tmp_path, {"T": rows("id", TYPES, HOLES)}, {"s": step})
    told = _scikit(HOLES, "kind", complete=False).predict(_matrix(HOLES))
    expected = [t if g is None else g for g, t in zip(HOLES["kind"], told, strict=True)]
    assert column(case, "s", "kind") == expected


def test_the_model_is_a_function(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": {**MODEL, "probability": "p"}})
    with duckdb.connect(str(tmp_path / "store.duckdb"), read_only=True) as connection:
        found = connection.sql(
            "SELECT id, told, small_results.told(x, y, color, flag) AS called, p, "
            "small_results.p(x, y, color, flag) AS p_called FROM small_results.m"
        ).fetchall()
    assert len(found) == N
    assert all(told == called and p == again for _, told, called, p, again in found)
    assert "a tree of " in case.explain("m").topics["model"]


def test_held_out_rows_teach_nothing(tmp_path: Path) -> None:
    held = {"share": 0.5, "seed": 3}
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE, held)}, {"m": MODEL})
    learned = case.explain("m").topics["learned"]
    known = sum(v is not None for v in TABLE["kind"])
    count = int(learned.split()[1])
    assert 0.4 * known < count < 0.6 * known


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predictors": ["kind", "x"]}, "the target 'kind' is among the predictors"),
        ({"output": "x"}, "'T' already has a feature 'x'"),
        ({"target": "amount", "probability": "p"}, "a numeric target has no probability"),
        ({"positive": "ape"}, "`positive` has no effect without `probability`"),
        ({"nulls": "error"}, "cannot be 'error'"),
        ({"depth": 99}, "must be at most 30"),
    ],
)
def test_mistakes_are_told(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"m": {**MODEL, **changes}})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"kind": [None] * N}, "fewer than two training rows"),
        ({"x": [1e39] * N}, "infinite or larger than 3.4e"),
        ({"kind": [f"k{i}" for i in range(N)]}, "500 classes; a tree can have at most 100"),
        ({"color": [f"c{i}" for i in range(N)]}, "categories; a predictor can have at most 200"),
    ],
)
def test_what_cannot_be_learned_is_told(columns: Columns, message: str, tmp_path: Path) -> None:
    case = load(tmp_path, {"T": rows("id", TYPES, {**TABLE, **columns})}, {"m": MODEL})
    with pytest.raises(RunError, match=message):
        case.run()


def test_one_class_is_always_told(tmp_path: Path) -> None:
    table: Columns = {**HOLES, "kind": ["only"] * N}
    case = run(tmp_path, {"T": rows("id", TYPES, table)}, {"m": MODEL})
    assert set(_told(case)) == {"only"}
