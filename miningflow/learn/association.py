"""Association rules from counts of sets of items: what to count next, and which rules hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

Items = tuple[int, ...]
"""A set of items by their numbers, in order."""


@dataclass(frozen=True)
class Association:
    """A rule: who has the items before also has those after."""

    before: Items
    after: Items
    together: int
    """How many have all of them."""
    with_before: int
    with_after: int

    @property
    def confidence(self) -> float:
        """The share of those with the items before that have those after."""
        return self.together / self.with_before


def candidates(frequent: Collection[Items]) -> list[Items]:
    """Returns the sets with an item more, all of whose parts with an item less are frequent."""
    known = set(frequent)
    by_start: dict[Items, list[int]] = {}
    for items in sorted(frequent):
        by_start.setdefault(items[:-1], []).append(items[-1])
    return [
        (*start, one, other)
        for start, ends in by_start.items()
        for one, other in combinations(ends, 2)
        if _all_parts_known((*start, one, other), known)
    ]


def associations(counts: Mapping[Items, int], least: float) -> list[Association]:
    """Returns the rules whose confidence is at least so much, the most confident first."""
    found = [
        Association(before, after, together, counts[before], counts[after])
        for items, together in counts.items()
        if len(items) > 1
        for before, after in _divided(items)
        if together >= least * counts[before] - 1e-9
    ]
    return sorted(found, key=lambda r: (-r.confidence, -r.together, r.before, r.after))


def _all_parts_known(items: Items, known: set[Items]) -> bool:
    return all(items[:i] + items[i + 1 :] in known for i in range(len(items)))


def _divided(items: Items) -> Iterator[tuple[Items, Items]]:
    for size in range(1, len(items)):
        for before in combinations(items, size):
            yield before, tuple(item for item in items if item not in before)
