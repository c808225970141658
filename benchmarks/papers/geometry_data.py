"""Substitutes for the data of Stambaugh et al.: columns of several types, in the paper's shapes.

Texts are documents of 20 Newsgroups as counts of stems; the order of the words is lost. A
"sentence" is 15 stems drawn from a document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.selection.data import FOLDER, Table, tables
from miningflow.learn.arrays import Codes, Matrix

SENTENCE = 15
# Pairs are made of this many frequent stems.
PAIRED = 60
RANDOM_GROUP = 99


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """Rows to select and learn on, others to test on, and the type of each column."""

    X: Matrix
    y: Codes
    test_X: Matrix
    test_y: Codes
    groups: Codes


@dataclass(frozen=True, eq=False, slots=True)
class Corpus:
    """Counts of stems by document, the newsgroup of each document, and the stems."""

    counts: Any
    y: Codes
    stems: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Shape:
    """The rows, columns, classes and types of a set in table 3 of the paper."""

    name: str
    rows: int
    columns: int
    classes: int
    types: int
    sentences: bool = True
    presence: bool = True
    stems_only: bool = False


TABLE_3 = (
    Shape("Polarity1 Sentences", 463, 645, 4, 5),
    Shape("Polarity2 Sentences", 324, 600, 4, 5),
    Shape("Strength Sentences", 787, 645, 4, 5),
    Shape("Movie Documents", 300, 1000, 2, 3, sentences=False),
    Shape("Webtext Sentences", 1200, 500, 5, 4),
    Shape("Webtext Sentences (stems only)", 1200, 500, 5, 4, stems_only=True),
)


def amazon(columns: int) -> Shape:
    """Returns the shape of the paper's reviews of five authors, 30 of each, by word frequency."""
    return Shape("Amazon", 150, columns, 5, 4, sentences=False, presence=False)


def corpus() -> Corpus | None:
    """Reads the documents with at least 30 different stems; none if the files are missing."""
    path = FOLDER / "news20_counts.parquet"
    if not path.exists():
        return None
    long = pd.read_parquet(path)
    documents = pd.read_parquet(FOLDER / "news20_docs.parquet")
    stems = pd.read_parquet(FOLDER / "news20_vocab.parquet")["term"].to_numpy(dtype=str)
    places = (long["doc"].to_numpy(), long["term"].to_numpy())
    shape = (len(documents), len(stems))
    counts = csr_array((long["count"].to_numpy(dtype=float), places), shape=shape)
    long_enough = np.flatnonzero(np.diff(counts.indptr) >= 2 * SENTENCE)
    y = np.unique(documents["group"], return_inverse=True)[1]
    return Corpus(counts[long_enough], y[long_enough].astype(np.intp), stems)


def draw(corpus: Corpus, shape: Shape, test_rows: int, rng: np.random.Generator) -> Problem:
    """Draws newsgroups, documents of them and the columns of each type."""
    classes = rng.permutation(int(corpus.y.max()) + 1)[: shape.classes]
    each = -(-shape.rows // shape.classes), -(-test_rows // shape.classes)
    drawn = [rng.permutation(np.flatnonzero(corpus.y == one))[: sum(each)] for one in classes]
    training = np.concatenate([rows[: each[0]] for rows in drawn])[: shape.rows]
    test = np.concatenate([rows[each[0] :] for rows in drawn])
    counts = corpus.counts[np.concatenate([training, test])]
    if shape.sentences:
        counts = _sentences(counts, rng)
    X, groups = _typed_columns(counts, corpus.stems, len(training), shape)
    if shape.presence:
        X = (X > 0).astype(float)
    else:
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    y = np.searchsorted(np.sort(classes), corpus.y[np.concatenate([training, test])])
    cut = len(training)
    return Problem(X[:cut], y[:cut], X[cut:], y[cut:], groups)


def with_random_columns(problem: Problem, chance: float, rng: np.random.Generator) -> Problem:
    """Adds a quarter as many columns of 0 and 1 that tell nothing, as a type of their own."""
    count = problem.X.shape[1] // 4
    noise, test_noise = (
        (rng.random((len(rows), count)) < chance).astype(float)
        for rows in (problem.X, problem.test_X)
    )
    return Problem(
        np.hstack([problem.X, noise]),
        problem.y,
        np.hstack([problem.test_X, test_noise]),
        problem.test_y,
        np.append(problem.groups, np.full(count, RANDOM_GROUP)),
    )


@dataclass(frozen=True, slots=True)
class LowDimensional:
    """A set of table 6: how many columns of what kind, and what stands in for it."""

    columns: int
    kind: str
    substitute: str
    draw: Callable[[np.random.Generator], Problem]


def low_dimensional() -> list[LowDimensional]:
    """Returns the substitutes for table 6 that the folder has the data for."""
    found = {table.name: table for table in tables()}
    sets = []
    if "spam" in found:
        spam = found["spam"]
        sets.append(
            LowDimensional(13, "continuous", "spam, 6 types", partial(_some_columns, spam, 13, 6))
        )
    if "GermanCredit" in found:
        credit = found["GermanCredit"]
        binary = np.isin(credit.X, (0.0, 1.0)).all(axis=0)
        dummies = Table(credit.name, credit.X[:, binary], credit.y)
        sets.append(
            LowDimensional(
                38, "categorical", "German credit, 6 types", partial(_some_columns, dummies, 38, 6)
            )
        )
    if "spam" in found:
        cut = Table("spam", _in_quarters(found["spam"].X), found["spam"].y)
        sets.append(
            LowDimensional(
                100, "categorical", "spam in 4 bins, 3 types", partial(_some_columns, cut, 100, 3)
            )
        )
    return sets


def _sentences(counts: Any, rng: np.random.Generator) -> Any:
    chosen = [
        rng.permutation(np.arange(start, end))[:SENTENCE]
        for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    ]
    rows = np.repeat(np.arange(len(chosen)), [len(places) for places in chosen])
    columns = counts.indices[np.concatenate(chosen)]
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=counts.shape)


def _typed_columns(
    counts: Any, stems: NDArray[np.str_], training: int, shape: Shape
) -> tuple[Matrix, Codes]:
    """Returns the most frequent columns of each type, by the training rows."""
    widths = [len(part) for part in np.array_split(np.arange(shape.columns), shape.types)]
    frequent = _most_frequent(counts, training)
    if shape.stems_only:
        chosen = frequent[: shape.columns]
        return counts[:, chosen].toarray(), np.repeat(np.arange(shape.types), widths)
    paired = counts[:, frequent[:PAIRED]].toarray()
    left, right = np.triu_indices(PAIRED, 1)
    types = [
        counts[:, frequent[: widths[0]]],
        csr_array(np.minimum(paired[:, left], paired[:, right])),
        _by_letters(counts, [stem[:3] for stem in stems]),
        counts[:, frequent[widths[0] :]],
        _by_letters(counts, [stem[-2:] for stem in stems]),
    ][: shape.types]
    parts = [
        part[:, _most_frequent(part, training)[:width]].toarray()
        for part, width in zip(types, widths, strict=True)
    ]
    groups = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    return np.hstack(parts), groups


def _most_frequent(counts: Any, training: int) -> Codes:
    order: Codes = np.argsort(
        -np.bincount(counts[:training].indices, minlength=counts.shape[1]), kind="stable"
    )
    return order


def _by_letters(counts: Any, letters: Sequence[str]) -> Any:
    names, codes = np.unique(letters, return_inverse=True)
    ones = np.ones(len(codes))
    return counts @ csr_array(
        (ones, (np.arange(len(codes)), codes)), shape=(len(codes), len(names))
    )


def _some_columns(table: Table, columns: int, types: int, rng: np.random.Generator) -> Problem:
    """Draws half of the rows, at most 300, to learn on, and columns; neighbours are of a type."""
    order = rng.permutation(len(table.X))
    training = order[: min(300, len(order) // 2)]
    test = order[len(training) :][:1000]
    varying = np.flatnonzero(table.X[training].std(axis=0) > 0)
    chosen = np.sort(rng.permutation(varying)[:columns])
    scale = np.abs(table.X[training][:, chosen]).max(axis=0)
    X, y = table.X[:, chosen] / scale, table.y.astype(np.intp)
    parts = np.array_split(np.arange(len(chosen)), types)
    groups = np.repeat(np.arange(types), [len(part) for part in parts])
    return Problem(X[training], y[training], X[test], y[test], groups)


def _in_quarters(X: Matrix) -> Matrix:
    """Returns four columns of 0 and 1 for each column, by its quartiles."""
    bins = np.array(
        [np.searchsorted(np.quantile(x, [0.25, 0.5, 0.75]), x, side="left") for x in X.T]
    )
    return np.vstack([(row == value).astype(float) for row in bins for value in range(4)]).T
