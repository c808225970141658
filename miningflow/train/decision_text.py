"""Decision trees and rules in words."""

from __future__ import annotations

from miningflow.learn.encoding import NominalPredictor
from miningflow.learn.rules import Condition, RuleList, paths
from miningflow.learn.trees import Tree

from .decision_model import Decision

MOST_SHOWN = 40


def describe_decision(decision: Decision) -> dict[str, str]:
    """Returns the size of a model, and a line for each leaf or rule."""
    model = decision.model
    if isinstance(model, Tree):
        word, size = "leaf", f"a tree of {len(model.leaves)} leaves and depth {model.depth}"
        size += f", pruned at {decision.pruning:.3g}" if decision.pruning else ""
        answers = _leaves(decision, model)
    else:
        word, size = "rule", f"{len(model.rules)} rules, in this order"
        size = size if len(model.rules) > 1 else "one rule"
        answers = _rules(decision, model)
    topics = {"model": size, "learned": f"from {decision.rows:,} rows, in memory"}
    topics |= {f"{word} {i + 1}": answer for i, answer in enumerate(answers[:MOST_SHOWN])}
    if len(answers) > MOST_SHOWN:
        topics["further"] = f"{len(answers) - MOST_SHOWN} more"
    return topics


def describe_conditions(decision: Decision, conditions: tuple[Condition, ...]) -> list[str]:
    """Writes conditions in words; two bounds of a number become one condition."""
    found: list[str] = []
    by_column: dict[int, dict[bool, float]] = {}
    for condition in conditions:
        by_column.setdefault(condition.column, {})[condition.at_most] = condition.bound
    for position, bounds in by_column.items():
        group = decision.encoding.groups[position]
        predictor = decision.encoding.predictors[group]
        name = predictor.name
        if isinstance(predictor, NominalPredictor):
            category = predictor.indicated[position - decision.encoding.groups.index(group)]
            found.append(f"{name} {'is not' if True in bounds else 'is'} {category!r}")
        elif len(bounds) == 2:
            found.append(f"{bounds[False]:.6g} < {name} ≤ {bounds[True]:.6g}")
        else:
            ((at_most, bound),) = bounds.items()
            found.append(f"{name} {'≤' if at_most else '>'} {bound:.6g}")
    return found


def _leaves(decision: Decision, tree: Tree) -> list[str]:
    path_to = paths(tree)
    return [_answer(decision, leaf, path_to[leaf], int(tree.rows[leaf])) for leaf in tree.leaves]


def _rules(decision: Decision, model: RuleList) -> list[str]:
    return [_answer(decision, i, rule.conditions, rule.rows) for i, rule in enumerate(model.rules)]


def _answer(decision: Decision, outcome: int, conditions: tuple[Condition, ...], rows: int) -> str:
    words = describe_conditions(decision, conditions)
    prediction = decision.prediction(outcome)
    share = ""
    if decision.classes:
        predicted = int(decision.values(outcome).argmax())
        share = f", {decision.learned_shares(outcome)[predicted]:.0%} of them"
    shown = repr(prediction) if isinstance(prediction, str) else f"{prediction:.6g}"
    when = f"if {' and '.join(words)}" if words else _unconditional(decision)
    return f"{when}: {shown} ({rows:,} rows{share})"


def _unconditional(decision: Decision) -> str:
    after_others = isinstance(decision.model, RuleList) and len(decision.model.rules) > 1
    return "otherwise" if after_others else "always"
