"""Tables 4 to 6 and figure 3 of Stambaugh et al."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.papers.geometry_cells import (
    good_share,
    mean_of,
    pair,
    paper_and_ours,
    qualities,
    values,
)
from benchmarks.papers.geometry_data import LowDimensional
from benchmarks.papers.geometry_runs import COUNT, GEOMETRY, PRINTED, SVM, Judged, Quality
from benchmarks.papers.page import Page, Plot
from miningflow.describe.plots import Line

RATES = ("accuracy: paper", "ours", "precision: paper", "ours", "recall: paper", "ours")
PAPER_4 = {
    "Polarity1 Sentences": Quality(0.7564, 0.8621, 0.625),
    "Polarity2 Sentences": Quality(0.7542, 0.6304, 0.8529),
    "Strength Sentences": Quality(0.7814, 0.8986, 0.6526),
    "Movie Documents": Quality(0.8571, 1.0, 0.8),
    "Webtext Sentences": Quality(0.8091, 0.9067, 0.6602),
}
PAPER_5 = {
    480: Quality(0.769, 0.824, 0.712),
    640: Quality(0.760, 0.838, 0.704),
    800: Quality(0.831, 0.844, 0.870),
    960: Quality(0.818, 0.837, 0.856),
    1120: Quality(0.813, 0.822, 0.860),
    1280: Quality(0.796, 0.800, 0.850),
    1440: Quality(0.804, 0.830, 0.842),
}
PAPER_6 = {
    13: Quality(0.3218, 0.1111, 0.2083),
    38: Quality(0.4444, 0.0, 0.0),
    100: Quality(0.4286, 0.0, 0.0),
}


def table_4(page: Page, results: dict[str, list[Judged]]) -> None:
    """Adds the sets that the models were made with."""
    page.say("## Table 4: the sets the models were made with")
    draws = len(next(iter(results.values())))
    page.say(
        f"Mean ± standard deviation over {draws} draws; in the paper a single figure. The models "
        "are the paper's, which were fitted to its sets and not to ours; the cut is at the "
        'intercept (`rule="intercept"`).'
    )
    page.table(
        [
            "shape of",
            *RATES,
            "good sets",
        ],
        [
            [name, *paper_and_ours(PAPER_4[name.partition(" (")[0]], runs), good_share(runs)]
            for name, runs in results.items()
        ],
    )
    page.say(
        "Precision / recall of other rules on the same sets, and the CPU seconds a judge takes:"
    )
    page.table(
        [
            "shape of",
            "as printed (≥ .5)",
            "machine",
            "column count",
            "geometry, CPU s",
            "machine, CPU s",
        ],
        [
            [
                name,
                *(pair(qualities(runs, judge)) for judge in (PRINTED, SVM, COUNT)),
                *(f"{np.mean([r.seconds[judge] for r in runs]):.2f}" for judge in (GEOMETRY, SVM)),
            ]
            for name, runs in results.items()
        ],
    )
    _on_table_4(page, results)


def table_5(page: Page, results: dict[int, list[Judged]]) -> None:
    """Adds the sets of different numbers of columns."""
    page.say("## Table 5 and figure 3: the number of columns")
    page.say(
        "150 rows, four types, 15 divisions of five classes: 225 sets. Mean ± standard deviation "
        f"over {len(next(iter(results.values())))} draws. The paper has no figures below "
        "480 columns but a curve, on which quality falls rapidly below 400 to 500. A draw without "
        "suggestions has a precision of 0. *f6 mute* is the share of divisions in which f6 is the "
        "same for all sets."
    )
    page.table(
        [
            "columns",
            *RATES,
            "good sets",
            "f6 mute",
            "CPU s",
        ],
        [
            [
                str(columns),
                *paper_and_ours(PAPER_5.get(columns), runs),
                good_share(runs),
                f"{100 * np.mean([each.mute() for each in runs]):.0f} %",
                f"{np.mean([each.seconds[GEOMETRY] for each in runs]):.2f}",
            ]
            for columns, runs in results.items()
        ],
    )
    page.plot(_dimension_plot(results))
    low, high = min(results), max(results)
    best = max(results, key=lambda size: mean_of(qualities(results[size], GEOMETRY), "accuracy"))
    shown = [
        f"{mean_of(qualities(results[size], judge), 'accuracy'):.2f}"
        for judge in (GEOMETRY, COUNT)
        for size in (low, high)
    ]
    seconds = [np.mean([r.seconds[GEOMETRY] for r in results[size]]) for size in (low, high)]
    page.say(
        f"The paper's quality rises with the columns. Ours is best at {best} columns and falls "
        f"after: the accuracy of the suggestions is {shown[0]} at {low} and {shown[1]} at {high}, "
        f"and that of the column count {shown[2]} and {shown[3]}. A reason can be seen in the "
        "models. With many more columns than rows hardly any row lies in the hull of the other "
        "side, and f6, which has by far the largest coefficient, is 0 or nearly so for all sets. "
        "What is left of the logistic model asks for high f1, f2 and f5, and the linear model for "
        "low f3, f4 and f5: few sets satisfy both. The rows of the paper's authors may have been "
        "more alike.\n\n"
        f"The time is not quadratic in the columns, as the paper's is: {seconds[0]:.2f} s at {low} "
        f"and {seconds[1]:.2f} s at {high}, since inner products of the rows are added up by type "
        "and no singular values are computed for each row."
    )


def table_6(page: Page, results: list[tuple[LowDimensional, list[Judged]]]) -> None:
    """Adds the sets of few columns."""
    if not results:
        return
    page.say("## Table 6: few columns")
    page.table(
        [
            "columns",
            "ours are",
            *RATES,
            "good sets",
            "column count",
        ],
        [
            [
                f"{low.columns} {low.kind}",
                low.substitute,
                *paper_and_ours(PAPER_6[low.columns], runs),
                good_share(runs),
                pair(qualities(runs, COUNT)),
            ]
            for low, runs in results
        ],
    )
    worst = {low.columns: mean_of(qualities(runs, GEOMETRY), "recall") for low, runs in results}
    base = {low.columns: np.mean([r.good.mean() for r in runs]) for low, runs in results}
    precise = {
        low.columns: mean_of(qualities(runs, GEOMETRY), "precision") for low, runs in results
    }
    useless = [columns for columns in precise if precise[columns] <= base[columns] + 0.05]
    page.say(
        "The paper's failure on such data is reproduced where the precision is no better "
        "than the share "
        f"of good sets: here for {_listed([str(columns) for columns in useless])} columns. The "
        f"recall is {_listed([f'{recall:.2f}' for recall in worst.values()])}. With more rows than "
        "columns most hulls fill the space, and standardizing magnifies what little the ratios "
        "differ."
    )


def _on_table_4(page: Page, results: dict[str, list[Judged]]) -> None:
    every = [each for runs in results.values() for each in runs]
    gain = {judge: np.mean([g for r in every for g in r.gains(judge)]) for judge in (GEOMETRY, SVM)}
    recall = max(mean_of(qualities(runs, PRINTED), "recall") for runs in results.values())
    precise = [
        name
        for name, runs in results.items()
        if mean_of(qualities(runs, SVM), "precision")
        > max(mean_of(qualities(runs, judge), "precision") for judge in (GEOMETRY, COUNT))
    ]
    full = [np.mean([each.fullness() for each in runs]) for runs in results.values()]
    won = [
        name
        for name, runs in results.items()
        if mean_of(qualities(runs, GEOMETRY), "accuracy")
        > mean_of(qualities(runs, COUNT), "accuracy")
    ]
    page.say(
        f"The printed rule, a probability of at least .5, has a recall of at most {recall:.2f}. "
        "With standardized properties the intercept alone puts the model at .35; the paper's "
        "recall can hardly come from the rule it prints. With the cut at the intercept, geometry "
        f"meets the good sets more often than the column count on {len(won)} of {len(results)} "
        f"shapes{' (' + ', '.join(won) + ')' if won else ''}. The machine is more precise "
        f"than both on {len(precise)}, at a lower recall, and takes about as long.\n\n"
        "A likely reason for the distance to the paper is that our rows are distributed "
        "differently. The rows "
        "of the paper's sets span .52 of the dimensions on average, as little as .2; ours span "
        f"{min(full):.2f} to {max(full):.2f} (mean f5 by shape). So these figures do not refute "
        "the paper's on its own data; they show that its models do not transfer to these texts."
        "\n\n"
        "A machine trained on the set that geometry scores best is "
        f"{gain[GEOMETRY]:+.1f} points of accuracy away from one on all columns, the machine "
        f"judge's is {gain[SVM]:+.1f}: as in the paper, all columns are close to optimal."
    )
    page.say(
        "Does it depend on what we call good? Precision / recall if good is what is within 3 or 5 "
        "points of the best accuracy of the division:"
    )
    page.table(
        ["shape of", *(f"{name}, {points}" for points in (3, 5) for name in ("geometry", "count"))],
        [
            [
                name,
                *(
                    pair([each.quality(judge, points / 100) for each in runs])
                    for points in (3, 5)
                    for judge in (GEOMETRY, COUNT)
                ),
            ]
            for name, runs in results.items()
        ],
    )


def _dimension_plot(results: dict[int, list[Judged]]) -> Plot:
    ours = [float(columns) for columns in results]
    lines = []
    for name in ("accuracy", "precision", "recall"):
        found = [values(qualities(runs, GEOMETRY), name) for runs in results.values()]
        lines.append(Line(f"{name}, ours", ours, [float(np.mean(each)) for each in found]))
        paper = [float(getattr(quality, name)) for quality in PAPER_5.values()]
        lines.append(Line(f"{name}, paper", [float(c) for c in PAPER_5], paper, dashed=True))
    title = "Figure 3: quality of the suggestions"
    return Plot("columns", lines, title, "columns", "accuracy, precision, recall")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none of the numbers of"
