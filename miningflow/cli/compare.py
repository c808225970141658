"""`miningflow compare`."""

from __future__ import annotations

import math
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.assignments import assignments
from miningflow.cli.candidates import metrics, selectors, steps
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Plot, Sources
from miningflow.cli.output import echo, echo_lines, note, print_json, table
from miningflow.cli.result_warnings import print_warnings
from miningflow.cli.tables import print_table
from miningflow.errors import listed

if TYPE_CHECKING:
    from miningflow.learn.selection.comparison import Advice
    from miningflow.verbs.compare import Comparison


def compare(
    case: CaseFile,
    step: Annotated[
        str,
        typer.Argument(
            metavar="STEP", help="A step that selects by a target.", autocompletion=steps
        ),
    ],
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            "--selector",
            metavar="NAME",
            help="Only this one: score, alignment, normal, margin_bound or svm.",
            autocompletion=selectors,
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option("--rows", min=20, help="How many rows to draw, by hash of the key.")
    ] = 1000,
    folds: Annotated[
        int, typer.Option("--folds", min=2, max=100, help="The number of folds to cross-validate.")
    ] = 5,
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Compare by error, accuracy, f1 or auc.",
            autocompletion=metrics,
        ),
    ] = "error",
    plot: Plot = None,
    sources: Sources = None,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Compare selectors on the input of a selecting step.

    Prints the cross-validated error of a linear machine, or another metric, by number of features,
    and the step to write. Changes nothing.

    Example: miningflow compare shop.yml relevant --metric auc
    """
    with failing(json):
        from miningflow.cli.progress import progress
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        given = assignments(sources, "--source")
        with progress(loaded, quiet=json) as listener:
            asked = selectors or (), rows, folds, metric, plot, given, listener
            comparison = loaded.compare(step, *asked)
        if json:
            print_json(_plain(comparison))
            return
        _print(comparison)
        if plot is not None:
            note(f"plot: {plot}")
        print_warnings(comparison.warnings)


def _print(comparison: Comparison) -> None:
    sizes = comparison.curves[0].sizes
    shown = table(
        "selector",
        *(f">{size}" for size in sizes),
        ">seconds",
        title=f"{comparison.metric} in {comparison.folds} folds of {comparison.rows:,} rows, "
        "by number of features",
    )
    for curve in comparison.curves:
        cells = [_cell(m, d) for m, d in zip(curve.means, curve.deviations, strict=True)]
        shown.add_row(curve.contestant.name, *cells, f"{curve.seconds:.2f}")
    print_table(shown)
    echo(f"without any feature, the {comparison.metric} is {comparison.constant:.3f}")
    for kept, names in _by_kept(comparison).items():
        echo(f"always kept by {', '.join(names)}, and counted: {listed(kept)}")
    for name, why in comparison.left_out.items():
        echo(f"left out: {name}, {why}")
    echo(_advised(comparison))
    if comparison.beats_constant:
        echo_lines(textwrap.indent(comparison.advised_step, "    "))


def _cell(mean: float, deviation: float) -> str:
    return "–" if math.isnan(mean) else f"{mean:.3f} ± {deviation:.3f}"


def _by_kept(comparison: Comparison) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for name, kept in comparison.always_kept.items():
        found.setdefault(kept, []).append(name)
    return found


def _advised(comparison: Comparison) -> str:
    advice: Advice = comparison.advice
    best = f"{advice.best:.3f} ± {advice.standard_error:.3f} (standard error)"
    if not comparison.beats_constant:
        return f"the best {comparison.metric} is {best}, so there is nothing to advise"
    return (
        f"the best {comparison.metric} is {best}; within it, with the fewest features: "
        f"{advice.value:.3f} by"
    )


def _plain(comparison: Comparison) -> dict[str, object]:
    advice, metric = comparison.advice, comparison.metric
    return {
        "step": comparison.step,
        "rows": comparison.rows,
        "folds": comparison.folds,
        "metric": metric,
        "features": comparison.features,
        "constant": comparison.constant,
        "constant_error": comparison.constant_error,
        "beats_constant": comparison.beats_constant,
        "left_out": comparison.left_out,
        "selectors": [
            {
                "selector": curve.contestant.name,
                "operator": comparison.operators[curve.contestant.name],
                "seconds": curve.seconds,
                "features": curve.sizes,
                "always_kept": comparison.always_kept.get(curve.contestant.name, ()),
                metric: curve.means.tolist(),
                "deviation": curve.deviations.tolist(),
            }
            for curve in comparison.curves
        ],
        "advice": {
            "operator": comparison.operators[advice.contestant.name],
            "keep": advice.keep,
            "step": comparison.advised_step,
            metric: advice.value,
            "best": advice.best,
            "standard_error": advice.standard_error,
        },
        "warnings": [asdict(warning) for warning in comparison.warnings],
    }
