"""Sets of items counted in the database: how many transactions have all items of a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from miningflow.declare import LearningError, TrainingRows
from miningflow.learn.association import Items
from miningflow.sql.block import Block, Join, Source, Values, grouped, over
from miningflow.sql.literals import column, double, unused

MOST_DIFFERENT, MOST_ITEMS, MOST_SETS = 1_000_000, 10_000, 500_000
# The words inside the queries that count.
_LINES, _BASKET, _NUMBER = "lines", "basket", "number"


@dataclass(frozen=True)
class ItemSets:
    """Counts transactions; items are known by their place among the frequent ones."""

    rows: TrainingRows
    transaction: str
    item: str

    def transactions(self) -> int:
        """Counts all transactions."""
        known = self.rows.computed([self.transaction, self.item], lambda block: block)
        count = int(known.aggregate({"n": self._different()})["n"])
        if not count:
            raise LearningError(
                f"no training row has both {self.transaction!r} and {self.item!r}",
                "is one of them NULL everywhere? choose another feature",
            )
        return count

    def items(self, least: int) -> tuple[list[str], dict[Items, int]]:
        """Returns the frequent items in alphabetical order, and their counts."""
        n = unused("n", [self.item])
        pair = [self.transaction, self.item]
        groups = self.rows.groups(
            [self.item], {n: self._different()}, MOST_DIFFERENT + 1, complete=pair
        )
        if len(groups) > MOST_DIFFERENT:
            raise LearningError(
                f"{self.item!r} has more than {MOST_DIFFERENT:,} different values",
                "is it a key? name a feature whose values several transactions can have",
            )
        frequent = sorted((str(g[self.item]), int(g[n])) for g in groups if g[n] >= least)
        if len(frequent) > MOST_ITEMS:
            raise LearningError(
                f"{len(frequent):,} items reach `min_support`; at most {MOST_ITEMS:,} can be "
                "combined",
                "raise `min_support`",
            )
        counts: dict[Items, int] = {(i,): count for i, (_, count) in enumerate(frequent)}
        return [name for name, _ in frequent], counts

    def pairs(self, names: list[str], least: int) -> dict[Items, int]:
        """Counts the transactions with both items of a pair, and returns the frequent pairs."""
        both = ("item 1", "item 2")

        def joined(block: Block) -> Block:
            baskets = self._baskets(block, names)
            numbers = [column(_NUMBER, name) for name in both]
            on = [_same_basket(*both), exp.LT(this=numbers[0], expression=numbers[1])]
            joins = (Join(both[1], "inner", _all(on)),)
            columns = dict(zip(both, numbers, strict=True)) | {"n": exp.Count(this=exp.Star())}
            inputs = dict.fromkeys(both, baskets)
            return over(Block(columns, inputs, joins, group=tuple(numbers)))

        counted = self.rows.computed([self.transaction, self.item], joined)
        found: dict[Items, int] = {}
        for batch in counted.batches([*both, "n"], where=_enough(least)):
            for *items, n in zip(*(batch[name] for name in (*both, "n")), strict=True):
                found[tuple(int(item) for item in items)] = int(n)
        return found

    def sets(self, names: list[str], wanted: Sequence[Items], least: int) -> dict[Items, int]:
        """Counts the transactions that have all items of a set, and returns the frequent sets."""
        if not wanted:
            return {}
        if len(wanted) > MOST_SETS:
            raise LearningError(
                f"{len(wanted):,} sets of {len(wanted[0])} items would have to be counted; at most "
                f"{MOST_SETS:,} can be",
                "raise `min_support`, or lower `at_most`",
            )
        counted = self.rows.computed(
            [self.transaction, self.item], lambda block: self._joined(block, names, wanted)
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
        """Returns each frequent item of each transaction once, by its number."""
        table = Values(
            "items", ("item", _NUMBER), tuple((n, float(i)) for i, n in enumerate(names)), ("item",)
        )
        item = exp.cast(column(self.item, _LINES), "text")
        on = item.eq(column("item", "items"))
        columns: dict[str, exp.Expression] = {
            _BASKET: column(self.transaction, _LINES),
            _NUMBER: column(_NUMBER, "items"),
        }
        lines = Block(columns, {_LINES: block, "items": table}, (Join("items", "inner", on),))
        return grouped(lines, [_BASKET, _NUMBER], {})

    def _different(self) -> exp.Expression:
        return exp.Count(this=exp.Distinct(expressions=[column(self.transaction)]))


def _starts(wanted: Sequence[Items], size: int) -> list[Items]:
    """Returns what sets begin with, each once; whole sets stay in their order."""
    return list(dict.fromkeys(items[:size] for items in wanted))


def _same_basket(one: str, other: str) -> exp.Expression:
    return column(_BASKET, one).eq(column(_BASKET, other))


def _enough(least: int) -> exp.Expression:
    return column("n") >= exp.Literal.number(least)


def _all(conditions: Sequence[exp.Expression]) -> exp.Expression:
    return cast(exp.Expression, exp.and_(*conditions, copy=False))
