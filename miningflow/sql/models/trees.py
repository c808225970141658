"""Decision trees and decision rules as CASE expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from sqlglot import exp

from miningflow.learn.rules import Condition, RuleList
from miningflow.learn.trees import Tree
from miningflow.sql.conditions import when
from miningflow.sql.models.split_conditions import Questions

Outcome = Callable[[int], exp.Expression]
"""Returns the result of a leaf or a rule, by its number."""


def tree_cases(tree: Tree, questions: Questions, outcome: Outcome, follow: bool) -> exp.Expression:
    """Writes a tree as nested cases; two ways to the same result are one.

    With `follow`, what is missing goes the way that it went while learning. Otherwise nothing is.
    """

    def written(node: int) -> exp.Expression:
        children = tree.children(node)
        if children is None:
            return outcome(node)
        left, right = (written(child) for child in children)
        if left == right:
            return left
        position, bound = int(tree.column[node]), float(tree.bound[node])
        if follow:
            ask_left = tree.missing_left[node] == 0
            ask = questions.surely_at_most if ask_left else questions.surely_above
        else:
            ask_left = _left_reads_better(left, right, questions.is_category(position))
            ask = questions.at_most if ask_left else questions.above
        first, second = (left, right) if ask_left else (right, left)
        branches = [exp.If(this=ask(position, bound), true=first)]
        if isinstance(second, exp.Case):  # what follows ELSE is further branches
            branches += second.args["ifs"]
            second = second.args["default"]
        return exp.Case(ifs=branches, default=second)

    return written(0)


def _left_reads_better(left: exp.Expression, right: exp.Expression, category: bool) -> bool:
    """Chooses which side to ask for: an answer before further questions, a category by its name."""
    nested = isinstance(left, exp.Case), isinstance(right, exp.Case)
    return not category if nested[0] == nested[1] else nested[1]


def rule_cases(rules: RuleList, questions: Questions, outcome: Outcome) -> exp.Expression:
    """Writes rules as one case, with a branch for each."""
    *before, last = [outcome(i) for i in range(len(rules.rules))]
    if not before:
        return last
    return exp.Case(
        ifs=[
            exp.If(this=_all([asked(c, questions) for c in rule.conditions]), true=result)
            for rule, result in zip(rules.rules, before, strict=False)
        ],
        default=last,
    )


def asked(condition: Condition, questions: Questions) -> exp.Expression:
    """Writes a condition of a rule."""
    ask = questions.at_most if condition.at_most else questions.above
    return ask(condition.column, condition.bound)


def guarded(tree: exp.Expression, known: list[exp.Expression]) -> exp.Expression:
    """Returns NULL instead of a value where something is not known."""
    return when(_all(known), tree) if known else tree


def _all(conditions: list[exp.Expression]) -> exp.Expression:
    return cast(exp.Expression, exp.and_(*conditions, copy=False))
