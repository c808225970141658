"""`plot`: the curves are those of scikit-learn over the rows of the store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from support import small_case
from support.command_line import accepted, miningflow

import miningflow as mf
from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

if TYPE_CHECKING:
    from support.postgres_stores import Database

mpl.use("Agg")

COUNT = 300
TYPES = {"id": "key", "$a$": "numeric", "b": "numeric", "g": "nominal", "y": "binary"}


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Closes what a test drew, since pyplot keeps it."""
    yield
    pyplot.close("all")


def customers(holdout: dict[str, Any] | None) -> small_case.Rows:
    random = np.random.default_rng(4)
    a = random.normal(size=COUNT).round(1)  # rounded, so that decisions tie
    y = ["yes" if value > 0 else "no" for value in a + random.normal(size=COUNT)]
    b: list[Any] = random.normal(size=COUNT).round(0).tolist()
    b[7], y_known = None, [None if i == 11 else each for i, each in enumerate(y)]
    columns = {
        "id": [str(i) for i in range(COUNT)],
        "$a$": a.tolist(),
        "b": b,
        "g": [("left", "right")[i % 2] for i in range(COUNT)],
        "y": y_known,
    }
    return small_case.rows("id", TYPES, columns, holdout)


STEPS: dict[str, Any] = {
    "known": {"operator": "RowSelectionByQuery", "input": "C", "where": "y is not null"},
    "chosen": {
        "operator": "FeatureSelectionByScore",
        "input": "filled",
        "target": "y",
        "positive": "yes",
        "attributes": ["$a$", "b"],
        "keep": 1,
    },
    "filled": {"operator": "AssignAverageValue", "input": "known", "target": "b"},
    "scored": {
        "operator": "SupportVectorMachineForClassification",
        "input": "C",
        "learn_on": "known",
        "target": "y",
        "positive": "yes",
        "predictors": ["$a$", "b"],
        "kernel": "linear",
        "output": "score",
        "probability": "chance",
    },
    "quality": {
        "operator": "ComputeSVMError",
        "input": "scored",
        "actual": "y",
        "predicted": "score_label",
        "positive": "yes",
        "decision": "score",
    },
    "guessed": {
        "operator": "SupportVectorMachineForRegression",
        "input": "C",
        "target": "$a$",
        "predictors": ["b"],
        "kernel": "linear",
        "output": "guess",
    },
    "distance": {
        "operator": "ComputeSVMError",
        "input": "guessed",
        "actual": "$a$",
        "predicted": "guess",
    },
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    return small_case.run(tmp_path_factory.mktemp("plots"), {"C": customers(None)}, STEPS)


@pytest.fixture(scope="module")
def known(case: LoadedCase) -> pd.DataFrame:
    """Returns the rows that have a truth and a score."""
    rows: pd.DataFrame = case.table("scored").to_pandas().dropna(subset=["y", "score"])
    assert len(rows) == COUNT - 2
    assert rows["score"].duplicated().any()
    return rows


def points(axes: Axes, i: int = 0) -> tuple[Any, Any]:
    return axes.lines[i].get_xdata(), axes.lines[i].get_ydata()


def test_the_roc_curve_is_that_of_scikit_learn(case: LoadedCase, known: pd.DataFrame) -> None:
    axes = case.plot("quality", "roc")
    expected = roc_curve(known["y"] == "yes", known["score"])
    np.testing.assert_allclose(points(axes), expected[:2], atol=1e-12)
    area = roc_auc_score(known["y"] == "yes", known["score"])
    reported = case.table("quality").to_pylist()[0]["auc"]
    assert reported == pytest.approx(area, abs=1e-12)
    assert axes.lines[0].get_label() == f"all: AUC {area:.4f}"


def test_precision_and_recall_are_those_of_scikit_learn(
    case: LoadedCase, known: pd.DataFrame
) -> None:
    axes = case.plot("quality", "precision_recall")
    precision, recall, _ = precision_recall_curve(
        known["y"] == "yes", known["score"], drop_intermediate=True
    )
    np.testing.assert_allclose(points(axes), (recall, precision), atol=1e-12)


def test_the_calibration_is_that_of_scikit_learn(case: LoadedCase, known: pd.DataFrame) -> None:
    axes = case.plot("quality", "calibration")
    share, mean = calibration_curve(known["y"] == "yes", known["chance"], n_bins=10)
    np.testing.assert_allclose(points(axes), (mean, share), atol=1e-12)


def test_the_confusion_is_that_of_scikit_learn(case: LoadedCase, known: pd.DataFrame) -> None:
    axes = case.plot("quality", "confusion")
    expected = confusion_matrix(known["y"], known["score_label"], labels=["yes", "no"])
    assert axes.images[0].get_array().tolist() == expected.tolist()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["yes", "no"]


def test_scores_are_counted_by_class(case: LoadedCase) -> None:
    axes = case.plot("scored")
    rows = case.table("scored").to_pandas().dropna(subset=["score"])
    edges = np.histogram_bin_edges(rows["score"], 40)
    classes = rows["y"].fillna("unknown")
    for patch, name in zip(axes.patches, ["no", "unknown", "yes"], strict=True):
        counts, drawn, _ = patch.get_data()
        assert counts.tolist() == np.histogram(rows["score"][classes == name], edges)[0].tolist()
        np.testing.assert_allclose(drawn, edges)
        assert patch.get_label() == f"y: {name} ({(classes == name).sum():,} rows)"


def test_errors_of_numbers_are_a_histogram(case: LoadedCase) -> None:
    axes = case.plot("distance")
    rows = case.table("guessed").to_pandas().dropna(subset=["guess"])
    expected, edges = np.histogram(rows["guess"] - rows["$a$"], 30)
    counts, drawn, _ = axes.patches[0].get_data()
    np.testing.assert_allclose(drawn, edges)
    np.testing.assert_allclose(counts, expected / len(rows))


def test_a_selection_shows_its_search(case: LoadedCase) -> None:
    axes = case.plot("chosen")
    trials = [trial for trial in case.selections()["chosen"].trace if trial.kept and trial.accepted]
    assert points(axes)[0][0] == len(trials[0].kept)
    assert axes.get_title() == "Search of chosen"
    assert axes.lines[-1].get_label() == "chosen"


def test_an_overview_has_axes_for_each_plot(case: LoadedCase) -> None:
    axes = case.plot("quality")
    assert [a.get_title().split(" of ")[0] for a in axes] == [
        "ROC",
        "Precision and recall",
        "Calibration",
        "Confusion",
    ]
    assert len({a.figure for a in axes}) == 1


def test_axes_that_are_given_are_used(case: LoadedCase) -> None:
    from matplotlib.figure import Figure

    own = Figure().add_subplot()
    assert case.plot("quality", "roc", ax=own) is own
    assert own.lines
    with pytest.raises(MiningFlowError, match="4 plots of 'quality' do not fit on one 'ax'"):
        case.plot("quality", ax=own)


def test_held_out_rows_have_a_curve_of_their_own(tmp_path: Path) -> None:
    holdout = {"share": 0.4, "seed": 2}
    steps = {name: STEPS[name] for name in ("known", "scored", "quality")}
    held = small_case.run(tmp_path, {"C": customers(holdout)}, steps)
    labels = [line.get_label() for line in held.plot("quality", "roc").lines]
    reported = {row["part"]: row["auc"] for row in held.table("quality").to_pylist()}
    assert labels == [
        *(f"{part}: AUC {reported[part]:.4f}" for part in ("held out", "learned")),
        "chance",
    ]
    matrix = held.plot("quality", "confusion").images[0].get_array()
    row = next(r for r in held.table("quality").to_pylist() if r["part"] == "held out")
    assert matrix[0][0] == row["true_positives"]
    assert matrix.sum() == row["rows"] - row["unknown"]


def test_segments_have_curves_of_their_own(tmp_path: Path) -> None:
    steps = {
        "parts": {"operator": "SegmentationStratified", "input": "C", "by": "g"},
        "scored": {**STEPS["scored"], "input": "parts"},
        "quality": STEPS["quality"],
    }
    del steps["scored"]["learn_on"]
    steps["some"] = {"operator": "RowSelectionByQuery", "input": "C", "where": "y is not null"}
    steps["parts"]["input"] = "some"
    segmented = small_case.run(tmp_path, {"C": customers(None)}, steps)
    axes = segmented.plot("quality", "roc")
    rows = segmented.table("scored").to_pandas().dropna(subset=["score"])
    labels = [line.get_label() for line in axes.lines[:-1]]
    for label, value in zip(labels, ("left", "right"), strict=True):
        own = rows[rows["g"] == value]
        area = roc_auc_score(own["y"] == "yes", own["score"])
        assert value in label
        assert label.endswith(f"AUC {area:.4f}")


def test_the_command_line_writes_the_same_file_each_time(case: LoadedCase, tmp_path: Path) -> None:
    words = ("plot", case.path, "quality", "--kind", "roc", "--output")
    assert accepted(tmp_path, *words, "a.svg") == "wrote a.svg\n"
    accepted(tmp_path, *words, "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    case.plot("quality", output=tmp_path / "all.png")
    assert (tmp_path / "all.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["filled"], "step 'filled' has no plot: AssignAverageValue neither", "quality (roc, "),
        (["C"], "'C' is a source concept, not a step", "scored"),
        (["qualty"], "there is no step or concept 'qualty'", "did you mean 'quality'?"),
        (["quality", "--kind", "rok"], "step 'quality' has no plot 'rok'", "known plots"),
        (["distance", "--kind", "roc"], "step 'distance' has no plot 'roc'", "errors"),
    ],
)
def test_what_has_no_plot_is_refused(
    case: LoadedCase, tmp_path: Path, words: list[str], message: str, hint: str
) -> None:
    said = miningflow(tmp_path, "plot", case.path, *words, "--output", "x.svg")
    assert said.code == 1
    assert message in said.err
    assert hint in said.err
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_refused(case: LoadedCase, tmp_path: Path) -> None:
    for name, message in (("x.jpg", "a name ends in .svg"), ("no/x.svg", "there is no folder")):
        with pytest.raises(MiningFlowError, match=message):
            case.plot("quality", output=tmp_path / name)


def test_what_has_not_run_has_no_plot(tmp_path: Path) -> None:
    fresh = small_case.load(tmp_path, {"C": customers(None)}, STEPS)
    for step in ("quality", "scored", "chosen"):
        with pytest.raises(MiningFlowError, match="there is nothing to plot"):
            fresh.plot(step)


def test_what_was_changed_since_it_ran_has_no_plot(tmp_path: Path) -> None:
    small_case.run(tmp_path, {"C": customers(None)}, STEPS)
    changed = {**STEPS, "scored": {**STEPS["scored"], "C": 2.0}}
    case = small_case.load(tmp_path, {"C": customers(None)}, changed)
    with pytest.raises(MiningFlowError, match="'quality': it ran before 'scored' was changed"):
        case.plot("quality")


def test_without_matplotlib_the_message_says_how_to_install_it(
    case: LoadedCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MiningFlowError, match="plots need matplotlib"):
        case.plot("quality")


def test_the_curves_are_the_same_on_postgres(
    case: LoadedCase, database: Database, tmp_path: Path
) -> None:
    server = tmp_path / "server.yml"
    concepts = "concepts:\n  C: {table: public.customers}\n"
    server.write_text(f"store: {database.url}\n{concepts}", encoding="utf-8")
    case.move(server, target=tmp_path)
    there = mf.load(case.path, connect=server)
    for kind in ("roc", "precision_recall", "calibration"):
        np.testing.assert_allclose(
            points(there.plot("quality", kind)), points(case.plot("quality", kind)), atol=1e-9
        )
    matrices = [each.plot("quality", "confusion").images[0].get_array() for each in (case, there)]
    assert matrices[0].tolist() == matrices[1].tolist()
    for step in ("scored", "distance"):
        patches = [each.plot(step).patches[0].get_data()[0] for each in (case, there)]
        np.testing.assert_allclose(patches[0].sum(), patches[1].sum())
