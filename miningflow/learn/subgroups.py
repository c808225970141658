"""Subgroups in which a class is more frequent than elsewhere, found from tables of counts.

Attributes come as numbered bins, and a table of counts says how many rows, and how many of the
class, fall into each combination of bins. A part of a description is a range of bins of one
attribute. The quality is that of Klösgen (1996): the share of all rows that a subgroup has, to the
power of an exponent, times by how much the class is more frequent in it. With the exponent 1 it is
the weighted relative accuracy of Lavrač, Flach and Zupan (1999).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from miningflow.learn.arrays import Matrix

Part = tuple[int, int]
"""The first and the last bin of a range."""
Counts = Callable[[tuple[int, ...]], tuple[Matrix, Matrix]]
"""Returns for attributes how many rows, and how many of the class, each combination of bins has."""


@dataclass(frozen=True)
class Attribute:
    """How many bins an attribute has, not counting bin 0 for all else, and its possible parts."""

    bins: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Found:
    """A subgroup: attributes with their parts, its counts and its quality."""

    attributes: tuple[int, ...]
    parts: tuple[Part, ...]
    rows: int
    positives: int
    quality: float


def ranges(bins: int) -> tuple[Part, ...]:
    """Returns all ranges of ordered bins but the one of all."""
    pairs = ((i, j) for i in range(1, bins + 1) for j in range(i, bins + 1))
    return tuple(pair for pair in pairs if pair != (1, bins))


def values(bins: int) -> tuple[Part, ...]:
    """Returns each bin alone."""
    return tuple((i, i) for i in range(1, bins + 1))


@dataclass(frozen=True)
class SubgroupRequest:
    """How subgroups are looked for."""

    depth: int
    """How many attributes a description has at most."""
    least: int
    """How many rows a subgroup has at least."""
    keep: int
    exponent: float = 1.0
    """How much the size of a subgroup counts."""


def find_subgroups(
    attributes: Sequence[Attribute], counts: Counts, request: SubgroupRequest
) -> list[Found]:
    """Finds the subgroups of the greatest quality, the best first.

    A subgroup counts only if it is better than each that needs one attribute less. Combinations of
    attributes are left out if no subgroup of theirs could be good enough: its quality would be at
    most that of one which has all rows of the class, and none else, of a subgroup that is known.
    """
    total, positive = (float(table.sum()) for table in counts(()))
    if total == 0:
        return []
    usual = positive / total
    best: list[Found] = []
    known: dict[tuple[int, ...], Mapping[tuple[Part, ...], float]] = {(): {(): 0.0}}
    promising: set[tuple[int, ...]] = {()}
    for size in range(1, request.depth + 1):
        for chosen in combinations(range(len(attributes)), size):
            below = [chosen[:i] + chosen[i + 1 :] for i in range(size)]
            if not promising.issuperset(below):
                continue
            rows, positives = _counted([attributes[i] for i in chosen], *counts(chosen))
            enough = rows >= request.least
            share = np.divide(positives, rows, out=np.zeros_like(rows), where=rows > 0)
            quality = (rows / total) ** request.exponent * (share - usual)
            possible = (positives / total) ** request.exponent * (1 - usual)
            limit = best[request.keep - 1].quality if len(best) >= request.keep else 0.0
            if (enough & (possible > limit)).any():
                promising.add(chosen)
            table: dict[tuple[Part, ...], float] = {}
            choices = product(*(enumerate(attributes[i].parts) for i in chosen))
            for choice in choices:
                place = tuple(position for position, _ in choice)
                parts = tuple(part for _, part in choice)
                if not enough[place]:
                    continue
                table[parts] = float(quality[place])
                smaller = [
                    known[b].get(parts[:i] + parts[i + 1 :], 0.0) for i, b in enumerate(below)
                ]
                if quality[place] > max(0.0, limit, *(s + 1e-12 for s in smaller)):
                    count = int(rows[place]), int(positives[place])
                    best.append(Found(chosen, parts, *count, float(quality[place])))
            known[chosen] = table
            best.sort(key=lambda f: (-f.quality, len(f.attributes), f.attributes, f.parts))
            del best[request.keep :]
    return best


def _counted(
    attributes: Sequence[Attribute], rows: Matrix, positives: Matrix
) -> tuple[Matrix, Matrix]:
    """Adds up the bins of each part, one axis of the tables after the other."""
    found = []
    for table in (rows, positives):
        counted = table
        for axis, attribute in enumerate(attributes):
            masks = np.zeros((len(attribute.parts), attribute.bins + 1))
            for i, (first, last) in enumerate(attribute.parts):
                masks[i, first : last + 1] = 1
            counted = np.moveaxis(np.tensordot(masks, counted, axes=(1, axis)), 0, axis)
        found.append(counted)
    return found[0], found[1]
