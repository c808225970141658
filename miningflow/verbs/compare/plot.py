"""`compare --plot`: the results of several selectors by number of features."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from miningflow.describe.plots import Line, draw
from miningflow.learn.selection.comparison import Curve
from miningflow.verbs.compare.comparison import Comparison


def plot_comparison(comparison: Comparison, path: Path) -> None:
    """Draws a line for each selector, and one for the result without any feature."""
    lines = [_line(curve) for curve in comparison.curves]
    sizes = comparison.curves[0].sizes
    constant = [comparison.constant] * 2
    lines.append(Line("no feature", [sizes[0], sizes[-1]], constant, dashed=True))
    title = f"Selectors on the input of {comparison.step}"
    draw(path, lines, title, "features", comparison.metric, log_x=True)


def _line(curve: Curve) -> Line:
    measured = ~np.isnan(curve.means)
    sizes = [size for size, known in zip(curve.sizes, measured, strict=True) if known]
    errors = curve.deviations[measured] / len(curve.values) ** 0.5
    return Line(curve.contestant.name, sizes, curve.means[measured].tolist(), errors.tolist())
