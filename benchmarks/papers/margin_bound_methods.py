"""The selectors that Weston et al. (2000) compare, and machines that learn on what they select."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.svm import SVC

from miningflow.learn.selection import MarginBoundSelector, ScoreSelector, XiAlphaSelector

KernelName = Literal["linear", "polynomial"]

RAW = "all columns, raw"
SCALED = "all columns, standardized"
PEARSON, FISHER, KS = "Pearson", "Fisher", "Kolmogorov–Smirnov"
FILTERS = (PEARSON, FISHER, KS)
RADIUS = "radius-margin"
GRADIENT = "radius-margin, slopes only"
SPAN = "span"
FORWARD = "span, forward"
BOUNDS = (RADIUS, GRADIENT, SPAN, FORWARD)
EXACT = "radius-margin, 12 exact steps"
LOOSE, TIGHT, SLOW = "ridge 1", "ridge 0.01", "drop 5 %"
MORE = (LOOSE, TIGHT, SLOW)

# Rows are standardized and few, so that this price of an error is as good as none allowed.
HARD = 100.0


def selectors(keep: int, kernel: KernelName = "linear") -> dict[str, Any]:
    """Returns the filters and the bounds; forward search knows the linear kernel only."""
    chosen: dict[str, Any] = {
        PEARSON: ScoreSelector("pearson", keep=keep),
        FISHER: ScoreSelector("fisher", keep=keep),
        KS: ScoreSelector("ks", keep=keep),
        RADIUS: MarginBoundSelector(keep, kernel=kernel),
        GRADIENT: MarginBoundSelector(keep, kernel=kernel, exact=0),
        SPAN: MarginBoundSelector(keep, bound="span", kernel=kernel),
    }
    if kernel == "linear":
        chosen[FORWARD] = XiAlphaSelector(
            direction="forward", search="greedy", keep=keep, estimate="span"
        )
    return chosen


def gene_selectors(keep: int) -> dict[str, Any]:
    """Returns those that can select from thousands of columns.

    With more than 12 columns to keep, the default takes no exact step.
    """
    chosen = selectors(keep)
    few = {name: chosen[name] for name in (*FILTERS, RADIUS, SPAN)}
    return few | {EXACT: MarginBoundSelector(keep, exact=keep + 12)}


def other_settings(keep: int) -> dict[str, Any]:
    """Returns all of these, and the radius-margin bound with other settings than the defaults."""
    return gene_selectors(keep) | {
        LOOSE: MarginBoundSelector(keep, ridge=1.0),
        TIGHT: MarginBoundSelector(keep, ridge=0.01),
        SLOW: MarginBoundSelector(keep, drop=0.05),
    }


def machine(kernel: KernelName = "linear", C: float = 1.0) -> SVC:
    """Returns the paper's machine: linear, or with a polynomial of second order."""
    if kernel == "linear":
        return SVC(kernel="linear", C=C)
    return SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=C)
