"""`compare` and the plots of search traces, on a case with a known answer."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from support.command_line import accepted, refused
from support.default_run import first_only

import miningflow

CASE = """\
case: shop
concepts:
  Buyer:
    key: id
    features:
      {id: key, a: numeric, b: numeric, noise_1: numeric, noise_2: numeric, city: nominal,
       group: nominal, bought: nominal, lucky: binary}
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
  by_pattern:
    operator: FeatureSelectionByScore
    input: Buyer
    target: bought
    positive: 'yes'
    attributes: [a, b, 'noise_*']
    nulls: drop_rows
    keep: 1
  noise:
    operator: FeatureSelectionByScore
    input: Buyer
    target: lucky
    attributes: ['noise_*']
    keep: 1
  in_a_chain:
    chain:
      filled:
        operator: AssignAverageValue
        input: Buyer
        target: a
      chosen:
        operator: FeatureSelectionByNormal
        target: bought
        attributes: [a, b, noise_1]
        keep: 2
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
    frame["lucky"] = rng.choice(["no", "yes"], 240, p=[0.75, 0.25])
    frame.loc[3, "a"] = np.nan
    return frame


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "case.yml").write_text(CASE, encoding="utf-8")
    buyers().to_parquet(folder / "buyers.parquet", index=False)
    assert "run the case first" in refused(folder, "compare", "case.yml", "few")
    accepted(folder, "run", "case.yml", "--to", "few")
    for step in ("groups", "by_pattern", "noise", "chosen"):
        accepted(folder, "run", "case.yml", "--to", step)
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
    assert list(said["left_out"]) == ["margin_bound", "svm"]
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
    found = case.compare("few", folds=4)
    numeric_only = {"score", "alignment", "normal", "margin_bound"}
    assert found.always_kept == dict.fromkeys(numeric_only, ("city",))
    for curve in found.curves:
        assert curve.sizes == (1, 2, 4, 5)
        if curve.contestant.name in numeric_only:  # the city and one more, then three more
            assert np.isnan(curve.means[0])
            assert curve.means[2] < 0.15 < curve.means[1], curve.contestant.name
        else:
            assert curve.means[1] < 0.25 < curve.means[0]
    assert found.advice.size in (2, 4)


SELECTORS = ["score", "alignment", "normal", "margin_bound", "svm"]


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("step", first_only(["few", "chosen", "by_pattern"], 1))
def test_the_advised_step_passes_check_and_selects_what_was_advised(
    shop: Path, selector: str, step: str
) -> None:
    """The step is put into the case as it was printed, and run."""
    said = accepted(shop, "compare", "case.yml", step, "--selector", selector, "--folds", 3)
    found = miningflow.load(shop / "case.yml").compare(step, [selector], folds=3)
    lines = said.splitlines()
    start = lines.index(f"    {step}:")
    end = start + 1 + found.advised_step.count("\n")
    printed = "\n".join(line[4:] for line in lines[start:end])
    assert printed == found.advised_step
    text = _replaced(CASE, step, printed)
    (shop / "advised.yml").write_text(text.replace("shop.duckdb", "advised.duckdb"), "utf-8")
    accepted(shop, "check", "advised.yml")
    case = miningflow.load(shop / "advised.yml")
    case.run(to_step=step)
    selection = case.selections(step)[step]
    always = found.always_kept.get(selector, ())
    assert len(selection.kept) == found.advice.keep
    assert len(selection.kept) + len(always) == found.advice.size
    assert not set(always) & set(selection.dropped)


def _replaced(case: str, name: str, step: str) -> str:
    """Puts another step in the place of one that has this name."""
    lines = case.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip() == f"{name}:")
    depth = len(lines[start]) - len(lines[start].lstrip())
    end = next(
        i for i in range(start + 1, len(lines)) if len(lines[i]) - len(lines[i].lstrip()) <= depth
    )
    return "\n".join([*lines[:start], textwrap.indent(step, " " * depth), *lines[end:], ""])


def test_the_score_that_is_advised_is_the_one_that_was_measured(shop: Path) -> None:
    advised = miningflow.load(shop / "case.yml").compare("few", ["score"], folds=3).advised_step
    assert "  score: fisher" in advised


@pytest.mark.parametrize("metric", ["accuracy", "f1", "auc"])
def test_a_metric_is_that_of_scikit_learn(shop: Path, metric: str) -> None:
    case = miningflow.load(shop / "case.yml")
    found = case.compare("by_pattern", ["score"], folds=3, metric=metric)
    frame = buyers().dropna()
    X, y = frame[["a", "b", "noise_1", "noise_2"]].to_numpy(), (frame.bought == "yes").to_numpy()
    values = []
    for seed in range(8):
        for learn, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y):
            standard = (X - X[learn].mean(axis=0)) / X[learn].std(axis=0)
            machine = SVC(kernel="linear", C=1 / 4).fit(standard[learn], y[learn])
            answers = machine.predict(standard[test])
            decisions = machine.decision_function(standard[test])
            values.append(
                {
                    "accuracy": metrics.accuracy_score(y[test], answers),
                    "f1": metrics.f1_score(y[test], answers),
                    "auc": metrics.roc_auc_score(y[test], decisions),
                }[metric]
            )
    assert found.metric == metric
    assert found.curves[0].means[-1] == pytest.approx(np.mean(values), abs=0.04)
    share = y.mean()
    constant = {"accuracy": max(share, 1 - share), "f1": 2 * share / (1 + share), "auc": 0.5}
    assert found.constant == pytest.approx(constant[metric])
    said = accepted(shop, "compare", "case.yml", "by_pattern", "--metric", metric, "--folds", 3)
    assert f"{metric} in 3 folds" in said
    assert found.advice.best <= 1


def test_the_best_of_a_metric_is_its_highest_value(shop: Path) -> None:
    case = miningflow.load(shop / "case.yml")
    found = case.compare("by_pattern", folds=3, metric="auc")
    assert found.advice.best == max(np.nanmax(curve.means) for curve in found.curves)
    assert found.beats_constant


def test_noise_is_not_advised(shop: Path) -> None:
    said = accepted(shop, "compare", "case.yml", "noise", "--folds", 3)
    assert "no selector beats the same answer for all rows" in said
    assert "operator:" not in said
    plain = json.loads(accepted(shop, "compare", "case.yml", "noise", "--folds", 3, "--json"))
    assert plain["beats_constant"] is False


def test_a_metric_that_does_not_fit_is_refused(shop: Path) -> None:
    said = refused(shop, "compare", "case.yml", "groups", "--metric", "auc")
    assert "needs two classes, not 3" in said
    said = refused(shop, "compare", "case.yml", "few", "--metric", "gini")
    assert "known metrics: error, accuracy, f1, auc" in said


def test_mistakes_are_told(shop: Path) -> None:
    said = refused(shop, "compare", "case.yml", "zork")
    assert "known steps that select features by a target: few" in said
    said = refused(shop, "compare", "case.yml", "by_hand")
    assert "is not one of the steps that select features by a target" in said
    assert "known selectors" in refused(shop, "compare", "case.yml", "few", "--selector", "sum")
    said = refused(shop, "compare", "case.yml", "groups", "--selector", "svm")
    assert "svm: it needs two classes and there are 3" in said
    assert "these can: score, alignment, normal" in said
    said = refused(shop, "compare", "case.yml", "few", "--rows", 30, "--folds", 20)
    assert "use fewer --folds" in said
    assert "of 'other'" in said
    (shop / "wrong.yml").write_text(CASE.replace("positive: 'yes'", "positive: 'Yes'"), "utf-8")
    said = refused(shop, "compare", "wrong.yml", "few")
    assert "'bought' has no 'Yes', the positive class" in said
    said = refused(shop, "compare", "case.yml", "strict")
    assert "have NULL in" in said
    assert "case.yml:24:3" in said


@pytest.mark.parametrize("command", ["compare", "show"])
@pytest.mark.parametrize("name", ["errors.gif", "none/errors.svg", "errors"])
def test_a_plot_that_cannot_be_written_is_refused_first(
    shop: Path, command: str, name: str
) -> None:
    more = ["--trace"] if command == "show" else []
    said = refused(shop, command, "case.yml", "few", "--plot", name, *more)
    assert "plot" in said or "no folder 'none'" in said
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
