"""Table 3 of the alignment paper: each of 20 newsgroups against the others, few to learn from."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.papers.page import Page, Plot, mean_and_deviation
from benchmarks.papers.texts import Texts
from miningflow.describe.plots import Line
from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection import AlignmentSelector, ScoreSelector

METHODS = ("no FS", "IG", "iFSA", "osFSA")
SIZES = (400, 1000)
SHARES = np.arange(85, 101) / 100
COSTS = 10.0 ** np.arange(1, 8)

# Error in percent: no FS, IG, iFSA and osFSA with 400 rows, then with 1000.
PAPER = {
    "alt.atheism": (4.78, 4.94, 4.92, 5.01, 4.25, 4.68, 4.44, 4.66),
    "comp.graphics": (4.58, 5.00, 4.76, 4.80, 4.18, 4.60, 4.42, 4.50),
    "comp.os.ms-windows.misc": (4.33, 4.58, 4.54, 4.57, 4.04, 4.59, 4.40, 4.49),
    "comp.sys.ibm.pc.hardware": (4.66, 4.91, 4.84, 4.92, 4.34, 4.85, 4.70, 4.82),
    "comp.sys.mac.hardware": (5.00, 4.92, 4.45, 4.79, 3.76, 4.07, 3.78, 3.91),
    "comp.windows.x": (5.01, 4.76, 4.37, 4.72, 3.86, 4.13, 3.81, 4.15),
    "misc.forsale": (4.98, 4.64, 4.32, 4.59, 4.07, 4.25, 4.09, 4.15),
    "rec.autos": (5.00, 4.26, 3.93, 4.00, 3.31, 3.61, 3.54, 3.59),
    "rec.motorcycles": (5.01, 2.45, 2.14, 2.30, 2.73, 2.30, 2.21, 2.28),
    "rec.sport.baseball": (5.01, 4.17, 3.82, 4.09, 2.87, 3.36, 3.24, 3.38),
    "rec.sport.hockey": (5.01, 3.46, 3.11, 3.47, 2.04, 2.49, 2.16, 2.53),
    "sci.crypt": (5.00, 3.22, 2.90, 3.11, 2.41, 2.51, 2.14, 2.36),
    "sci.electronics": (5.01, 5.07, 4.98, 5.09, 4.43, 4.69, 4.56, 4.84),
    "sci.med": (5.01, 4.47, 4.30, 4.45, 3.61, 3.74, 3.78, 3.72),
    "sci.space": (5.02, 4.23, 3.98, 4.31, 2.93, 3.40, 3.20, 3.48),
    "soc.religion.christian": (5.00, 4.68, 4.25, 4.77, 3.39, 4.22, 3.97, 4.28),
    "talk.politics.guns": (5.01, 4.80, 4.57, 4.65, 3.61, 4.06, 3.95, 4.14),
    "talk.politics.mideast": (5.02, 3.56, 3.24, 3.57, 2.25, 2.39, 2.25, 2.35),
    "talk.politics.misc": (5.01, 4.93, 4.89, 4.93, 4.29, 4.75, 4.60, 4.69),
    "talk.religion.misc": (5.02, 5.20, 5.01, 5.06, 4.88, 5.14, 5.01, 5.10),
}


@dataclass(frozen=True, eq=False, slots=True)
class Newsgroups:
    """Errors in percent and numbers of features: sizes by groups by training sets by methods.

    `unfinished` says where the chosen machine had not converged.
    """

    groups: tuple[str, ...]
    errors: Matrix
    features: Matrix
    unfinished: Matrix

    def better(self, method: str, than: str) -> str:
        """Says in how many of all training sets one method errs less than another."""
        first, second = (self.errors[..., METHODS.index(name)] for name in (method, than))
        equal = int((first == second).sum())
        return f"{int((first < second).sum())} of {first.size}" + (
            f" ({equal} equal)" * (equal > 0)
        )

    def better_on_average(self, method: str, than: str) -> tuple[int, int]:
        """Returns for how many groups, of how many, the mean error is lower; sizes add up."""
        means = self.errors.mean(axis=2)
        first, second = (means[..., METHODS.index(name)] for name in (method, than))
        return int((first < second).sum()), first.size


def measure(texts: Texts, groups: tuple[str, ...], sets: int) -> Newsgroups:
    """Runs all methods on disjoint training sets of both sizes."""
    errors = np.zeros((len(SIZES), len(groups), sets, len(METHODS)))
    features, unfinished = np.zeros_like(errors), np.zeros_like(errors)
    for at_group, group in enumerate(groups):
        positive = texts.have(group)
        for at_size, size in enumerate(SIZES):
            rng = np.random.default_rng([at_group, size])
            pools = [rng.permutation(np.flatnonzero(positive == side)) for side in (True, False)]
            for at_set in range(sets):
                rows = _rows(pools, size, at_set)
                place = (at_size, at_group, at_set)
                tuned = _errors(texts.X, positive, *rows)
                errors[place], features[place], unfinished[place] = np.transpose(tuned)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return Newsgroups(groups, errors, features, unfinished)


def _rows(pools: list[Indices], size: int, at: int) -> tuple[Indices, Indices, Indices]:
    """Returns rows to train, to validate (a quarter more) and to test on, 1 in 20 positive."""
    train, validate, rest = [], [], []
    for pool, share in zip(pools, (1 / 20, 19 / 20), strict=True):
        count = round(size * share)
        # Disjoint training sets; the rows to validate on are those of the next set.
        turned = np.roll(pool, -at * count)
        held_out = round(count / 4)
        train.append(turned[:count])
        validate.append(turned[count : count + held_out])
        rest.append(turned[count + held_out :])
    positives = min(len(rest[0]), len(rest[1]) // 19)
    test = [rest[0][:positives], rest[1][: 19 * positives]]
    return np.concatenate(train), np.concatenate(validate), np.concatenate(test)


def _errors(
    X: Any, y: Mask, train: Indices, validate: Indices, test: Indices
) -> list[tuple[float, int, bool]]:
    known, labels = X[train], y[train]
    aligned = AlignmentSelector("incremental", balanced=True).fit(known, labels)
    alignments = np.array([step.alignment for step in aligned.trace_])
    sizes = np.unique(np.searchsorted(alignments, SHARES * alignments[-1] * (1 - 1e-12)) + 1)
    most = int(sizes[-1])
    one_shot = AlignmentSelector("one_shot", balanced=True, keep=most).fit(known, labels)
    gain = ScoreSelector("information_gain", keep=most).fit(known, labels)
    orders = [
        np.array([each.feature for each in gain.trace_[:most]]),
        np.array([step.changed[0] for step in aligned.trace_[:most]]),
        np.array([step.changed[0] for step in one_shot.trace_]),
    ]
    everything = np.flatnonzero(known.getnnz(axis=0))
    tried = [(everything, [len(everything)]), *((order, sizes) for order in orders)]
    return [_tuned(X, y, (train, validate, test), order, sizes) for order, sizes in tried]


def _tuned(
    X: Any, y: Mask, rows: tuple[Indices, Indices, Indices], order: Indices, sizes: Any
) -> tuple[float, int, bool]:
    """Takes the size and C of the lowest validation error, and returns the test error.

    It also returns the size, and whether the machine had not converged.
    """
    train, validate, test = rows
    best: tuple[float, LinearSVC, Indices] | None = None
    known, held_out = X[train][:, order], X[validate][:, order]
    if len(sizes) > 1:  # so few columns are faster dense
        known, held_out = known.toarray(), held_out.toarray()
    for size in sizes:
        for cost in COSTS:
            machine = LinearSVC(C=cost, dual="auto", random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # counted instead
                machine.fit(known[:, :size], y[train])
            error = 1 - machine.score(held_out[:, :size], y[validate])
            if best is None or error < best[0]:
                best = error, machine, order[:size]
    assert best is not None
    _, machine, columns = best
    error = 100 * float(1 - machine.score(X[test][:, columns], y[test]))
    return error, len(columns), machine.n_iter_ >= machine.max_iter


def report(page: Page, found: Newsgroups) -> None:
    """Adds table 3."""
    sets = found.errors.shape[2]
    page.say("## Table 3: 20 Newsgroups, test error in percent")
    page.say(
        f"One newsgroup against the other 19, 1 document in 20 positive. Ours: {sets} disjoint "
        "training sets per group and size, mean ± standard deviation over them; a quarter more "
        "documents to choose C (10 to 10⁷) and the number of features on (85 % to 100 % of the "
        "alignment, for all methods the numbers of iFSA); all others, still 1 in 20 positive, to "
        "test on. Weights are tf-idf over the whole collection, and the machine is LinearSVC with "
        "squared hinge loss, where the paper does not say which. Of the machines chosen, "
        f"{int(found.unfinished.sum())} of {found.unfinished.size} had not converged; some that "
        "were tried and not chosen had not."
    )
    for at, size in enumerate(SIZES):
        header = [f"{size} documents"]
        for name in METHODS:
            header += [f"{name} paper", "ours"]
        rows = [
            _row(group, PAPER[group][4 * at : 4 * at + 4], found.errors[at, i])
            for i, group in enumerate(found.groups)
        ]
        paper = np.mean([PAPER[group][4 * at : 4 * at + 4] for group in found.groups], axis=0)
        rows.append(_row("mean", paper, found.errors[at].mean(axis=0)))
        page.table(header, rows)
    rows = []
    for name in METHODS:
        counts = [
            mean_and_deviation(found.features[at, ..., METHODS.index(name)].ravel().tolist(), 0)
            for at in (0, 1)
        ]
        rows.append([name, *counts])
    page.say("Features that were used, mean ± standard deviation over all groups and sets:")
    page.table(["method", *(f"{size} documents" for size in SIZES)], rows)
    gain, fsa = (found.errors[..., METHODS.index(name)].ravel() for name in ("IG", "iFSA"))
    difference = fsa - gain
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    groups = found.better_on_average("iFSA", "IG")
    page.say(
        f"iFSA errs less than IG in {found.better('iFSA', 'IG')} training sets, and on average for "
        f"{groups[0]} of {groups[1]} groups and sizes; in the paper for "
        f"{_paper_better(found.groups)}. The mean difference of the errors is "
        f"{difference.mean():+.2f} ± {error:.2f} points (standard error), in the paper "
        f"{_paper_difference(found.groups):+.2f}. osFSA errs less than IG in "
        f"{found.better('osFSA', 'IG')} training sets. So the paper's claims about table 3 "
        "were not "
        "reproduced. Ours minus the paper's mean error, 400 and 1000 documents: "
        f"{_apart(found)}. iFSA is nearest to the paper; what it is compared with errs less here, "
        "and we do not know why. The paper does not say on which documents C and the number of "
        "features were chosen; with 5 or 12 positive ones among ours that choice is coarse."
    )
    for at, size in enumerate(SIZES):
        kept = found.errors[at]
        page.plot(
            Plot(
                f"table_3_{size}",
                [
                    Line(
                        name,
                        [PAPER[group][4 * at + column] for group in found.groups],
                        list(kept[..., column].mean(axis=1)),
                        joined=False,
                    )
                    for column, name in enumerate(METHODS)
                ]
                + [Line("as in the paper", [2, 5.2], [2, 5.2], dashed=True)],
                f"20 Newsgroups, {size} documents: error in percent",
                "paper",
                "ours",
            )
        )


def _row(name: str, paper: Any, ours: Matrix) -> list[str]:
    cells = [name]
    for column in range(len(METHODS)):
        cells += [f"{paper[column]:.2f}", mean_and_deviation(ours[:, column].tolist(), 2)]
    return cells


def _apart(found: Newsgroups) -> str:
    paper = np.mean([PAPER[group] for group in found.groups], axis=0).reshape(len(SIZES), -1)
    apart = found.errors.mean(axis=(1, 2)) - paper
    return ", ".join(
        f"{name} {small:+.2f} and {large:+.2f}"
        for name, small, large in zip(METHODS, *apart, strict=True)
    )


def _paper_better(groups: tuple[str, ...]) -> str:
    better = [PAPER[group][at + 2] < PAPER[group][at + 1] for group in groups for at in (0, 4)]
    return f"{sum(better)} of {len(better)}"


def _paper_difference(groups: tuple[str, ...]) -> float:
    return float(
        np.mean([PAPER[group][at + 2] - PAPER[group][at + 1] for group in groups for at in (0, 4)])
    )
