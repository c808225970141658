"""Decision trees and rules in words, for people who want to know what was learned."""

from __future__ import annotations

import numpy as np

from miningflow.learn.encoding import NominalPredictor
from miningflow.learn.rules import Condition, Rule, RuleList, paths
from miningflow.learn.trees import Tree

from .decisions import Decision

MOST_SHOWN = 40


def explained(saved: Decision) -> dict[str, str]:
    """Tells how large a model is, and each way to an answer or each rule."""
    model = saved.model
    if isinstance(model, Tree):
        size = f"a tree of {len(model.leaves)} leaves and depth {model.depth}"
        size += f", pruned at {saved.pruning:.3g}" if saved.pruning else ""
        answers = _ways(saved, model)
    else:
        size = f"{len(model.rules)} rules, in this order" if len(model.rules) > 1 else "one rule"
        answers = [_rule(saved, i, rule) for i, rule in enumerate(model.rules)]
    topics = {"model": size, "learned": f"from {saved.rows:,} rows, in memory"}
    word = "leaf" if isinstance(model, Tree) else "rule"
    topics |= {f"{word} {i + 1}": answer for i, answer in enumerate(answers[:MOST_SHOWN])}
    if len(answers) > MOST_SHOWN:
        topics["further"] = f"{len(answers) - MOST_SHOWN} more"
    return topics


def conditions_words(saved: Decision, conditions: tuple[Condition, ...]) -> list[str]:
    """Writes conditions as people do, two bounds of a number as one."""
    found: list[str] = []
    by_column: dict[int, dict[bool, float]] = {}
    for condition in conditions:
        by_column.setdefault(condition.column, {})[condition.at_most] = condition.bound
    for position, bounds in by_column.items():
        group = saved.encoding.groups[position]
        predictor = saved.encoding.predictors[group]
        name = predictor.name
        if isinstance(predictor, NominalPredictor):
            category = predictor.indicated[position - saved.encoding.groups.index(group)]
            found.append(f"{name} {'is not' if True in bounds else 'is'} {category!r}")
        elif len(bounds) == 2:
            found.append(f"{bounds[False]:.6g} < {name} ≤ {bounds[True]:.6g}")
        else:
            ((at_most, bound),) = bounds.items()
            found.append(f"{name} {'≤' if at_most else '>'} {bound:.6g}")
    return found


def _ways(saved: Decision, tree: Tree) -> list[str]:
    ways = paths(tree)
    return [
        _answer(saved, leaf, conditions_words(saved, ways[leaf]), int(tree.rows[leaf]))
        for leaf in tree.leaves
    ]


def _rule(saved: Decision, i: int, rule: Rule) -> str:
    return _answer(saved, i, conditions_words(saved, rule.conditions), rule.rows)


def _answer(saved: Decision, outcome: int, words: list[str], rows: int) -> str:
    told = saved.told(outcome)
    share = f", {np.max(saved.values(outcome)):.0%} of them" if saved.classes else ""
    shown = repr(told) if isinstance(told, str) else f"{told:.6g}"
    when = f"if {' and '.join(words)}" if words else "otherwise" if _is_last(saved) else "always"
    return f"{when}: {shown} ({rows:,} rows{share})"


def _is_last(saved: Decision) -> bool:
    return isinstance(saved.model, RuleList) and len(saved.model.rules) > 1
