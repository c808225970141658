"""A comparison of selectors as a page: the curves, the numbers, and the step to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miningflow.html import Element, element, page, section, table
from miningflow.html.charts import Series, line_chart
from miningflow.html.page import code
from miningflow.warn.warning_table import warning_table

if TYPE_CHECKING:
    from miningflow.verbs.compare.comparison import Comparison


def comparison_page(comparison: Comparison) -> str:
    """Returns the comparison as HTML."""
    said = f"{comparison.metric} in {comparison.folds} folds of {comparison.rows:,} rows"
    return page(
        comparison.step,
        said,
        warning_table(comparison.warnings),
        _curves(comparison),
        _advice(comparison),
        section("By number of features", _numbers(comparison), folded=True),
        _left_out(comparison),
    )


def _curves(comparison: Comparison) -> Element:
    sizes = comparison.curves[0].sizes
    lines = [Series(c.contestant.name, c.sizes, c.means.tolist()) for c in comparison.curves]
    constant = [comparison.constant] * 2
    lines.append(Series("no feature", [min(sizes), max(sizes)], constant, dashed=True))
    return line_chart(lines, "number of features", comparison.metric)


def _advice(comparison: Comparison) -> Element:
    advice = comparison.advice
    best = f"{advice.best:.3f} ± {advice.standard_error:.3f} (standard error)"
    if not comparison.beats_constant:
        said = f"The best {comparison.metric} is {best}, so there is nothing to advise."
        return section("Advice", element("p", None, said))
    said = (
        f"The best {comparison.metric} is {best}; within it, with the fewest features: "
        f"{advice.value:.3f} by {advice.contestant.name} with {advice.size}."
    )
    return section("Advice", element("p", None, said), code(comparison.advised_step))


def _numbers(comparison: Comparison) -> Element:
    sizes = [f"{size}" for size in comparison.curves[0].sizes]
    rows = [
        [
            curve.contestant.name,
            *(_cell(m, d) for m, d in zip(curve.means, curve.deviations, strict=True)),
            f"{curve.seconds:.2f}",
        ]
        for curve in comparison.curves
    ]
    return table(["selector", *sizes, "seconds"], rows, numbers={*sizes, "seconds"})


def _cell(mean: float, deviation: float) -> str:
    return f"{mean:.3f} ± {deviation:.3f}" if mean == mean else "–"  # noqa: PLR0124 - NaN


def _left_out(comparison: Comparison) -> Element | None:
    if not comparison.left_out:
        return None
    rows = [[name, why] for name, why in comparison.left_out.items()]
    return section("Left out", table(["selector", "why"], rows))
