"""The operator that finds association rules by counting sets of items in the database."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    TrainingRows,
    concept,
    feature,
    integer,
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.learn.association import Association, associations, candidates
from miningflow.sql.block import Block, Source, Values, over
from miningflow.sql.literals import column
from miningflow.train.item_sets import ItemSets


@dataclass(frozen=True)
class AssociationRule:
    """A rule with its counts."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    together: int
    with_before: int
    with_after: int


@dataclass(frozen=True)
class AssociationRules:
    """Rules in order, and the number of transactions they were found in."""

    rules: tuple[AssociationRule, ...]
    transactions: int


@operator
class Apriori(Operator):
    """Finds association rules: transactions with certain items often contain certain other items.

    The input has a row for each item of a transaction, such as the lines of receipts. The output is
    a concept of rules, the most confident first, with the features `rule` (the key, a number from
    1), `antecedent` and `consequent` (items in alphabetical order, separated by commas), `items`
    (their number), `support` (the share of transactions that have all items), `confidence` (the
    share of transactions with the antecedent that also have the consequent), `lift` (the confidence
    divided by the share of all transactions that have the consequent), and the counts `together`,
    `with_antecedent`, `with_consequent` and `transactions`. The rules are learned once: added rows
    change nothing until the step learns again.

    An item counts once in a transaction. Rows with NULL in `transaction` or `item` are left out.
    All counting is done in the database, level by level: sets of k items are counted only if all
    their subsets are frequent, by joining transactions with themselves.
    """

    family: ClassVar[Family] = "patterns"
    learns: ClassVar[type[Any] | None] = AssociationRules
    finds: ClassVar[tuple[str, ...]] = ("association rules", "market basket", "frequent item sets")
    example: ClassVar[str] = """
    rules:
      operator: Apriori
      input: Customer
      transaction: household
      item: region
      min_support: 0.5
      min_confidence: 0.7
    """

    input: Concept = concept("the concept with a row for each item of a transaction")
    transaction: Feature = feature(
        "the feature that identifies a transaction",
        types=["key", "nominal", "binary", "numeric", "time"],
    )
    item: Feature = feature("the feature with the items", types=["nominal", "binary", "key"])
    min_support: float = number(
        "the minimum share of transactions that have all items of a rule",
        default=0.01,
        minimum=1e-9,
        maximum=1,
    )
    min_confidence: float = number(
        "the minimum share of transactions with the antecedent that have the consequent",
        default=0.5,
        minimum=0,
        maximum=1,
    )
    at_most: int = integer("how many items a rule has, at most", default=3, minimum=2, maximum=8)
    keep: int = integer(
        "how many rules to keep, at most", default=1_000, minimum=1, maximum=100_000
    )

    def outline(self, notes: Notes) -> Concept:
        """Returns a concept of rules."""
        if self.transaction.name == self.item.name:
            notes.error(
                "item",
                f"`transaction` and `item` are both {self.item.name!r}",
                "set `item` to the feature with the items of a transaction",
            )
        features = [Feature("rule", "key")]
        features += [Feature(name, "nominal") for name in ("antecedent", "consequent")]
        features += [Feature(name, "numeric") for name in _MEASURES]
        return Concept(self.input.name, {f.name: f for f in features}, "rule")

    def learn(self, rows: TrainingRows) -> AssociationRules:
        """Counts items, pairs and larger sets, and forms rules of the frequent ones."""
        counter = ItemSets(rows, self.transaction.name, self.item.name)
        transactions = counter.transactions()
        least = max(1, math.ceil(self.min_support * transactions - 1e-9))
        names, level = counter.items(least)
        found = dict(level)
        for size in range(2, self.at_most + 1):
            if len(level) < size:
                break
            rows.progress(size / (self.at_most + 1), f"counting sets of {size} items")
            if size == 2:
                level = counter.pairs(names, least)
            else:
                level = counter.sets(names, candidates(level), least)
            found |= level
        rules = associations(found, self.min_confidence)
        if len(rules) > self.keep:
            rows.note(f"kept {self.keep:,} of {len(rules):,} rules (keep)")
        if not rules:
            rows.note("no rule reaches `min_support` and `min_confidence`")
        kept = [_named(rule, names) for rule in rules[: self.keep]]
        return AssociationRules(tuple(kept), transactions)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Reads the rules from a table of literals."""
        found: AssociationRules = artifact
        rows: tuple[tuple[float | str, ...], ...] = tuple(
            (float(i + 1), ", ".join(r.before), ", ".join(r.after), *_measures(r, found))
            for i, r in enumerate(found.rules)
        )
        names = ("rule", "antecedent", "consequent", *_MEASURES)
        table = over(Values("rules", names, rows, ("antecedent", "consequent")))
        return table.extend({"rule": exp.cast(column("rule"), "bigint")})

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Returns the first rules as text."""
        if artifact is None:
            return {"learning": "in the database, by counting sets of items"}
        found: AssociationRules = artifact
        topics = {
            "model": f"{len(found.rules):,} rules",
            "learned": f"from {found.transactions:,} transactions, in the database",
        }
        for i, rule in enumerate(found.rules[:20]):
            share = rule.together / rule.with_before
            topics[f"rule {i + 1}"] = (
                f"{' and '.join(rule.before)} → {' and '.join(rule.after)} "
                f"({share:.0%} of {rule.with_before:,} transactions)"
            )
        return topics


_MEASURES = (
    "items",
    "support",
    "confidence",
    "lift",
    "together",
    "with_antecedent",
    "with_consequent",
    "transactions",
)


def _measures(rule: AssociationRule, found: AssociationRules) -> tuple[float, ...]:
    """Returns the measures of a rule, in the order of `_MEASURES`."""
    confidence = rule.together / rule.with_before
    return (
        float(len(rule.before) + len(rule.after)),
        rule.together / found.transactions,
        confidence,
        confidence * found.transactions / rule.with_after,
        float(rule.together),
        float(rule.with_before),
        float(rule.with_after),
        float(found.transactions),
    )


def _named(rule: Association, names: list[str]) -> AssociationRule:
    return AssociationRule(
        tuple(names[i] for i in rule.before),
        tuple(names[i] for i in rule.after),
        rule.together,
        rule.with_before,
        rule.with_after,
    )
