"""Selections guided by the ξα-estimate, on the same rows by every search, and what they came to."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from benchmarks.selection.data import COLUMNS, Split, Table, split, tables
from miningflow.learn.selection import XiAlphaSelector

KernelName = Literal["linear", "radial"]
KERNELS: tuple[KernelName, ...] = ("linear", "radial")
ALL = "all features"
GENERATED = "generated"
# The columns of the generated set that tell the class; the four after them are noisy copies.
USEFUL = 6

FORWARD: dict[str, Any] = {"direction": "forward", "search": "greedy"}
BACKWARD: dict[str, Any] = {"direction": "backward", "search": "greedy"}
EQUAL: dict[str, Any] = {"accept_equal": True}
GREEDY: dict[str, dict[str, Any]] = {
    "forward": FORWARD,
    "forward, equal": FORWARD | EQUAL,
    "backward": BACKWARD,
    "backward, equal": BACKWARD | EQUAL,
}
BROADER: dict[str, dict[str, Any]] = {
    f"{direction}, {name}": settings | broad
    for direction, settings in (("forward", FORWARD), ("backward", BACKWARD))
    for name, broad in (
        ("floating", {"search": "floating"}),
        ("beam of 3, equal", {"search": "beam", **EQUAL}),
        ("beam of 10, equal", {"search": "beam", "beam_width": 10, **EQUAL}),
    )
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one selection came to; `tied` says if a search met an equal estimate where it ended."""

    table: str
    kernel: KernelName
    rho: float
    name: str
    kept: int
    useful: int
    subsets: int
    estimate: float
    accuracy: float
    tied: bool


def data_sets() -> list[Table]:
    """Returns the stored data sets, if they are there, and the generated one."""
    return [*tables(), generated()]


def generated(rows: int = 3000) -> Table:
    """Draws a set of 23 columns: 6 tell the class, 4 repeat some of these with noise, 13 do not.

    Two of the six matter by their product only, and the target has noise of its own.
    """
    rng = np.random.default_rng(2002)
    X = rng.normal(size=(rows, COLUMNS))
    X[:, USEFUL : USEFUL + 4] = X[:, :4] + rng.normal(scale=0.7, size=(rows, 4))
    signal = X[:, :4] @ [1.0, 0.8, 0.6, 0.5] + 1.2 * X[:, 4] * X[:, 5]
    return Table(GENERATED, X, signal + rng.normal(scale=0.5, size=rows) > 0)


def runs_of(
    found: Sequence[Table],
    seeds: Iterable[int],
    searches: Mapping[str, dict[str, Any]],
    rho: float,
) -> list[Run]:
    """Runs every search on the same rows of each data set, once for each seed and kernel."""
    runs = []
    for seed in seeds:
        for table in found:
            rows = split(table, seed)
            for kernel in KERNELS:
                runs.append(_without_selection(table.name, rows, kernel, rho))
                runs += [
                    _run(table.name, rows, kernel, rho, name, settings)
                    for name, settings in searches.items()
                ]
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return runs


def larger_class(table: Table) -> float:
    """Returns the share of rows that a constant answer gets right."""
    share = float(table.y.mean())
    return max(share, 1 - share)


def _without_selection(table: str, rows: Split, kernel: KernelName, rho: float) -> Run:
    everything = np.ones(rows.X.shape[1], dtype=bool)
    settings = BACKWARD | {"keep": len(everything)}
    selector = _selector(kernel, rho, settings).fit(rows.X, rows.y)
    accuracy = _accuracy(rows, kernel, everything)
    kept = len(everything)
    return Run(table, kernel, rho, ALL, kept, USEFUL, 1, selector.error_, accuracy, False)


def _run(
    table: str, rows: Split, kernel: KernelName, rho: float, name: str, settings: dict[str, Any]
) -> Run:
    selector = _selector(kernel, rho, settings).fit(rows.X, rows.y)
    last = max(trial.level for trial in selector.trace_)
    met = [trial.error for trial in selector.trace_ if trial.level == last and not trial.accepted]
    return Run(
        table,
        kernel,
        rho,
        name,
        int(selector.support_.sum()),
        int(selector.support_[:USEFUL].sum()),
        len({trial.subset for trial in selector.trace_}),
        selector.error_,
        _accuracy(rows, kernel, selector.support_),
        bool(met) and min(met) == selector.error_,
    )


def _selector(kernel: KernelName, rho: float, settings: dict[str, Any]) -> XiAlphaSelector:
    # The selector's own defaults are not the paper's.
    return XiAlphaSelector(kernel, estimate="xi_alpha", rho=rho, **settings)


def _accuracy(rows: Split, kernel: KernelName, support: NDArray[np.bool_]) -> float:
    """Tests the machine that the search trained: its linear kernel has a mean diagonal of 1."""
    kept = int(support.sum())
    machine = SVC(kernel="linear", C=1 / kept) if kernel == "linear" else SVC(kernel="rbf")
    machine.fit(rows.X[:, support], rows.y)
    return float(machine.score(rows.test_X[:, support], rows.test_y))
