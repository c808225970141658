"""Repeats figures 2, 3 and 4 of Brank et al. on feature selection by SVM normals."""

from __future__ import annotations

from benchmarks.papers.normals_measure import Normals, measure
from benchmarks.papers.normals_report import (
    at_equal_counts,
    at_equal_memory,
    at_equal_sparsity,
    better_than_scores,
    halving_helps,
)
from benchmarks.papers.normals_reuters import reuters_problem
from benchmarks.papers.page import Page
from benchmarks.papers.texts import REUTERS, missing, reuters
from benchmarks.selection.data import FOLDER


def experiment(full: bool) -> Page | None:
    """Trains the machines of all figures on Reuters-21578, if it is there."""
    if missing(REUTERS):
        print(f"skipped: there are no Reuters texts in {FOLDER}")
        return None
    problem = reuters_problem(reuters(), 16 if full else 8)
    found = measure(problem, *((3, 4, 1) if full else (1, 2, 2)))
    page = Page("normals", "Feature selection by the normals of support vector machines")
    _introduce(page, found)
    at_equal_counts(page, found)
    at_equal_memory(page, found)
    at_equal_sparsity(page, found)
    return page


def _introduce(page: Page, found: Normals) -> None:
    page.say(
        "J. Brank et al., *Feature Selection Using Support Vector Machines*, claim that the "
        "weights of a linear machine, trained on a part of the documents if memory is short, "
        "choose better words than odds ratio (OR) or information gain (IG) where documents may "
        "keep only a limited number of words, and that with little memory it pays off to "
        "drop words and "
        "take more documents."
    )
    page.say(
        f"We repeated figures 2, 3 and 4 on a smaller collection, Reuters-21578. Results: "
        f"{better_than_scores(found)} {halving_helps(found)} Of what the paper says of details, "
        "some did not show on so few documents; each claim has its verdict below."
    )

    problem = found.problem
    page.say("## What we did")
    page.say(
        f"The paper used RCV1 (118,924 training and 302,323 test documents, 88 words each), which "
        f"were not available. We used Reuters-21578 in the ModApte split: {problem.X.shape[0]:,} "
        f"training and {problem.test_X.shape[0]:,} test documents of {problem.sparsity:.0f} stems "
        f"on average out of {problem.X.shape[1]:,}, and the {len(problem.names)} categories with "
        f"the most training documents: {', '.join(problem.names)}. `NormalSelector` and "
        "`ScoreSelector` select for each category; LinearSVC with C = 1 learns the normal and the "
        "last machine. normal-1/k is learned on 1/k of the training documents."
    )
    page.say(
        "As in the paper, figures are macro averages over the categories, mean ± standard "
        "deviation over ten parts of the test documents, and *significant* means p < .05 in a "
        "paired t-test over these parts. What is learned on a part of the documents is drawn "
        f"{_times(found.draws)}; the rest is one run. The paper shows its figures as curves "
        "without numbers, so its wording is shown beside our figures."
    )


def _times(draws: int) -> str:
    return "once" if draws == 1 else f"{draws} times"
