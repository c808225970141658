"""The last steps of a first case: selection, machine, evaluation and a baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from miningflow.inspect.target import Target

if TYPE_CHECKING:
    from miningflow.verbs.start.first_case import Preparation

WIDE = 60
"""With more features, numbers are ranked by a score, since a search would take long."""
KEPT_SHARE = 0.75
"""The share of features that a first selection keeps: smaller sets lost quality on real data."""
MOST_KEPT = 100
"""How many features are kept where there are more of them than rows to learn from."""
SEARCHED_ROWS = 300
RARE_POSITIVE = 0.1
CORRELATED = 0.98
COST = 2


def add_learning(work: Preparation, target: Target, label: str) -> None:
    """Adds the steps that select, learn and evaluate."""
    _select(work, target, label)
    balanced = _balance(work, target, label)
    predictors = work.predictors
    score = work.feature(f"{label}_predicted")
    body: dict[str, Any] = {"target": label}
    if target.positive is not None:
        body["positive"] = target.positive
    few_rows = min(len(predictors), MOST_KEPT) > _learned_rows(work) / 2
    body |= {"predictors": predictors, "kernel": "linear" if few_rows else "radial"}
    why = "A radial kernel also learns what is not linear; NULL in new rows is filled."
    if few_rows:
        why = "With few rows for so many features, a linear machine; NULL in new rows is filled."
    if target.task == "number":
        facts = work.concept.features[label].facts
        spread = float(f"{(facts.deviation if facts else None) or 1.0:.2g}")
        body |= {"C": COST * spread, "epsilon": float(f"{0.1 * spread:.2g}")}
        why += " C and epsilon are in units of the target, whose standard deviation is "
        why += f"{spread:g}."
        operator = "SupportVectorMachineForRegression"
    else:
        body["C"] = COST
        operator = "SupportVectorMachineForClassification"
    body["nulls"] = "impute"
    if balanced:
        body["learn_on"] = balanced
        why += f" It learns from {balanced}."
    if target.task == "classes" and len(target.classes) <= 10:
        body["classes"] = [value for value, _ in target.classes]
    body["output"] = score
    if target.task == "two classes":
        body["probability"] = work.feature(f"{label}_probability")
    work.add("scored", why, {"operator": operator, **body})
    _evaluate(work, target, label, score)


def _learned_rows(work: Preparation) -> float:
    return 0.7 * work.concept.inspected.facts.rows


def _select(work: Preparation, target: Target, label: str) -> None:
    predictors = work.predictors
    if len(predictors) < 3:
        return
    kept = math.ceil(KEPT_SHARE * len(predictors))
    if target.task == "two classes" and len(predictors) <= WIDE:
        work.add(
            "relevant",
            "The features that a machine needs least are dropped: a quarter, to begin with.",
            {
                "operator": "FeatureSelectionWithSVM",
                "target": label,
                "positive": target.positive,
                "attributes": predictors,
                "kernel": "radial",
                "keep": kept,
                "sample_size": SEARCHED_ROWS,
                "nulls": "impute",
            },
        )
    elif target.task != "number" and len(work.numeric) > WIDE:
        kept = math.ceil(KEPT_SHARE * len(work.numeric))
        if len(work.numeric) > _learned_rows(work):
            kept = min(kept, MOST_KEPT)
        body: dict[str, Any] = {"operator": "FeatureSelectionByScore", "target": label}
        if target.positive is not None:
            body["positive"] = target.positive
        body |= {"attributes": list(work.numeric), "keep": kept, "nulls": "impute"}
        why = f"Of {len(work.numeric):,} numbers, the {kept:,} that differ most between "
        work.add("relevant", why + "classes are kept; a search would take long.", body)
    elif len(work.numeric) > 1:
        work.add(
            "relevant",
            "Of numbers that say nearly the same, one is enough.",
            {
                "operator": "StatisticalFeatureSelection",
                "attributes": list(work.numeric),
                "threshold": CORRELATED,
                "nulls": "impute",
            },
        )


def _balance(work: Preparation, target: Target, label: str) -> str:
    """Draws as many rows of each class where one is rare; returns the step to learn on."""
    if target.task != "two classes" or target.positive is None:
        return ""
    share = dict(target.classes)[target.positive] / sum(n for _, n in target.classes)
    rare = min(share, 1 - share)
    rows = work.concept.inspected.facts.rows
    if rare >= RARE_POSITIVE or rare * rows < 50:
        return ""
    before = work.current
    each = max(20, round(rare * rows))
    name = work.add(
        "balanced",
        f"Only {100 * rare:.2g} % of the rows are of the rarer class: the machine learns from as "
        "many of each, and its probabilities are corrected.",
        {"operator": "RowSelectionByUnbiasing", "label": label, "how_many": each, "seed": 1},
    )
    work.current = before
    return name


def _evaluate(work: Preparation, target: Target, label: str, score: str) -> None:
    scored = work.current
    if target.task == "number":
        facts = work.concept.features[label].facts
        mean = float(f"{(facts.mean if facts else None) or 0.0:.6g}")
        _quality(work, "quality", {"actual": label, "predicted": score})
        work.current = scored
        sql, said = f"{mean!r}", f"the mean, {mean:g}"
    else:
        body: dict[str, Any] = {"actual": label, "predicted": f"{score}_label"}
        if target.positive is not None:
            body |= {"positive": target.positive, "decision": score}
        _quality(work, "quality", body)
        work.current = scored
        usual = target.classes[0][0]
        sql, said = "'" + usual.replace("'", "''") + "'", f"the most frequent class, {usual}"
    guess = work.feature(f"{label}_guessed")
    work.add(
        "guessed",
        f"The baseline: always {said}.",
        {"operator": "GenericFeatureConstruction", "sql": sql, "output": guess},
    )
    _quality(work, "baseline", {"actual": label, "predicted": guess})


def _quality(work: Preparation, name: str, body: dict[str, Any]) -> None:
    why = "How good it is, on rows that were held out and on those it learned from."
    if name == "baseline":
        why = "What the baseline reaches; `quality` should be better on held-out rows."
    work.add(name, why, {"operator": "ComputeSVMError", **body})
