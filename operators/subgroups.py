"""The operator that finds subgroups of rows in which a value is unusually frequent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

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
    features,
    integer,
    literal,
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.learn.arrays import Matrix
from miningflow.learn.subgroups import SubgroupRequest, find_subgroups
from miningflow.sql.block import Block, Source, Values, over
from miningflow.sql.literals import column
from miningflow.train.bins import count_bins, learn_bins


@dataclass(frozen=True)
class Subgroup:
    """A subgroup in words, with its counts and its quality."""

    description: str
    conditions: int
    rows: int
    positives: int
    quality: float


@dataclass(frozen=True)
class Subgroups:
    """Subgroups in order of quality, and the counts of all rows."""

    subgroups: tuple[Subgroup, ...]
    rows: int
    positives: int


@operator
class SubgroupMining(Operator):
    """Finds subgroups of rows in which a value of a feature is more frequent than in all rows.

    A subgroup is described by conditions on up to `depth` attributes: a nominal attribute has a
    value, a numeric one lies in a range between cuts that divide the rows into `intervals` parts of
    equal size. The quality of a subgroup is its share of all rows, raised to the power of
    `exponent`, times the difference between the share of the value in the subgroup and in all rows.
    This favours subgroups that are both large and unusual; with exponent 1 it is the weighted
    relative accuracy. A subgroup counts only if it has at least the share `min_support` of the
    rows, and is better than the same subgroup without one of its conditions.

    The output is a concept of the `keep` best subgroups, with the features `subgroup` (the key, a
    number from 1), `description`, `conditions` (their number), `size`, `positives` (the rows with
    the value), `coverage` (the share of all rows), `share` (of the value in the subgroup), `lift`
    (that share divided by the share in all rows), and `quality`. They are learned once, and stay
    until the step learns again.

    All combinations of attributes are searched, except those that cannot be good enough. The
    database counts the rows of each, and only counts are fetched. Rows without a target are left
    out; NULL in an attribute satisfies no condition on it.
    """

    family: ClassVar[Family] = "patterns"
    learns: ClassVar[type[Any] | None] = Subgroups
    alias: ClassVar[str] = "Subgroups"
    finds: ClassVar[tuple[str, ...]] = ("segments", "subgroup discovery", "where it differs")
    example: ClassVar[str] = """
    groups:
      operator: SubgroupMining
      input: Customer
      target: lapsed
      value: 'yes'
      attributes: [age, household, region]
      keep: 5
    """

    input: Concept = concept("the concept to find subgroups of")
    target: Feature = feature("the feature with the value", types=["nominal", "binary"])
    value: str = literal("the value that is more frequent in a subgroup", fits="target")
    attributes: tuple[Feature, ...] = features(
        "the features to describe subgroups by", types=["numeric", "nominal", "binary"], minimum=1
    )
    depth: int = integer("how many attributes a description has, at most", 2, minimum=1, maximum=4)
    min_support: float = number(
        "the minimum share of rows in a subgroup", default=0.02, minimum=0, maximum=1
    )
    intervals: int = integer(
        "how many parts to divide a numeric attribute into", default=4, minimum=2, maximum=20
    )
    exponent: float = number(
        "how much the size of a subgroup counts: its share raised to this power; 0.5 prefers "
        "small, very unusual subgroups to large ones",
        default=1.0,
        minimum=0,
        maximum=1,
    )
    keep: int = integer("how many subgroups to keep, at most", 20, minimum=1, maximum=10_000)

    def outline(self, notes: Notes) -> Concept:
        """Returns a concept of subgroups."""
        if any(f.name == self.target.name for f in self.attributes):
            notes.error(
                "attributes",
                f"the target {self.target.name!r} is among the attributes",
                f"remove {self.target.name!r}: it would only describe itself",
            )
        found = [Feature("subgroup", "key"), Feature("description", "nominal")]
        found += [Feature(name, "numeric") for name in _MEASURES]
        return Concept(self.input.name, {f.name: f for f in found}, "subgroup")

    def learn(self, rows: TrainingRows) -> Subgroups:
        """Counts combinations of bins in the database, and searches for the best subgroups."""
        target = self.target.name
        total, positives = count_bins(rows, (), target, self.value)
        count = int(total.sum())
        if not positives.sum():
            raise LearningError(
                f"no training row has {target!r} = {self.value!r}",
                "check the spelling of the value, and whether the feature is NULL everywhere",
            )
        least = max(1, math.ceil(self.min_support * count - 1e-9))
        bins = [learn_bins(rows, f, self.intervals, least) for f in self.attributes]

        def counts(chosen: tuple[int, ...]) -> tuple[Matrix, Matrix]:
            if not chosen:
                return total, positives
            shown = ", ".join(self.attributes[i].name for i in chosen)
            rows.progress(len(chosen) / (self.depth + 1), f"counting {shown}")
            return count_bins(rows, [bins[i] for i in chosen], target, self.value)

        request = SubgroupRequest(self.depth, least, self.keep, self.exponent)
        found = find_subgroups([b.attribute for b in bins], counts, request)
        if not found:
            rows.note(f"{self.value!r} is not more frequent in any subgroup")
        subgroups = [
            Subgroup(
                " and ".join(
                    bins[a].described(p) for a, p in zip(f.attributes, f.parts, strict=True)
                ),
                len(f.attributes),
                f.rows,
                f.positives,
                f.quality,
            )
            for f in found
        ]
        return Subgroups(tuple(subgroups), count, int(positives.sum()))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Reads the subgroups from a table of literals."""
        found: Subgroups = artifact
        usual = found.positives / found.rows
        rows: list[tuple[float | str, ...]] = []
        for i, group in enumerate(found.subgroups):
            share = group.positives / group.rows
            measures = [group.conditions, group.rows, group.positives, group.rows / found.rows]
            measures += [share, share / usual, group.quality]
            rows.append((float(i + 1), group.description, *(float(m) for m in measures)))
        names = ("subgroup", "description", *_MEASURES)
        table = over(Values("subgroups", names, tuple(rows), ("description",)))
        return table.extend({"subgroup": exp.cast(column("subgroup"), "bigint")})

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Returns the first subgroups as text."""
        if artifact is None:
            return {"learning": "in the database, by counting rows of attributes"}
        found: Subgroups = artifact
        usual = found.positives / found.rows
        topics = {
            "model": f"{len(found.subgroups)} subgroups",
            "learned": f"from {found.rows:,} rows, in the database; "
            f"{self.target.name} = {self.value} in {usual:.0%} of them",
        }
        for i, group in enumerate(found.subgroups[:20]):
            share = group.positives / group.rows
            topics[f"subgroup {i + 1}"] = (
                f"{group.description} ({share:.0%} of {group.rows:,} rows, "
                f"quality {group.quality:.3g})"
            )
        return topics


_MEASURES = ("conditions", "size", "positives", "coverage", "share", "lift", "quality")
