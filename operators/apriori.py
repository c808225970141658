"""Association rules, found by counting sets of items in the database."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    LearningError,
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
from miningflow.learn.association import Association, Items, associations, candidates
from miningflow.sql.block import Block, Join, Source, Values, grouped, over
from miningflow.sql.literals import column, double

MOST_ITEMS, MOST_SETS = 10_000, 500_000
# The words inside the queries that count.
_LINES, _BASKET, _NUMBER = "lines", "basket", "number"


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
    """Rules in order, and how many transactions they were found in."""

    rules: tuple[AssociationRule, ...]
    transactions: int


@operator
class Apriori(Operator):
    """Finds association rules: who has these items in a transaction often has those, too.

    The input has a row for each item of a transaction, such as the lines of receipts. The output is
    a concept of rules, the most confident first, with the features `rule` (the key, a number from
    1), `antecedent` and `consequent` (items in alphabetical order, separated by commas), `items`
    (how many in all), `support` (the share of transactions that have all of them), `confidence`
    (their share of the transactions that have the antecedent), `lift` (the confidence by the share
    of all transactions that have the consequent), and the counts `together`, `with_antecedent`,
    `with_consequent` and `transactions`. The rules are learned once and stay: rows that are added
    change nothing until the step learns again.

    An item counts once in a transaction. Rows with NULL in `transaction` or `item` are left out.
    All counting is done in the database, level by level: sets of k items are counted only if all
    their parts are frequent, by joining transactions with themselves.
    """

    family: ClassVar[Family] = "patterns"
    learns: ClassVar[type[Any] | None] = AssociationRules
    example: ClassVar[str] = """
    rules:
      operator: Apriori
      input: Customer
      transaction: household
      item: region
      min_support: 0.5
      min_confidence: 0.7
    """

    input: Concept = concept("the concept that has a row for each item of a transaction")
    transaction: Feature = feature(
        "what rows of a transaction share", types=["key", "nominal", "binary", "numeric", "time"]
    )
    item: Feature = feature("the item", types=["nominal", "binary", "key"])
    min_support: float = number(
        "the share of transactions that have all items of a rule, at least",
        default=0.01,
        minimum=1e-9,
        maximum=1,
    )
    min_confidence: float = number(
        "the share of transactions with the antecedent that have the consequent, at least",
        default=0.5,
        minimum=0,
        maximum=1,
    )
    at_most: int = integer("how many items a rule has at most", default=3, minimum=2, maximum=8)
    keep: int = integer("how many rules to keep at most", default=1_000, minimum=1, maximum=100_000)

    def outline(self, notes: Notes) -> Concept:
        """Makes a concept of rules."""
        if self.transaction.name == self.item.name:
            notes.mistake(
                "item",
                f"`transaction` and `item` are both {self.item.name!r}",
                "name what is in a transaction",
            )
        features = [Feature("rule", "key")]
        features += [Feature(name, "nominal") for name in ("antecedent", "consequent")]
        features += [Feature(name, "numeric") for name in _MEASURES]
        return Concept(self.input.name, {f.name: f for f in features}, "rule")

    def learn(self, rows: TrainingRows) -> AssociationRules:
        """Counts items, then pairs, then larger sets, and forms rules of them."""
        names, counts, transactions = self._frequent_items(rows)
        least = self._least(transactions)
        found: dict[Items, int] = dict(counts)
        level: dict[Items, int] = counts
        for size in range(2, self.at_most + 1):
            if len(level) < size:
                break
            rows.progress(size / (self.at_most + 1), f"counting sets of {size} items")
            level = (
                self._pairs(rows, names, least)
                if size == 2
                else self._sets(rows, names, candidates(level), least)
            )
            found |= level
        rules = associations(found, self.min_confidence)
        if len(rules) > self.keep:
            rows.note(f"kept {self.keep:,} of {len(rules):,} rules (keep)")
        if not rules:
            rows.note("no rule has that much support and confidence")
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
        """Tells the first rules."""
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

    def _least(self, transactions: int) -> int:
        return max(1, math.ceil(self.min_support * transactions - 1e-9))

    def _frequent_items(self, rows: TrainingRows) -> tuple[list[str], dict[Items, int], int]:
        """Counts transactions, and those of each item; gives the frequent items in order."""
        pair = [self.transaction.name, self.item.name]
        different = exp.Count(this=exp.Distinct(expressions=[column(self.transaction.name)]))
        known = rows.computed(pair, lambda block: block)
        transactions = int(known.aggregate({"n": different})["n"])
        if not transactions:
            raise LearningError(
                f"no row to learn from knows both {pair[0]!r} and {pair[1]!r}",
                "is one of them NULL everywhere? choose another feature",
            )
        n = "n" if self.item.name != "n" else "n_"
        groups = rows.groups([self.item.name], {n: different}, 10**9, complete=pair)
        least = self._least(transactions)
        frequent = sorted((str(g[self.item.name]), int(g[n])) for g in groups if g[n] >= least)
        if len(frequent) > MOST_ITEMS:
            raise LearningError(
                f"{len(frequent):,} items have that much support; at most {MOST_ITEMS:,} can be "
                "combined",
                "raise `min_support`",
            )
        counts: dict[Items, int] = {(i,): count for i, (_, count) in enumerate(frequent)}
        return [name for name, _ in frequent], counts, transactions

    def _pairs(self, rows: TrainingRows, names: list[str], least: int) -> dict[Items, int]:
        """Counts the transactions that have both items of a pair, and gives the frequent pairs."""
        both = ("item 1", "item 2")

        def joined(block: Block) -> Block:
            baskets = self._baskets(block, names)
            numbers = [column(_NUMBER, name) for name in both]
            on = [_same_basket(*both), exp.LT(this=numbers[0], expression=numbers[1])]
            joins = (Join(both[1], "inner", _all(on)),)
            columns = dict(zip(both, numbers, strict=True)) | {"n": exp.Count(this=exp.Star())}
            inputs = dict.fromkeys(both, baskets)
            return over(Block(columns, inputs, joins, group=tuple(numbers)))

        counted = rows.computed([self.transaction.name, self.item.name], joined)
        found: dict[Items, int] = {}
        for batch in counted.batches([*both, "n"], where=_enough(least)):
            for *items, n in zip(*(batch[name] for name in (*both, "n")), strict=True):
                found[tuple(int(item) for item in items)] = int(n)
        return found

    def _sets(
        self, rows: TrainingRows, names: list[str], wanted: Sequence[Items], least: int
    ) -> dict[Items, int]:
        """Counts the transactions that have all items of a set, and gives the frequent sets."""
        if not wanted:
            return {}
        if len(wanted) > MOST_SETS:
            raise LearningError(
                f"{len(wanted):,} sets of {len(wanted[0])} items would have to be counted; at most "
                f"{MOST_SETS:,} can be",
                "raise `min_support`, or lower `at_most`",
            )
        counted = rows.computed(
            [self.transaction.name, self.item.name],
            lambda block: self._joined(block, names, wanted),
        )
        return {
            wanted[int(number)]: int(n)
            for batch in counted.batches([_NUMBER, "n"], where=_enough(least))
            for number, n in zip(batch[_NUMBER], batch["n"], strict=True)
        }

    def _joined(self, block: Block, names: list[str], wanted: Sequence[Items]) -> Block:
        """Joins baskets with themselves, item by item, and drops at once what begins no set.

        What two joined items begin is known by a number, so that no table of sets can be joined
        before both are there: joined first, it would multiply the rows.
        """
        baskets = self._baskets(block, names)
        inputs: dict[str, Source] = {"item 1": baskets}
        joins: list[Join] = []
        begun: dict[Items, float] = {(i,): float(i) for i in range(len(names))}
        number = column(_NUMBER, "item 1")
        for size in range(2, len(wanted[0]) + 1):
            here, sets = f"item {size}", f"sets of {size}"
            known = {items: float(i) for i, items in enumerate(_starts(wanted, size))}
            rows = tuple((begun[k[:-1]] * len(names) + k[-1], n) for k, n in known.items())
            inputs |= {here: baskets, sets: Values(sets, ("key", _NUMBER), rows)}
            joins.append(Join(here, "inner", _same_basket("item 1", here)))
            times = exp.Mul(this=number, expression=double(len(names)))
            key = exp.Add(this=times, expression=column(_NUMBER, here))
            joins.append(Join(sets, "inner", exp.EQ(this=key, expression=column("key", sets))))
            begun, number = known, column(_NUMBER, sets)
        found = {_NUMBER: number, "n": exp.Count(this=exp.Star())}
        return over(Block(found, inputs, tuple(joins), group=(number,)))

    def _baskets(self, block: Block, names: list[str]) -> Block:
        """Gives each frequent item of each transaction once, by its number."""
        table = Values(
            "items", ("item", _NUMBER), tuple((n, float(i)) for i, n in enumerate(names)), ("item",)
        )
        item = exp.cast(column(self.item.name, _LINES), "text")
        on = exp.EQ(this=item, expression=column("item", "items"))
        columns: dict[str, exp.Expression] = {
            _BASKET: column(self.transaction.name, _LINES),
            _NUMBER: column(_NUMBER, "items"),
        }
        lines = Block(columns, {_LINES: block, "items": table}, (Join("items", "inner", on),))
        return grouped(lines, [_BASKET, _NUMBER], {})


def _starts(wanted: Sequence[Items], size: int) -> list[Items]:
    """Gives what sets begin with, each once; whole sets stay in their order."""
    return list(dict.fromkeys(items[:size] for items in wanted))


def _same_basket(one: str, other: str) -> exp.Expression:
    return exp.EQ(this=column(_BASKET, one), expression=column(_BASKET, other))


def _enough(least: int) -> exp.Expression:
    return exp.GTE(this=column("n"), expression=exp.Literal.number(least))


def _all(conditions: Sequence[exp.Expression]) -> exp.Expression:
    return cast(exp.Expression, exp.and_(*conditions, copy=False))


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
    """Computes the measures of a rule, in their order."""
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
