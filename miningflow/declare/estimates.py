"""Estimates: how many rows, missing and different values a step will have, before it runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from miningflow.declare.concept import Concept
from miningflow.declare.concept_statistics import ConceptStatistics, FeatureStatistics

_ROUNDING = 1e-6


@dataclass(frozen=True)
class Amount:
    """A number that lies between two bounds; `likely` is a guess, and None is not known."""

    likely: float | None = None
    low: float = 0.0
    high: float | None = None

    @staticmethod
    def exactly(value: float) -> Amount:
        """Returns a number that is certain."""
        return Amount(value, value, value)

    @property
    def certain(self) -> bool:
        """Returns whether the bounds leave no choice."""
        return self.low == self.high

    def at_most(self, other: Amount) -> Amount:
        """Keeps a part of something within the whole of it."""
        high = _least(self.high, other.high)
        likely = _least(self.likely, other.likely) if self.likely is not None else None
        return Amount(likely, self.low if high is None else min(self.low, high), high)

    def plus(self, other: Amount) -> Amount:
        """Adds two numbers."""
        both = self.likely is not None and other.likely is not None
        high = None if self.high is None or other.high is None else self.high + other.high
        likely = (self.likely or 0) + (other.likely or 0) if both else None
        return Amount(likely, self.low + other.low, high)

    def times(self, share: Amount) -> Amount:
        """Takes a share of a number."""
        likely = None
        if self.likely is not None and share.likely is not None:
            likely = self.likely * share.likely
        high = None if self.high is None else self.high * (1 if share.high is None else share.high)
        return Amount(likely, self.low * share.low, high)

    def whole(self) -> Amount:
        """Returns a number of things, of which there are no halves."""
        high = None if self.high is None else math.floor(self.high + _ROUNDING)
        return Amount(self.likely, math.ceil(self.low - _ROUNDING), high)

    def as_json(self) -> dict[str, Any]:
        """Returns the number as plain data for programs."""
        return {"likely": self.likely, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class FeatureEstimate:
    """One feature: NULLs and different values, and how values were distributed at the source."""

    missing: Amount = field(default_factory=Amount)
    distinct: Amount = field(default_factory=Amount)
    seen: FeatureStatistics | None = None
    """Statistics of a source whose shares still hold here, as far as anybody knows."""
    sure: bool = True
    """Whether they are those of exactly these rows."""
    may_go: bool = False
    """Whether a selection may drop it; only a run can tell."""

    def within(self, rows: Amount) -> FeatureEstimate:
        """Keeps what cannot be more than there are rows within bounds."""
        missing, distinct = self.missing.at_most(rows), self.distinct.at_most(rows)
        return replace(self, missing=missing, distinct=distinct)

    def known(self, new_value: bool = True) -> FeatureEstimate:
        """Returns the feature after its NULLs were filled, perhaps by a value that is new."""
        nothing = Amount.exactly(0)
        added = nothing if self.missing.high == 0 or not new_value else Amount(1.0, 0.0, 1.0)
        return replace(self, missing=nothing, distinct=self.distinct.plus(added), seen=None)


@dataclass(frozen=True)
class ConceptEstimate:
    """The rows and features of a concept."""

    rows: Amount
    features: Mapping[str, FeatureEstimate]

    def feature(self, name: str) -> FeatureEstimate:
        """Returns the estimate of a feature; of one that is not known, nothing is."""
        return self.features.get(name, FeatureEstimate().within(self.rows))

    def with_feature(self, name: str, made: FeatureEstimate) -> ConceptEstimate:
        """Adds a feature, or replaces it."""
        return replace(self, features={**self.features, name: made.within(self.rows)})

    def without_knowledge(self, names: Iterable[str]) -> ConceptEstimate:
        """Forgets what is known of some features, but for whether they may go."""
        features = dict(self.features)
        for name in features.keys() & set(names):
            features[name] = FeatureEstimate(may_go=features[name].may_go).within(self.rows)
        return replace(self, features=features)

    def chosen(self, share: Amount, by: Iterable[str] = ()) -> ConceptEstimate:
        """Keeps a share of the rows; the features `by` which they were chosen look different."""
        rows = self.rows.times(share).whole()
        changed = set(by)
        features = {
            name: of_some(f, self.rows, rows, name in changed) for name, f in self.features.items()
        }
        return ConceptEstimate(rows, features)


def of_statistics(statistics: ConceptStatistics) -> ConceptEstimate:
    """Returns a source, of which everything is known."""
    exact = statistics.exact
    features = {
        f.feature: FeatureEstimate(
            Amount.exactly(f.missing),
            Amount.exactly(f.distinct) if exact else Amount(f.distinct, 0, statistics.rows),
            f,
        )
        for f in statistics.features
    }
    return ConceptEstimate(Amount.exactly(statistics.rows), features)


def carried(rows: Amount, inputs: Iterable[ConceptEstimate], output: Concept) -> ConceptEstimate:
    """Returns an output of that many rows; features are those of the first input that has them."""
    known = list(inputs)
    features: dict[str, FeatureEstimate] = {}
    for name in output.features:
        owner = next((e for e in known if name in e.features), None)
        found = owner.features[name] if owner else FeatureEstimate()
        features[name] = found.within(rows)
    return ConceptEstimate(rows, features)


def grouped_rows(whole: ConceptEstimate, by: Sequence[str]) -> Amount:
    """Returns the number of groups: at most one for each combination of values, NULL being one."""
    if not by:
        return Amount.exactly(1)
    groups = Amount.exactly(1)
    for name in by:
        found = whole.feature(name)
        with_null = Amount(None, 0, 1)
        if found.missing.high == 0:
            with_null = Amount.exactly(0)
        elif found.missing.likely is not None:
            with_null = Amount(min(1.0, found.missing.likely), 0, 1)
        groups = groups.times(found.distinct.plus(with_null))
    if len(by) > 1:  # not every combination need be there
        groups = Amount(groups.likely, 0, groups.high)
    return groups.at_most(whole.rows).whole()


def drawn_rows(rows: ConceptEstimate, most: Amount) -> ConceptEstimate:
    """Draws a number of the rows at random, or all if there are fewer."""
    count = Amount(
        _least(rows.rows.likely, most.likely) if rows.rows.likely is not None else None,
        min(rows.rows.low, most.low),
        _least(rows.rows.high, most.high),
    )
    if rows.rows.certain and count == rows.rows:
        return rows
    features = {name: of_some(f, rows.rows, count) for name, f in rows.features.items()}
    return ConceptEstimate(count, features)


def joined_rows(
    rows: Amount, keys: Amount, others: Amount, other_keys: Amount, unique: tuple[bool, bool]
) -> Amount:
    """Returns the rows of a join, in which the side with fewer keys finds all of them.

    `unique` says for both sides whether a key occurs once.
    """
    likely = None
    if None not in (rows.likely, others.likely) and keys.likely and other_keys.likely:
        pairs = (rows.likely or 0) * (others.likely or 0)
        likely = pairs / max(keys.likely, other_keys.likely)
    limits = [side.high for side, once in ((rows, unique[1]), (others, unique[0])) if once]
    high = None if rows.high is None or others.high is None else rows.high * others.high
    return Amount(likely, 0, reduce(_least, limits, high))


def of_some(
    f: FeatureEstimate, before: Amount, rows: Amount, changed: bool = False
) -> FeatureEstimate:
    """Returns a feature in some of the rows; with `changed`, they were chosen by it."""
    share = None
    if before.likely and rows.likely is not None:
        share = rows.likely / before.likely
    missing = Amount(
        None if changed or share is None or f.missing.likely is None else f.missing.likely * share,
        0,
        f.missing.high if rows.high is not None and _fewer(rows, before) else None,
    )
    likely = f.distinct.likely
    if likely and share is not None and before.likely:
        # a value stays away if none of its rows, of which each has as many, is chosen
        likely = likely * (1 - (1 - min(1.0, share)) ** max(1.0, before.likely / likely))
    distinct = Amount(None if changed else likely, 0, f.distinct.high)
    seen = None if changed else f.seen
    return replace(f, missing=missing, distinct=distinct, seen=seen, sure=False).within(rows)


def _fewer(rows: Amount, before: Amount) -> bool:
    return before.high is not None and rows.high is not None and rows.high <= before.high


def _least(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return min(known) if known else None
