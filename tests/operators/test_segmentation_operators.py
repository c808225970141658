"""Segments: what each step makes and learns in them, and what they are put together to."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from support.small_case import Columns, frame, key_hash, load, rows, run

import miningflow
from miningflow import pipeline
from miningflow.declare.segmentation import Segment
from miningflow.errors import ResolveError, RunError
from miningflow.learn.clustering import cluster, nearest
from miningflow.project import LoadedCase

N = 240
TYPES = {"id": "key", "kind": "nominal", "size": "nominal", "x": "numeric", "y": "numeric"}
RNG = np.random.default_rng(3)
TABLE: Columns = {
    "id": list(range(1, N + 1)),
    "kind": [None if i % 12 == 5 else ("a", "b'", "ü")[i % 3] for i in range(N)],
    "size": [("small", "large")[i // 7 % 2] for i in range(N)],
    "x": [None if i % 10 == 3 else float(i % 3 * 100 + i % 7) for i in range(N)],
    "y": [float(v) for v in RNG.normal(size=N).round(3)],
}
KINDS = {"operator": "SegmentationStratified", "input": "T", "by": "kind", "output": "part"}


def _t(**more: Any) -> dict[str, Any]:
    return {"T": rows("id", TYPES, TABLE, **more)}


def test_a_mean_is_that_of_the_segment(tmp_path: Path) -> None:
    filled = {"operator": "AssignAverageValue", "input": "kinds", "target": "x"}
    case = run(tmp_path, _t(), {"kinds": KINDS, "filled": filled})
    expected = pd.DataFrame(TABLE)
    means = expected.groupby("kind", dropna=False)["x"].transform("mean")
    found = frame(case, "filled").set_index("id").sort_index()
    assert np.allclose(found["x"], expected["x"].fillna(means))
    assert list(found["part"].fillna("–")) == list(expected["kind"].fillna("–"))


def test_a_run_of_constructions_is_one_select(tmp_path: Path) -> None:
    steps = {
        "kinds": KINDS,
        "filled": {"operator": "AssignAverageValue", "input": "kinds", "target": "x"},
        "scaled": {"operator": "LinearScaling", "input": "filled", "target": "x", "range": [0, 1]},
        "twice": {
            "operator": "GenericFeatureConstruction",
            "input": "scaled",
            "sql": "2 * x",
            "output": "double_x",
        },
    }
    case = run(tmp_path, _t(), steps)
    sql = case.compile()
    assert sql.count("SELECT") == 2
    assert "UNION" not in sql
    found = frame(case, "twice")
    for _, part in found.groupby("kind", dropna=False):
        assert part["double_x"].min() == 0
        assert part["double_x"].max() == pytest.approx(2)


def test_a_number_is_cut_into_segments(tmp_path: Path) -> None:
    by_x = {"operator": "SegmentationStratified", "input": "T", "by": "x"}
    steps = {
        "cut": {**by_x, "cuts": [100, 200]},
        "quarters": {**by_x, "by": "y"},
        "counted": {"operator": "Unsegment", "input": "cut"},
    }
    case = run(tmp_path, _t(), steps)
    expected = pd.cut(
        pd.Series(TABLE["x"], dtype=float),
        [-np.inf, 100, 200, np.inf],
        right=False,
        labels=["below 100", "100 to 200", "from 200"],
    )
    found = frame(case, "cut").sort_values("id")["segment"]
    assert sorted(Counter(found.fillna("–")).values()) == sorted(
        Counter(expected.astype(object).fillna("–")).values()
    )
    assert Counter(frame(case, "quarters")["segment"]).most_common(1)[0][1] == N // 4


def test_nested_segments_end_one_after_the_other(tmp_path: Path) -> None:
    sizes = {**KINDS, "input": "kinds", "by": "size", "output": "extent"}
    steps = {
        "kinds": KINDS,
        "sizes": sizes,
        "filled": {"operator": "AssignAverageValue", "input": "sizes", "target": "x"},
        "by_kind": {"operator": "Unsegment", "input": "filled"},
        "largest": {
            "operator": "RowSelectionByRandomSampling",
            "input": "by_kind",
            "how_many": 5,
        },
        "by_size": {"operator": "Unsegment", "input": "filled", "by": "part"},
        "few": {"operator": "RowSelectionByRandomSampling", "input": "by_size", "how_many": 5},
        "whole": {"operator": "Unsegment", "input": "by_kind"},
    }
    case = run(tmp_path, _t(), steps)
    expected = pd.DataFrame(TABLE)
    means = expected.groupby(["kind", "size"], dropna=False)["x"].transform("mean")
    found = frame(case, "whole").sort_values("id")
    assert np.allclose(found["x"], expected["x"].fillna(means))
    assert {"part", "extent"} <= set(found)
    counts = frame(case, "largest").fillna({"part": "–"}).groupby("part").size()
    assert dict(counts) == {"a": 5, "b'": 5, "ü": 5, "–": 5}
    assert dict(frame(case, "few").groupby("extent").size()) == {"large": 5, "small": 5}
    bound = case.bound
    assert [s.feature for s in bound.steps["filled"].output.segmentations] == ["part", "extent"]
    assert [s.feature for s in bound.steps["by_size"].output.segmentations] == ["extent"]
    assert not bound.steps["whole"].output.segmentations


def _selecting(tmp_path: Path) -> LoadedCase:
    """Which of u, v and w decides depends on the kind: of the first u, of the second v."""
    kinds = ["p", "q"] * 100
    u, v, w = np.random.default_rng(0).normal(size=(3, 200)).round(3)
    decides = np.where(np.array(kinds) == "p", u, v)
    types = {"id": "key", "kind": "nominal", "u": "numeric", "v": "numeric", "w": "numeric"}
    columns = {
        "id": list(range(200)),
        "kind": kinds,
        "u": u.tolist(),
        "v": v.tolist(),
        "w": w.tolist(),
        "yes": np.where(decides > 0, "yes", "no").tolist(),
    }
    score: dict[str, Any] = {
        "operator": "FeatureSelectionByScore",
        "input": "kinds",
        "target": "yes",
        "positive": "yes",
        "attributes": ["u", "v", "w"],
        "score": "fisher",
        "keep": 1,
    }
    machine = {
        "operator": "SupportVectorMachineForClassification",
        "input": "chosen",
        "target": "yes",
        "positive": "yes",
        "predictors": ["u", "v", "w"],
        "kernel": "linear",
        "output": "value",
    }
    steps = {
        "kinds": {**KINDS, "input": "S"},
        "chosen": score,
        "model": machine,
        "whole": {"operator": "Unsegment", "input": "model"},
    }
    return run(tmp_path, {"S": rows("id", {**types, "yes": "binary"}, columns)}, steps)


def test_what_a_segment_lost_is_null_there(tmp_path: Path) -> None:
    case = _selecting(tmp_path)
    found = frame(case, "whole")
    first, second = found[found["kind"] == "p"], found[found["kind"] == "q"]
    assert first["u"].notna().all()
    assert first["v"].isna().all()
    assert second["u"].isna().all()
    assert second["v"].notna().all()
    assert "w" not in found, "both segments dropped it"
    assert (found["value_label"] == found["yes"]).mean() > 0.97
    cells = {c.feature: c for c in case.features().of("whole")}
    assert cells["v"].status == "partly deselected"
    assert "NULL in part 'p'" in cells["v"].reason
    assert cells["w"].status == "deselected"


def test_new_rows_find_the_machine_of_their_segment(tmp_path: Path) -> None:
    case = _selecting(tmp_path)
    new = pa.table(
        {
            "id": [1, 2, 3, 4],
            "kind": ["p", "q", "never seen", None],
            "u": [2.0, 2.0, 2.0, 2.0],
            "v": [-2.0, -2.0, -2.0, -2.0],
            "w": [0.0, 0.0, 0.0, 0.0],
            "yes": pa.array([None] * 4, pa.string()),
        }
    )
    scores = {r["id"]: r for r in case.score({"S": new}, step="model").to_pylist()}
    assert [scores[i]["value_label"] for i in (1, 2, 3, 4)] == ["yes", "no", None, None]
    assert [scores[i]["part"] for i in (1, 2, 3, 4)] == ["p", "q", None, None]
    assert [scores[i]["value"] is None for i in (1, 2, 3, 4)] == [False, False, True, True]


def test_nothing_is_learned_from_held_out_rows_of_a_segment(tmp_path: Path) -> None:
    concepts = _t(holdout={"share": 0.4, "seed": 2})
    filled = {"operator": "AssignAverageValue", "input": "kinds", "target": "y", "output": "z"}
    model = {"operator": "LinearScaling", "input": "filled", "target": "z", "range": [0, 1]}
    case = run(tmp_path, concepts, {"kinds": KINDS, "filled": filled, "model": model})
    found = frame(case, "model")
    learned = [key_hash(i, 2) >= format(round(0.4 * 16**8), "08x") for i in found["id"]]
    for _, part in found.assign(learned=learned).groupby("kind", dropna=False):
        known = part[part["learned"]]["y"]
        expected = (part["y"] - known.min()) / (known.max() - known.min())
        assert np.allclose(part["z"], expected)
    assert found["z"].max() > 1, "some held-out row lies outside of what was learned"


def test_rare_values_are_the_rest(tmp_path: Path) -> None:
    kinds = {**KINDS, "at_least": 70}
    case = run(tmp_path, _t(), {"kinds": kinds})
    wanted = Counter(TABLE["kind"])
    rest = sum(n for value, n in wanted.items() if value is None or n < 70)
    assert Counter(frame(case, "kinds")["part"].fillna("–"))["–"] == rest
    with pytest.raises(
        RunError, match="no value of 'kind' has 1,000 rows; the most frequent has 80"
    ):
        load(tmp_path / "few", _t(), {"kinds": {**KINDS, "at_least": 1000}}).run()


def test_partitions_are_the_same_every_time_and_of_about_equal_size(tmp_path: Path) -> None:
    parts = {"operator": "SegmentationByPartitioning", "input": "T", "partitions": 4, "seed": 1}
    backwards = rows("id", TYPES, {name: values[::-1] for name, values in TABLE.items()})
    steps = {"parts": parts, "other": {**parts, "input": "B"}, "seeded": {**parts, "seed": 2}}
    case = run(tmp_path, {**_t(), "B": backwards}, steps)
    found = frame(case, "parts").set_index("id")["segment"]
    assert set(found) == {"1", "2", "3", "4"}
    assert min(Counter(found).values()) > N / 4 * 0.6
    assert found.equals(frame(case, "other").set_index("id")["segment"])
    seeded = frame(case, "seeded").set_index("id")["segment"]
    assert not found.equals(seeded)


def test_repetitions_draw_other_samples(tmp_path: Path) -> None:
    draw = {"operator": "RowSelectionByRandomSampling", "how_many": 20, "seed": 8}
    steps = {
        "thrice": {"operator": "Repeat", "input": "T", "times": 3, "output": "turn"},
        "drawn": {**draw, "input": "thrice"},
        "second": {**draw, "input": "T", "seed": 9},
        "whole": {"operator": "Unsegment", "input": "drawn"},
    }
    case = run(tmp_path, _t(), steps)
    found = frame(case, "whole")
    drawn = {turn: set(part["id"]) for turn, part in found.groupby("turn")}
    assert {len(ids) for ids in drawn.values()} == {20}
    assert drawn["1"] != drawn["2"] != drawn["3"]
    assert drawn["2"] == set(frame(case, "second")["id"])
    assert case.bound.steps["whole"].output.key is None, "a row may be there thrice"


def test_clusters_are_those_of_scikit_learn(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    centres = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 9.0]])
    kind = rng.choice(3, 300, p=[0.5, 0.3, 0.2])
    points = centres[kind] + rng.normal(size=(300, 2))
    scaled = points * [1.0, 50.0]
    columns: Columns = {
        "id": list(range(301)),
        "x": [*scaled[:, 0].tolist(), None],
        "y": [*scaled[:, 1].tolist(), 1.0],
    }
    concepts = {"T": rows("id", {"id": "key", "x": "numeric", "y": "numeric"}, columns)}
    means = {
        "operator": "SegmentationWithKMeans",
        "input": "T",
        "predictors": ["x", "y"],
        "at_most": 6,
    }
    case = run(tmp_path, concepts, {"found": means})
    labels = frame(case, "found").sort_values("id")["segment"].tolist()
    assert labels[-1] is None or pd.isna(labels[-1])
    standard = (scaled - scaled.mean(axis=0)) / scaled.std(axis=0)
    expected = KMeans(3, n_init=10, random_state=0).fit_predict(standard)
    pairs = set(zip(labels[:-1], expected, strict=True))
    assert len(pairs) == 3, "the same three clusters, whatever they are called"
    assert [n for _, n in sorted(Counter(labels[:-1]).items())] == sorted(
        Counter(expected).values(), reverse=True
    )


def test_the_number_of_clusters_is_at_most_that_of_points() -> None:
    same = np.ones((5, 2))
    assert cluster(same, 4, True, 0).shape == (1, 2)
    two = np.array([[0.0], [0.0], [1.0]])
    assert cluster(two, 4, False, 0).tolist() == [[0.0], [1.0]]
    assert nearest(two, cluster(two, 4, True, 0)).tolist() == [0, 0, 1]


def test_concepts_of_the_same_segments_meet_in_each(tmp_path: Path) -> None:
    steps = {
        "kinds": KINDS,
        "upper": {"operator": "RowSelectionByQuery", "input": "kinds", "where": "y > 0"},
        "lower": {"operator": "RowSelectionByQuery", "input": "kinds", "where": "y <= 0"},
        "both": {"operator": "Union", "concepts": ["upper", "lower"]},
        "few": {"operator": "RowSelectionByRandomSampling", "input": "both", "how_many": 3},
        "learned": {
            "operator": "AssignAverageValue",
            "input": "lower",
            "target": "x",
            "learn_on": "upper",
        },
    }
    case = run(tmp_path, _t(), steps)
    assert case.table("both").num_rows == N
    assert case.table("few").num_rows == 12
    expected = pd.DataFrame(TABLE)
    means = expected[expected["y"] > 0].groupby("kind", dropna=False)["x"].mean()
    found = frame(case, "learned")
    given = dict(zip(TABLE["id"], TABLE["x"], strict=True))
    filled = found[[given[key] is None for key in found["id"]]]
    assert len(filled) > 5
    assert np.allclose(filled["x"], [means[kind] for kind in filled["kind"]])


def test_one_segment_is_enough_to_try(tmp_path: Path) -> None:
    case = load(tmp_path, _t(), {"kinds": KINDS})
    lazy = miningflow.load(tmp_path / "case.yml", lazy=True)
    lazy.run()
    assert set(frame(lazy, "kinds")["part"]) == {"a"}
    missing = pipeline.compile_case(case.bound, case.connection).missing["kinds"]
    assert str(missing) == "was changed since it learned"
    case.run()
    assert case.table("kinds").num_rows == N


def test_a_segment_that_cannot_learn_is_named(tmp_path: Path) -> None:
    columns = {**TABLE, "x": [None if k == "ü" else 1.0 for k in TABLE["kind"]]}
    filled = {"operator": "AssignAverageValue", "input": "kinds", "target": "x"}
    case = load(tmp_path, {"T": rows("id", TYPES, columns)}, {"kinds": KINDS, "filled": filled})
    with pytest.raises(RunError, match="step 'filled' cannot learn: in part 'ü': feature 'x' has"):
        case.run()


def test_the_rest_goes_without(tmp_path: Path) -> None:
    columns = {**TABLE, "x": [None if k is None else 1.0 for k in TABLE["kind"]]}
    filled = {"operator": "AssignAverageValue", "input": "kinds", "target": "x"}
    case = load(tmp_path, {"T": rows("id", TYPES, columns)}, {"kinds": KINDS, "filled": filled})
    report = case.run()
    notes = next(s.notes for s in report.stages if s.name == "filled")
    assert notes[0].startswith("the rest of part: nothing learned, so NULL there: feature 'x'")
    found = frame(case, "filled")
    assert found["x"].isna().sum() == found["kind"].isna().sum()
    assert len(found) == N


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"u": {"operator": "Unsegment", "input": "T"}}, "'T' is not segmented"),
        (
            {"k": KINDS, "u": {"operator": "Unsegment", "input": "k", "by": "parts"}},
            "'k' is not segmented by 'parts'\n.*did you mean 'part'",
        ),
        ({"k": {**KINDS, "output": "kind"}}, "'T' already has 'kind'"),
        (
            {"k": KINDS, "m": {**KINDS, "input": "k", "by": "size"}},
            "'k' already has 'part'",
        ),
        ({"k": {**KINDS, "cuts": [1, 2]}}, "'cuts' needs a numeric feature, but 'kind' is nominal"),
        (
            {"k": {**KINDS, "by": "x", "cuts": [1], "intervals": 3}},
            "`cuts` and `intervals` are both given",
        ),
        (
            {
                "k": KINDS,
                "g": {
                    "operator": "GenericFeatureConstruction",
                    "input": "k",
                    "sql": "x",
                    "output": "part",
                },
            },
            "a feature cannot be called 'part': step 'k' has segments of that name",
        ),
        (
            {
                "k": KINDS,
                "m": {**KINDS, "by": "size"},
                "u": {"operator": "Union", "concepts": ["k", "m"]},
            },
            "segmented by different steps, 'k' and 'm'",
        ),
        (
            {
                "k": KINDS,
                "f": {
                    "operator": "AssignAverageValue",
                    "input": "T",
                    "target": "x",
                    "learn_on": "k",
                },
            },
            "'k' is segmented by 'part' .step 'k'., but the input is not",
        ),
        (
            {
                "k": KINDS,
                "g": {
                    "operator": "GenericFeatureConstruction",
                    "input": "k",
                    "sql": "part || 'x'",
                    "output": "p",
                },
            },
            "no feature 'part'",
        ),
    ],
)
def test_mistakes_are_explained(steps: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ResolveError) as caught:
        load(tmp_path, _t(), steps)
    (diagnostic,) = caught.value.diagnostics
    text = f"{diagnostic.message}\n{diagnostic.hint}"
    assert re.search(message, text), text
    assert diagnostic.place is not None


def test_segments_that_agree_can_meet() -> None:
    north = Segment((("region", "north"),))
    second = north.with_label("size", "2")
    assert second.within(["region"]) == north
    assert second.agrees(north)
    assert not second.agrees(Segment((("region", None),)))
    assert str(second) == "region 'north', size '2'"
    assert str(Segment((("region", None),))) == "the rest of region"
