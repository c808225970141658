"""`compare` and the plots of search traces, on a case with a known answer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import accepted, refused
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import miningflow

CASE = """\
case: shop
concepts:
  Buyer:
    key: id
    features:
      {id: key, a: numeric, b: numeric, noise_1: numeric, noise_2: numeric, city: nominal,
       group: nominal, bought: nominal}
steps:
  few:
    operator: FeatureSelectionWithSVM
    input: Buyer
    target: bought
    positive: 'yes'
    attributes: [a, b, noise_1, noise_2, city]
    nulls: impute
  groups:
    operator: FeatureSelectionByScore
    input: Buyer
    target: group
    attributes: [a, b, noise_1, noise_2]
    nulls: drop_rows
    score: fisher
    keep: 2
  strict:
    operator: FeatureSelectionByScore
    input: Buyer
    target: bought
    attributes: [a, b]
    score: fisher
    keep: 1
    # a NULL in a is refused, so this step is not run
  by_hand: {operator: FeatureSelectionByAttributes, input: Buyer, drop: [a]}
connect:
  store: duckdb:///shop.duckdb
  concepts: {Buyer: {file: buyers.parquet}}
"""


def buyers() -> pd.DataFrame:
    """Makes rows of which a, b and the city decide."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(240, 4)), columns=["a", "b", "noise_1", "noise_2"])
    frame.insert(0, "id", range(240))
    frame["city"] = rng.choice(["Bonn", "Köln", "Unna"], 240)
    value = frame.a - frame.b + (frame.city == "Unna") + 0.2 * rng.normal(size=240)
    frame["group"] = np.array(["low", "mid", "top"])[np.digitize(value, [-0.5, 1.0])]
    frame["bought"] = np.where(value > 0.3, "yes", "no")
    frame.loc[3, "a"] = np.nan
    return frame


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "case.yml").write_text(CASE, encoding="utf-8")
    buyers().to_parquet(folder / "buyers.parquet", index=False)
    assert "run the case first" in refused(folder, "compare", "case.yml", "few")
    accepted(folder, "run", "case.yml", "--to", "few")
    accepted(folder, "run", "case.yml", "--to", "groups")
    return folder


def test_a_table_a_plot_and_advice(shop: Path) -> None:
    said = accepted(shop, "compare", "case.yml", "few", "--plot", "errors.svg", "--folds", 4)
    assert "error in 4 folds of 240 rows" in said
    for name in ("score", "alignment", "normal", "margin_bound", "svm"):
        assert name in said
    assert "operator: FeatureSelection" in said
    drawn = (shop / "errors.svg").read_text(encoding="utf-8")
    assert "margin_bound" in drawn
    assert "no feature" in drawn


def test_with_all_features_the_error_is_that_of_a_machine_on_all(shop: Path) -> None:
    said = json.loads(accepted(shop, "compare", "case.yml", "groups", "--folds", 3, "--json"))
    assert said["left_out"] == ["margin_bound", "svm"]
    assert said["rows"] == 239
    frame = buyers().dropna()
    constant = 1 - frame.group.value_counts().max() / len(frame)
    assert said["constant_error"] == pytest.approx(constant)
    whole = [selector["error"][-1] for selector in said["selectors"]]
    assert whole[0] == whole[1] == whole[2]
    # the order of the rows, and so the folds, come from the store
    case = miningflow.load(shop / "case.yml")
    found = case.compare("groups", ["score"], folds=3)
    assert found.curves[0].means[-1] == whole[0]
    assert abs(whole[0] - _cross_validated(frame)) < 0.06


def _cross_validated(frame: pd.DataFrame) -> float:
    X = frame[["a", "b", "noise_1", "noise_2"]].to_numpy()
    y = frame.group.to_numpy()
    errors = []
    for seed in range(8):
        for learn, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
            standard = (X - X[learn].mean(axis=0)) / X[learn].std(axis=0)
            machine = SVC(kernel="linear", C=1 / 4).fit(standard[learn], y[learn])
            errors.append(np.mean(machine.predict(standard[test]) != y[test]))
    return float(np.mean(errors))


def test_the_signal_comes_first(shop: Path) -> None:
    case = miningflow.load(shop / "case.yml")
    for curve in case.compare("few", folds=4).curves:
        assert curve.sizes == (1, 2, 4, 5)
        assert curve.means[1] < 0.25 < curve.means[0], curve.contestant.name
    assert case.compare("few", folds=4).advice.size in (2, 4)


def test_mistakes_are_told(shop: Path) -> None:
    assert "known selections by a target" in refused(shop, "compare", "case.yml", "fwe")
    said = refused(shop, "compare", "case.yml", "by_hand")
    assert "case.yml:32:3" in said
    assert "does not select features by a target" in said
    assert "known selectors" in refused(shop, "compare", "case.yml", "few", "--selector", "sum")
    said = refused(shop, "compare", "case.yml", "groups", "--selector", "svm")
    assert "can be used with 3 classes" in said
    said = refused(shop, "compare", "case.yml", "few", "--rows", 30, "--folds", 20)
    assert "take fewer --folds" in said
    assert "of 'other'" in said
    (shop / "wrong.yml").write_text(CASE.replace("positive: 'yes'", "positive: 'Yes'"), "utf-8")
    said = refused(shop, "compare", "wrong.yml", "few")
    assert "'bought' has no 'Yes', the positive class" in said
    said = refused(shop, "compare", "case.yml", "strict")
    assert "there are NULLs" in said
    assert "case.yml:24:3" in said


@pytest.mark.parametrize("command", ["compare", "show"])
@pytest.mark.parametrize("name", ["errors.gif", "none/errors.svg", "errors"])
def test_a_plot_that_cannot_be_written_is_refused_first(
    shop: Path, command: str, name: str
) -> None:
    more = ["--trace"] if command == "show" else []
    said = refused(shop, command, "case.yml", "few", "--plot", name, *more)
    assert "plot" in said
    assert not (shop / name).exists()


def test_a_trace_is_drawn(shop: Path) -> None:
    said = accepted(shop, "show", "case.yml", "few", "--trace", "--plot", "trace.svg")
    assert said.count("(start)") == 1
    drawn = (shop / "trace.svg").read_text(encoding="utf-8")
    assert "cross-validated error" in drawn
    accepted(shop, "show", "case.yml", "few", "--trace", "--plot", "again.svg")
    assert (shop / "again.svg").read_text(encoding="utf-8") == drawn
    assert "add --trace" in refused(shop, "show", "case.yml", "few", "--plot", "x.svg")
    assert "name its step" in refused(shop, "show", "case.yml", "--trace", "--plot", "x.svg")
