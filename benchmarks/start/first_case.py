"""How good is the first case that `init --from … --target` drafts, as it is?

    python -m benchmarks.start.first_case [--only NAME] [--seed N] [--json FILE]

Each data set becomes files, the files a case, and the case is run without a change. Logistic
regression and HistGradientBoosting of scikit-learn learn from the rows that the case learned from,
and are judged on those it held out: by the area under the ROC curve (the mean over the classes,
each against the rest, if there are several), or by R² for numbers. Data in ../shared/data are
skipped where they are not; the others come with scikit-learn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import miningflow
from benchmarks.start.tables import SHARED

SHARE, SEED = 0.3, 1
HOLDOUT = "holdout: {{share: {}, seed: {}}}"


@dataclass(frozen=True)
class Problem:
    """A table, and the column to predict."""

    name: str
    frame: pd.DataFrame
    target: str


@dataclass(frozen=True)
class Measured:
    """What one data set gave."""

    name: str
    rows: int
    columns: int
    metric: str
    first_case: float
    logistic: float
    boosting: float
    init_seconds: float
    run_seconds: float
    lines: int
    kept: int


def problems() -> Iterator[Problem]:
    """Returns the data sets that are here."""
    shared: dict[str, Callable[[], Problem]] = {
        "german_credit": lambda: _shared("german_credit", "GermanCredit.parquet", "Class"),
        "ionosphere": lambda: _shared("ionosphere", "Ionosphere.parquet", "Class"),
        "sonar": lambda: _shared("sonar", "Sonar.parquet", "Class"),
        "spam": lambda: _shared("spam", "spam.parquet", "type"),
        "colon": lambda: _genes("colon", "colon_alon"),
        "leukemia": lambda: _genes("leukemia", "leukemia_golub"),
    }
    for make in shared.values():
        try:
            yield make()
        except FileNotFoundError as error:
            print(f"skipped: {error.filename} is not here")
    yield _shipped("breast_cancer", datasets.load_breast_cancer)
    yield _shipped("wine", datasets.load_wine)
    yield _shipped("iris", datasets.load_iris)
    yield _shipped("digits", datasets.load_digits)
    yield _shipped("diabetes", datasets.load_diabetes)
    yield _physiology()


def _shared(name: str, file: str, target: str) -> Problem:
    return Problem(name, pd.read_parquet(SHARED / file), target)


def _genes(name: str, stem: str) -> Problem:
    """Turns genes as rows into genes as columns; the 500 that vary most, without their class."""
    genes = pd.read_parquet(SHARED / f"{stem}.parquet")
    samples = pd.read_parquet(SHARED / f"{stem}_samples.parquet")
    numbers = genes.select_dtypes("number")
    most = numbers.var(axis=1).nlargest(500).index
    frame = pd.DataFrame(
        numbers.loc[most].to_numpy().T, columns=[f"gene_{i}" for i in range(len(most))]
    )
    frame["label"] = samples["label"].astype(str).to_numpy()
    return Problem(name, frame, "label")


def _shipped(name: str, load: Callable[..., Any]) -> Problem:
    loaded = load(as_frame=True)
    frame = loaded.data.copy()
    names = getattr(loaded, "target_names", None)
    if names is None:
        frame["target"] = loaded.target
    else:
        frame["target"] = [f"class {names[i]}" for i in loaded.target]
    return Problem(name, frame, "target")


def _physiology() -> Problem:
    """Breast cancer once more, to predict a number: the texture from the other measurements."""
    loaded = datasets.load_breast_cancer(as_frame=True)
    frame = loaded.data[[c for c in loaded.data if c.startswith("mean ")]].copy()
    return Problem("nuclei", frame, "mean compactness")


def is_held_out(key: object, seed: int) -> bool:
    """Returns whether a case holds out the row with a key, as it does itself."""
    threshold = format(round(SHARE * 16**8), "08x")
    return hashlib.md5(f"{key}:{seed}".encode()).hexdigest()[:8] < threshold


def measure(problem: Problem, seed: int = SEED) -> Measured:
    """Drafts and runs a case, and compares it with scikit-learn on the same rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / f"{problem.name}.parquet"
        problem.frame.to_parquet(file, index=False)
        began = time.perf_counter()
        started = miningflow.start(file, folder / "case", target=problem.target)
        drafted = time.perf_counter()
        given, wanted = HOLDOUT.format(SHARE, SEED), HOLDOUT.format(SHARE, seed)
        assert given in started.text
        started.path.write_text(started.text.replace(given, wanted), encoding="utf-8")
        case = miningflow.load(started.path)
        report = case.run(target=folder / "target")
        ran = time.perf_counter()
        scored = case.table("scored").to_pandas()
    key = next(iter(case.bound.sources.values())).key
    scored = scored.sort_values(key).reset_index(drop=True)
    out = np.array([is_held_out(each, seed) for each in scored[key]])
    counted = {each["part"]: each["rows"] for each in report.evaluations["quality"]}
    assert counted["held out"] == out.sum(), (counted, out.sum())
    metric, first = _judged(scored, problem.target, out)
    features = problem.frame.drop(columns=problem.target).reset_index(drop=True)
    truth = scored[problem.target]
    linear, boosted = _others(features, truth, out, metric)
    dropped = {each.feature for each in report.dropped}
    return Measured(
        problem.name,
        len(features),
        features.shape[1],
        metric,
        first,
        linear,
        boosted,
        drafted - began,
        ran - drafted,
        len(started.text.splitlines()),
        features.shape[1] - len(dropped),
    )


def _judged(
    scored: pd.DataFrame, target: str, out: np.ndarray[Any, np.dtype[np.bool_]]
) -> tuple[str, float]:
    truth, score = scored[target][out], scored[f"{target}_predicted"][out]
    if pd.api.types.is_numeric_dtype(truth):
        return "R²", float(r2_score(truth, score))
    classes = sorted(scored[target].unique())
    if len(classes) == 2:
        positive = scored.loc[scored[f"{target}_predicted"].idxmax(), f"{target}_predicted_label"]
        return "AUC", float(roc_auc_score(truth == positive, score))
    each = [
        roc_auc_score(truth == c, scored[f"{target}_predicted_{c}"][out])
        for c in classes
        if 0 < (truth == c).sum() < len(truth)
    ]
    return "AUC", float(np.mean(each))


def _others(
    features: pd.DataFrame,
    truth: pd.Series[Any],
    out: np.ndarray[Any, np.dtype[np.bool_]],
    metric: str,
) -> tuple[float, float]:
    texts = [c for c in features if not pd.api.types.is_numeric_dtype(features[c])]
    numbers = [c for c in features if c not in texts]
    encoded = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
    )
    if metric == "R²":
        models = [Ridge(), HistGradientBoostingRegressor(random_state=0)]
    else:
        models = [
            LogisticRegression(max_iter=2000),
            HistGradientBoostingClassifier(random_state=0),
        ]
    found = []
    for model in models:
        fitted = make_pipeline(encoded, model).fit(features[~out], truth[~out])
        if metric == "R²":
            found.append(float(r2_score(truth[out], fitted.predict(features[out]))))
            continue
        shares = fitted.predict_proba(features[out])
        each = [
            roc_auc_score(truth[out] == c, shares[:, i])
            for i, c in enumerate(fitted.classes_)
            if 0 < (truth[out] == c).sum() < out.sum()
        ]
        found.append(float(np.mean(each)))
    return found[0], found[1]


def main() -> None:
    """Measures all data sets, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found: list[Measured] = []
    heads = ("data", "rows", "columns", "metric", "first case", "linear", "boosting")
    print("| " + " | ".join((*heads, "init (s)", "run (s)", "lines")) + " |")
    print("| --- " * 10 + "|")
    for problem in problems():
        if asked.only and problem.name != asked.only:
            continue
        one = measure(problem, asked.seed)
        found.append(one)
        numbers = f"{one.first_case:.3f} | {one.logistic:.3f} | {one.boosting:.3f}"
        seconds = f"{one.init_seconds:.1f} | {one.run_seconds:.1f} | {one.lines}"
        start = f"| {one.name} | {one.rows:,} | {one.columns} | {one.metric} | "
        print(f"{start}{numbers} | {seconds} |", flush=True)
    if found:
        names = ("first_case", "logistic", "boosting", "init_seconds", "run_seconds", "lines")
        means = [float(np.mean([getattr(one, name) for one in found])) for name in names]
        shown = " | ".join(f"{m:.3f}" for m in means[:3])
        print(f"| mean | | | | {shown} | {means[3]:.1f} | {means[4]:.1f} | {means[5]:.0f} |")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in found], indent=1))


if __name__ == "__main__":
    main()
