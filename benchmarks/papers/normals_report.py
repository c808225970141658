"""What the page on normals says of each figure."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.papers.normals_claims import (
    HEADER,
    RULE,
    halving,
    levels,
    memory_claims,
    sparsity_claims,
)
from benchmarks.papers.normals_measure import METHODS, Normals
from benchmarks.papers.normals_reuters import Measure
from benchmarks.papers.page import Page, Plot
from miningflow.describe.plots import Line

PAPER_ROWS = 118_924


def at_equal_counts(page: Page, found: Normals) -> None:
    """Adds figure 2."""
    page.say("## Figure 2: macro F1 by the number of features kept")
    counts = sorted({count for _, count in found.by_count})
    page.table(
        ["features", *METHODS],
        [
            [f"{count:,}", *(found.by_count[method, count].printed() for method in METHODS)]
            for count in counts
        ]
        + [[f"all {found.problem.X.shape[1]:,}", *[found.everything.printed()] * len(METHODS)]],
    )
    lines = [
        Line(method, counts, [found.by_count[method, count].mean() for count in counts])
        for method in METHODS
    ]
    lines.append(_all_features(found, counts))
    page.plot(
        Plot("figure_2", lines, "Macro F1 by number of features", "features", "F1", log_x=True)
    )
    page.say("How many times as many features OR needs for the F1 that normal-1 has:")
    some = (counts[0], counts[len(counts) // 3], counts[len(counts) // 2])
    page.table(
        ["features of normal-1", "paper", "ours"],
        [[str(count), "10 to 100", _needed(found, counts, count)] for count in some],
    )


def _needed(found: Normals, counts: Sequence[int], count: int) -> str:
    goal = found.by_count["normal-1", count].mean()
    enough = [each for each in counts if found.by_count["OR", each].mean() >= goal]
    if enough:
        return f"{enough[0] / count:g}"
    return f"more than {counts[-1] / count:g}"


def at_equal_memory(page: Page, found: Normals) -> None:
    """Adds figure 3."""
    page.say("## Figure 3: macro F1 at equal memory")
    full = found.problem.sparsity
    rows = found.problem.X.shape[0]
    page.say(
        f"There is memory for 1/2ᴷ of the {rows:,} full documents, on which the normal is "
        f"learned. Then vectors are made 1/2ᵏ as long, so that 1/2ᴷ⁻ᵏ of the documents fit: k = 0 "
        f"keeps all features, k = K all documents. Macro F1, mean ± standard deviation over ten "
        f"test parts, {found.draws} draws of the documents."
    )
    halvings = sorted({halved for halved, _ in found.by_memory})
    header = ["memory", *(f"k = {k}: S = {full / 2**k:.1f}" for k in halvings)]
    page.table(
        header,
        [
            [f"1/{2**halved}" if halved else "1"]
            + [found.by_memory[halved, k].printed() if k <= halved else "" for k in halvings]
            for halved in halvings
        ],
    )
    page.plot(
        Plot(
            "figure_3",
            [
                Line(
                    f"memory 1/{2**halved}" if halved else "memory 1",
                    [full / 2**k for k in range(halved + 1)],
                    [found.by_memory[halved, k].mean() for k in range(halved + 1)],
                )
                for halved in halvings
            ],
            "Macro F1 at equal memory: sparser vectors, more documents",
            "stems per document (S)",
            "F1",
            log_x=True,
        )
    )
    page.table(HEADER, memory_claims(found))
    page.say(
        f"{RULE} Where sparser vectors go on helping, the likely reason is size: the paper has "
        f"{PAPER_ROWS / rows:.0f} times as many training documents, and the smallest memory holds "
        f"{rows // 2 ** halvings[-1]:,} of ours in full and {PAPER_ROWS // 2 ** halvings[-1]:,} of "
        "theirs. With so few, more documents are worth more than more words."
    )


def at_equal_sparsity(page: Page, found: Normals) -> None:
    """Adds figure 4."""
    page.say("## Figure 4: macro F1, precision and recall at equal sparsity")
    full = found.problem.sparsity
    sparsities = levels(found)
    page.say(
        f"S is the mean number of stems that a training document has left; full documents have "
        f"{full:.1f}. All training documents are used for the last machine. Mean ± standard "
        "deviation over ten test parts."
    )
    measures: tuple[Measure, ...] = ("F1", "precision", "recall")
    for measure in measures:
        page.table(
            [f"{measure}, S", *METHODS],
            [
                [f"{s:g}", *(found.by_sparsity[method, s].printed(measure) for method in METHODS)]
                for s in sparsities
            ]
            + [[f"full ({full:.0f})", *[found.everything.printed(measure)] * len(METHODS)]],
        )
        lines = [
            Line(m, sparsities, [found.by_sparsity[m, s].mean(measure) for s in sparsities])
            for m in METHODS
        ]
        lines.append(_all_features(found, sparsities, measure))
        page.plot(
            Plot(
                f"figure_4_{measure.lower()}",
                lines,
                f"Macro {measure} by sparsity",
                "stems per document (S)",
                measure,
                log_x=True,
            )
        )
    width = found.problem.X.shape[1]
    page.say("Share of all features that such a sparsity leaves, in percent, mean over categories:")
    page.table(
        ["S", *METHODS],
        [
            [
                f"{s:g}",
                *(f"{100 * found.by_sparsity[m, s].kept.mean() / width:.1f}" for m in METHODS),
            ]
            for s in sparsities
        ],
    )
    claims = sparsity_claims(found)
    page.table(HEADER, claims)
    count = len(claims)
    page.say(
        f"{sum(claim[-1] == 'yes' for claim in claims)} of {count} claims held and "
        f"{sum(claim[-1] == 'in tendency' for claim in claims)} did in tendency. Where one did "
        f"not, the likely reasons are: a test part has {found.problem.test_X.shape[0] // 10} "
        "documents here and 30,232 in the paper, so small differences disappear in noise; "
        "and our documents "
        f"are shorter, so that S = 20 is {2000 / full:.0f} % of a full one and 23 % in the paper, "
        "which is also why the shares of features differ. The paper's break-even points were not "
        "measured."
    )


def better_than_scores(found: Normals) -> str:
    """Says in words of numbers how normals fare against OR and IG."""
    sparsities = [s for s in levels(found) if s > 2]
    best = sum(
        found.by_sparsity["normal-1", s].mean()
        > max(found.by_sparsity["OR", s].mean(), found.by_sparsity["IG", s].mean())
        for s in sparsities
    )
    return (
        f"At equal sparsity normals have a higher F1 than OR and IG at {best} of {len(sparsities)} "
        f"levels above two stems per document."
    )


def halving_helps(found: Normals) -> str:
    """Says in words of numbers what half the words and twice the documents bring."""
    gains = halving(found)
    return (
        f"Half the stems and twice the documents in the same memory have a higher F1 in "
        f"{sum(each.mean > 0 for each in gains)} of {len(gains)} cases, significantly in "
        f"{sum(each.better for each in gains)}."
    )


def _all_features(found: Normals, x: Sequence[float], measure: Measure = "F1") -> Line:
    mean = found.everything.mean(measure)
    return Line("all features", [x[0], x[-1]], [mean, mean], dashed=True)
