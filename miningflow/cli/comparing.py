"""`miningflow compare`: selectors side by side, as a table and as a plot."""

from __future__ import annotations

from pathlib import Path

import typer

from miningflow.cli.printing import as_json, console, table
from miningflow.describe.plots import Line, draw
from miningflow.learn.selection.comparison import Advice, Curve
from miningflow.run.comparing import Comparison


def print_comparison(comparison: Comparison, plot: Path | None, json_wanted: bool) -> None:
    """Prints the table and what to take from it; draws the plot."""
    if plot is not None:
        _draw(comparison, plot)
    if json_wanted:
        as_json(_plain(comparison))
        return
    sizes = comparison.curves[0].sizes
    shown = table(
        "selector",
        *(f">{size}" for size in sizes),
        ">seconds",
        title=f"error in {comparison.folds} folds of {comparison.rows:,} rows, "
        "by number of features",
    )
    for curve in comparison.curves:
        cells = [f"{m:.3f} ± {d:.3f}" for m, d in zip(curve.means, curve.deviations, strict=True)]
        shown.add_row(curve.contestant.name, *cells, f"{curve.seconds:.2f}")
    console().print(shown)
    typer.echo(f"without any feature, the error is {comparison.constant_error:.3f}")
    for name in comparison.left_out:
        typer.echo(f"left out: {name}, which needs two classes (give 'positive')")
    typer.echo(_advised(comparison.advice))
    if plot is not None:
        typer.echo(f"plot: {plot}")


def _advised(advice: Advice) -> str:
    return (
        f"the least error is {advice.least:.3f} ± {advice.standard_error:.3f} (standard error); "
        f"within it, with the fewest features: {advice.error:.3f} by\n"
        f"    operator: {advice.contestant.operator}\n"
        f"    keep: {advice.size}"
    )


def _draw(comparison: Comparison, plot: Path) -> None:
    lines = [_line(curve) for curve in comparison.curves]
    sizes = comparison.curves[0].sizes
    constant = [comparison.constant_error] * 2
    lines.append(Line("no feature", [sizes[0], sizes[-1]], constant, dashed=True))
    title = f"Selectors on the input of {comparison.step}"
    draw(plot, lines, title, "features", "error", log_x=True)


def _line(curve: Curve) -> Line:
    errors = curve.deviations / len(curve.errors) ** 0.5
    return Line(curve.contestant.name, curve.sizes, curve.means.tolist(), errors.tolist())


def _plain(comparison: Comparison) -> dict[str, object]:
    advice = comparison.advice
    return {
        "step": comparison.step,
        "rows": comparison.rows,
        "folds": comparison.folds,
        "features": comparison.features,
        "constant_error": comparison.constant_error,
        "left_out": comparison.left_out,
        "selectors": [
            {
                "selector": curve.contestant.name,
                "operator": curve.contestant.operator,
                "seconds": curve.seconds,
                "features": curve.sizes,
                "error": curve.means.tolist(),
                "deviation": curve.deviations.tolist(),
            }
            for curve in comparison.curves
        ],
        "advice": {
            "operator": advice.contestant.operator,
            "keep": advice.size,
            "error": advice.error,
            "least_error": advice.least,
            "standard_error": advice.standard_error,
        },
    }
