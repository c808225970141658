"""The data sets that selectors are compared on: tables, genes and texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn import datasets

from benchmarks.selection.data import FOLDER, tables

Kind = Literal["table", "genes", "text"]

# A class of about 5 %, and two groups that are hard to tell apart.
REUTERS_TOPIC = "grain"
NEWS_GROUPS = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware")
# Spam: 48 words, 6 characters, 3 lengths of capital letters. Breast cancer: mean, error, worst.
GROUPS = {
    "spam": np.repeat([0, 1, 2], [48, 6, 3]),
    "Sonar": np.repeat(np.arange(6), 10),
    "breast cancer": np.repeat(np.arange(3), 10),
}
KEEP_GENES, KEEP_WORDS = 50, 200


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """Columns, classes, and how many columns those selectors keep that are told a number.

    In `counts` a value of 0 means that something is absent. `groups` has one number per column
    where columns belong together by their meaning.
    """

    name: str
    kind: Kind
    X: Any
    y: NDArray[np.int_]
    keep: int
    counts: bool = False
    groups: NDArray[np.int_] | None = None

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(np.unique(self.y))

    @property
    def metric(self) -> str:
        """F1 where the positive class is rare, else accuracy."""
        return "F1" if self.classes == 2 and self.y.mean() < 0.1 else "accuracy"

    @property
    def commonest(self) -> float:
        """The share of the commonest class."""
        return float(np.bincount(self.y).max() / len(self.y))


def problems(quick: bool) -> list[Problem]:
    """Reads the data sets; without the folder of data only those that scikit-learn brings."""
    found = _bundled()
    if FOLDER.exists():
        found = [*_tables(), *found, *_genes(), *_texts()]
    else:
        print(f"skipped: spam, GermanCredit, Ionosphere, Sonar, genes and texts; no {FOLDER}")
    if quick:
        few = ("Ionosphere", "Sonar", "breast cancer", "wine", "colon")
        found = [problem for problem in found if problem.name in few]
    return found


def _tables() -> list[Problem]:
    return [
        _table(each.name, each.X, each.y.astype(int), counts=each.name == "spam")
        for each in tables()
    ]


def _bundled() -> list[Problem]:
    def loaded(load: Callable[..., Any], name: str, counts: bool = False) -> Problem:
        X, y = load(return_X_y=True)
        return _table(name, X, y, counts)

    return [
        loaded(datasets.load_breast_cancer, "breast cancer"),
        loaded(datasets.load_wine, "wine"),
        loaded(datasets.load_digits, "digits", counts=True),
    ]


def _table(name: str, X: Any, y: NDArray[np.int_], counts: bool) -> Problem:
    keep = max(3, X.shape[1] // 4)
    return Problem(name, "table", X, y, keep, counts, GROUPS.get(name))


def _genes() -> list[Problem]:
    """Turns genes as rows into genes as columns; colon levels are lengths, so logarithms."""
    found = []
    for name, file, positive in (
        ("colon", "colon_alon", "t"),
        ("leukemia", "leukemia_golub", "AML"),
    ):
        levels = pd.read_parquet(FOLDER / f"{file}.parquet").set_index("gene")
        samples = pd.read_parquet(FOLDER / f"{file}_samples.parquet").set_index("sample")
        X = levels.T.to_numpy(dtype=float)
        y = _codes(samples.loc[levels.columns, "label"] == positive)
        found.append(Problem(name, "genes", np.log(X) if name == "colon" else X, y, KEEP_GENES))
    return found


def _texts() -> list[Problem]:
    reuters = pd.read_parquet(FOLDER / "reuters21578_docs.parquet")
    grain = reuters["topics"].str.split().map(lambda topics: REUTERS_TOPIC in topics)
    news = pd.read_parquet(FOLDER / "news20_docs.parquet")
    pair = news["group"].isin(NEWS_GROUPS).to_numpy()
    second = _codes(news["group"] == NEWS_GROUPS[1])
    return [
        _text("Reuters grain", _counts("reuters21578"), _codes(grain)),
        _text("News PC or Mac", _counts("news20")[np.flatnonzero(pair)], second[pair]),
    ]


def _codes(positive: Any) -> NDArray[np.int_]:
    return np.asarray(positive, dtype=np.int_)


def _counts(name: str) -> Any:
    cells = pd.read_parquet(FOLDER / f"{name}_counts.parquet")
    docs = len(pd.read_parquet(FOLDER / f"{name}_docs.parquet"))
    words = len(pd.read_parquet(FOLDER / f"{name}_vocab.parquet"))
    values = cells["count"].to_numpy(dtype=float)
    return csr_matrix((values, (cells["doc"], cells["term"])), shape=(docs, words))


def _text(name: str, X: Any, y: NDArray[np.int_]) -> Problem:
    """Leaves out the words that occur nowhere in these documents."""
    occurs = np.flatnonzero(np.asarray(X.sum(axis=0)).ravel() > 0)
    return Problem(name, "text", X[:, occurs], y, KEEP_WORDS, counts=True)


def dense(X: Any) -> NDArray[np.float64]:
    """Returns an array that is not sparse."""
    return np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)
