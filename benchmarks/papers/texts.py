"""Texts as counts of words, from a folder beside the repository; never part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.selection.data import FOLDER

NEWSGROUPS = "news20"
REUTERS = "reuters21578"


@dataclass(frozen=True, eq=False, slots=True)
class Texts:
    """Documents by stems as unit vectors of tf-idf, the labels of each, and which to train on."""

    X: Any
    labels: NDArray[np.object_]
    training: NDArray[np.bool_]

    def have(self, label: str) -> NDArray[np.bool_]:
        """Returns which documents have this label among theirs."""
        return np.array([label in labels for labels in self.labels])


def missing(name: str) -> bool:
    """Returns whether the files of these texts are not there."""
    return not (FOLDER / f"{name}_counts.parquet").exists()


def newsgroups() -> Texts:
    """Reads 20 Newsgroups, weighted over all documents; each has one label."""
    documents = pd.read_parquet(FOLDER / f"{NEWSGROUPS}_docs.parquet")
    counts = _counts(NEWSGROUPS, len(documents))
    training = (documents["split"] == "train").to_numpy()
    return Texts(TfidfTransformer().fit_transform(counts), _labels(documents["group"]), training)


def reuters() -> Texts:
    """Reads Reuters-21578, weighted over the training documents of the ModApte split."""
    documents = pd.read_parquet(FOLDER / f"{REUTERS}_docs.parquet")
    counts = _counts(REUTERS, len(documents))
    training = (documents["split"] == "train").to_numpy()
    weights = TfidfTransformer().fit(counts[training])
    return Texts(weights.transform(counts), _labels(documents["topics"]), training)


def _counts(name: str, documents: int) -> Any:
    counts = pd.read_parquet(FOLDER / f"{name}_counts.parquet")
    stems = len(pd.read_parquet(FOLDER / f"{name}_vocab.parquet"))
    places = (counts["doc"].to_numpy(), counts["term"].to_numpy())
    return csr_matrix((counts["count"].to_numpy(float), places), shape=(documents, stems))


def _labels(column: pd.Series[str]) -> NDArray[np.object_]:
    labels = np.empty(len(column), dtype=object)
    labels[:] = [frozenset(text.split()) for text in column]
    return labels
