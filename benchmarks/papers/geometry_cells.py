"""Cells of the tables on geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.papers.geometry_runs import GEOMETRY, Judged, Quality
from benchmarks.papers.page import mean_and_deviation


def qualities(runs: Sequence[Judged], judge: str) -> list[Quality]:
    """Returns the quality of a judge for each draw."""
    return [each.quality(judge) for each in runs]


def values(qualities: Sequence[Quality], name: str) -> list[float]:
    """Returns accuracy, precision or recall for each draw."""
    return [float(getattr(quality, name)) for quality in qualities]


def mean_of(qualities: Sequence[Quality], name: str) -> float:
    """Returns the mean of accuracy, precision or recall."""
    return float(np.mean(values(qualities, name)))


def paper_and_ours(paper: Quality | None, runs: Sequence[Judged]) -> list[str]:
    """Returns accuracy, precision and recall, the paper's before ours."""
    cells = []
    for name in ("accuracy", "precision", "recall"):
        cells.append("–" if paper is None else f"{getattr(paper, name):.2f}")
        cells.append(mean_and_deviation(values(qualities(runs, GEOMETRY), name), 2))
    return cells


def pair(qualities: Sequence[Quality]) -> str:
    """Prints mean precision and recall."""
    return f"{mean_of(qualities, 'precision'):.2f} / {mean_of(qualities, 'recall'):.2f}"


def good_share(runs: Sequence[Judged]) -> str:
    """Prints the share of good sets."""
    return f"{100 * np.mean([each.good.mean() for each in runs]):.0f} %"
