"""The gene data of Weston et al. (2000), section 5.2, and the errors of machines on few genes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from benchmarks.papers.margin_bound_methods import FILTERS, HARD, gene_selectors, machine
from benchmarks.selection.data import FOLDER
from miningflow.learn.arrays import Indices, Mask, Matrix

Selectors = Callable[[int], dict[str, Any]]

ALL, UNSCALED = "all genes", "all genes, not standardized"
WITHOUT = (UNSCALED, ALL)
COSTS = (HARD, 1.0)
COLON_TRAINING = 50
COLON_GENES = 15


@dataclass(frozen=True, eq=False, slots=True)
class Genes:
    """Samples as rows, genes as columns; the class; and which samples the paper trains on."""

    name: str
    X: Matrix
    y: Mask
    training: Mask


@dataclass(frozen=True, slots=True)
class GeneRun:
    """How many samples a machine got wrong, and of how many."""

    method: str
    keep: int
    C: float
    wrong: int
    asked: int


@dataclass(frozen=True, eq=False, slots=True)
class GeneResults:
    """What was measured, by preparation of the values; `drawn` has a list for each division."""

    leukemia: dict[str, list[GeneRun]]
    lineage: dict[str, list[GeneRun]]
    leukemia_drawn: list[list[GeneRun]]
    colon: dict[str, list[list[GeneRun]]]

    def colon_errors(self, name: str, method: str, C: float) -> list[float]:
        """Returns the errors on colon tissue in %, one for each division."""
        found = [
            run_of(runs, method, 0 if method in WITHOUT else COLON_GENES, C)
            for runs in self.colon[name]
        ]
        return [100 * run.wrong / run.asked for run in found]

    def colon_mean(self, name: str, method: str, C: float) -> float:
        """Returns the mean error on colon tissue in %."""
        return float(np.mean(self.colon_errors(name, method, C)))

    def best_filter(self, name: str, C: float) -> float:
        """Returns the lowest mean error of a filter on colon tissue."""
        return min(self.colon_mean(name, method, C) for method in FILTERS)


def run_of(runs: Sequence[GeneRun], method: str, keep: int, C: float) -> GeneRun:
    """Returns the run of a method with this number of genes and cost of an error."""
    return next(run for run in runs if (run.method, run.keep, run.C) == (method, keep, C))


def leukemia() -> Genes | None:
    """Reads myeloid against lymphoblastic leukemia, with the original division."""
    found = _read("leukemia_golub")
    if found is None:
        return None
    X, samples = found
    return Genes("leukemia", X, _is(samples["label"], "AML"), _is(samples["split"], "train"))


def lineage() -> Genes | None:
    """Reads B against T cells of the lymphoblastic samples, with the original division."""
    found = _read("leukemia_golub")
    if found is None:
        return None
    X, samples = found
    lymphoblastic = _is(samples["label"], "ALL")
    samples = samples[lymphoblastic]
    y, training = _is(samples["lineage"], "T"), _is(samples["split"], "train")
    return Genes("lineage", X[lymphoblastic], y, training)


def colon() -> Genes | None:
    """Reads normal and tumour tissue of the colon; the paper draws its divisions at random."""
    found = _read("colon_alon")
    if found is None:
        return None
    X, samples = found
    return Genes("colon", X, _is(samples["label"], "t"), np.ones(len(X), dtype=bool))


def logarithms(X: Matrix) -> Matrix:
    """Returns logarithms of the values, cut at 100 and 16,000 as is usual with these chips."""
    values: Matrix = np.log10(np.clip(X, 100, 16_000))
    return values


def scaled_samples(X: Matrix) -> Matrix:
    """Returns logarithms with mean 0 and variance 1 for each sample."""
    values = logarithms(X)
    scaled: Matrix = (values - values.mean(axis=1, keepdims=True)) / values.std(
        axis=1, keepdims=True
    )
    return scaled


PREPARATIONS: dict[str, Callable[[Matrix], Matrix]] = {
    "raw": lambda X: X,
    "logarithms": logarithms,
    "samples scaled": scaled_samples,
}


def gene_runs(
    X: Matrix, y: Mask, training: Mask, keeps: Sequence[int], selectors: Selectors = gene_selectors
) -> list[GeneRun]:
    """Selects on the training samples, and counts the errors on the others."""
    scaler = StandardScaler().fit(X[training])
    # One scale for all genes, so that C means the same as with a scale for each.
    alike = (X - scaler.mean_) / np.sqrt(scaler.var_.mean())
    X = scaler.transform(X)
    varying = np.flatnonzero(scaler.var_ > 0)
    done = _machines(alike, y, training, UNSCALED, varying)
    done += _machines(X, y, training, ALL, varying)
    for keep in keeps:
        for name, selector in selectors(keep).items():
            support = selector.fit(X[np.ix_(training, varying)], y[training]).get_support()
            done += _machines(X, y, training, name, varying[support])
    return done


def drawn_runs(
    genes: Genes,
    X: Matrix,
    rows: int,
    keeps: Sequence[int],
    runs: int,
    selectors: Selectors = gene_selectors,
) -> list[list[GeneRun]]:
    """Draws new training samples for each run."""
    done = []
    for run in range(runs):
        order = np.random.default_rng([2002, run]).permutation(len(X))
        training = np.isin(np.arange(len(X)), order[:rows])
        done.append(gene_runs(X, genes.y, training, keeps, selectors))
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return done


def _machines(X: Matrix, y: Mask, training: Mask, method: str, columns: Indices) -> list[GeneRun]:
    done = []
    keep = 0 if method in WITHOUT else len(columns)
    for C in COSTS:
        learned = machine(C=C).fit(X[np.ix_(training, columns)], y[training])
        answers = learned.predict(X[np.ix_(~training, columns)])
        wrong = int(np.count_nonzero(answers != y[~training]))
        done.append(GeneRun(method, keep, C, wrong, len(answers)))
    return done


def _read(name: str) -> tuple[Matrix, pd.DataFrame] | None:
    path, about = FOLDER / f"{name}.parquet", FOLDER / f"{name}_samples.parquet"
    if not path.exists() or not about.exists():
        return None
    samples = pd.read_parquet(about)
    genes = pd.read_parquet(path)
    return genes[samples["sample"]].to_numpy(dtype=float).T, samples


def _is(column: pd.Series, value: str) -> Mask:
    same: Mask = (column == value).to_numpy()
    return same
