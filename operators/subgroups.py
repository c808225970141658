"""Subgroups of rows in which a value is more frequent than elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
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
from miningflow.learn.subgroups import Attribute, Matrix, Part, Wish, find_subgroups, ranges, values
from miningflow.sql.block import Block, Source, grouped, over
from miningflow.sql.literal_table import Values
from miningflow.sql.literals import column, double, text

from .quantiles import equal_parts
from .value_counts import value_counts

MOST_VALUES = 40


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
    """Subgroups in order, and the counts of all rows."""

    subgroups: tuple[Subgroup, ...]
    rows: int
    positives: int


@dataclass(frozen=True)
class _Bins:
    """The bins of a feature: the values, or the cuts between them."""

    feature: Feature
    words: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()

    @property
    def attribute(self) -> Attribute:
        """What the search needs to know."""
        if self.feature.type != "numeric":
            return Attribute(len(self.words), values(len(self.words)))
        count = len(self.cuts) + 1
        return Attribute(count, ranges(count))

    def number(self) -> exp.Expression:
        """Gives the number of the bin of a row; 0 where no condition can hold."""
        name = column(self.feature.name)
        tests: list[exp.Expression] = [exp.EQ(this=name, expression=text(w)) for w in self.words]
        tests += [exp.LTE(this=name, expression=double(cut)) for cut in self.cuts]
        if self.cuts:
            tests.append(exp.GT(this=name.copy(), expression=double(self.cuts[-1])))
        ifs = [exp.If(this=test, true=double(i + 1)) for i, test in enumerate(tests)]
        return exp.Case(ifs=ifs, default=double(0)) if ifs else double(0)

    def described(self, part: Part) -> str:
        """Writes a range of bins as a condition."""
        first, last = part
        name = self.feature.name
        if self.feature.type != "numeric":
            return f"{name} = {self.words[first - 1]}"
        if first == 1:
            return f"{name} ≤ {self.cuts[last - 1]:g}"
        if last == len(self.cuts) + 1:
            return f"{name} > {self.cuts[first - 2]:g}"
        return f"{self.cuts[first - 2]:g} < {name} ≤ {self.cuts[last - 1]:g}"


@operator
class SubgroupMining(Operator):
    """Finds subgroups of rows in which a value of a feature is more frequent than elsewhere.

    A subgroup is described by conditions on up to `depth` attributes: a nominal one has a value, a
    numeric one is in a range between cuts that divide the rows into `intervals` parts of the same
    size. Its quality is the share of all rows that the subgroup has, to the power of `exponent`,
    times the difference between the share of the value in it and among all rows. So both large and
    unusual subgroups are good; with the exponent 1 it is the weighted relative accuracy. A subgroup
    counts only if it has `min_support` of the rows, and is better than what is left of it without
    one of its attributes.

    The output is a concept of the best `keep` subgroups, with the features `subgroup` (the key, a
    number from 1), `description`, `conditions` (how many), `size`, `positives` (the rows with the
    value), `coverage` (the share of all rows), `share` (of the value in the subgroup), `lift` (that
    share by the share among all rows), and `quality`. They are learned once and stay until the step
    learns again.

    All combinations of attributes are looked at, but for those that cannot be good enough. The
    database counts the rows of each, and nothing else is fetched. Rows without a target are left
    out; NULL in an attribute satisfies no condition on it.
    """

    family: ClassVar[Family] = "patterns"
    learns: ClassVar[type[Any] | None] = Subgroups
    example: ClassVar[str] = """
    groups:
      operator: SubgroupMining
      input: Customer
      target: lapsed
      value: 'yes'
      attributes: [age, household, region]
      keep: 5
    """

    input: Concept = concept("the concept whose rows form subgroups")
    target: Feature = feature("the feature that has the value", types=["nominal", "binary"])
    value: str = literal("the value that shall be more frequent", fits="target")
    attributes: tuple[Feature, ...] = features(
        "the features that describe subgroups", types=["numeric", "nominal", "binary"], minimum=1
    )
    depth: int = integer("how many attributes a description has at most", 2, minimum=1, maximum=4)
    min_support: float = number(
        "the share of rows that a subgroup has at least", default=0.02, minimum=0, maximum=1
    )
    intervals: int = integer(
        "how many parts a numeric attribute is divided into", default=4, minimum=2, maximum=20
    )
    exponent: float = number(
        "how much the size of a subgroup counts: its share to this power; with 0.5 small and very "
        "unusual subgroups come before large ones",
        default=1.0,
        minimum=0,
        maximum=1,
    )
    keep: int = integer("how many subgroups to keep at most", 20, minimum=1, maximum=10_000)

    def outline(self, notes: Notes) -> Concept:
        """Makes a concept of subgroups."""
        if any(f.name == self.target.name for f in self.attributes):
            notes.mistake(
                "attributes",
                f"the target {self.target.name!r} is among the attributes",
                f"remove {self.target.name!r}: it would only describe itself",
            )
        found = [Feature("subgroup", "key"), Feature("description", "nominal")]
        found += [Feature(name, "numeric") for name in _MEASURES]
        return Concept(self.input.name, {f.name: f for f in found}, "subgroup")

    def learn(self, rows: TrainingRows) -> Subgroups:
        """Counts combinations of bins in the database, and looks for the best subgroups."""
        total, positives = self._counted(rows, ())
        count = int(total.sum())
        if not positives.sum():
            raise LearningError(
                f"no row to learn from has {self.target.name!r} = {self.value!r}",
                "is the value spelt as in the data, and the feature not NULL everywhere?",
            )
        least = max(1, math.ceil(self.min_support * count - 1e-9))
        bins = [self._bins(rows, f, least) for f in self.attributes]

        def counts(chosen: tuple[int, ...]) -> tuple[Matrix, Matrix]:
            if not chosen:
                return total, positives
            shown = ", ".join(self.attributes[i].name for i in chosen)
            rows.progress(len(chosen) / (self.depth + 1), f"counting {shown}")
            return self._counted(rows, [bins[i] for i in chosen])

        wish = Wish(self.depth, least, self.keep, self.exponent)
        found = find_subgroups([b.attribute for b in bins], counts, wish)
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
        """Tells the first subgroups."""
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

    def _bins(self, rows: TrainingRows, attribute: Feature, least: int) -> _Bins:
        if not rows.aggregate({"n": exp.Count(this=column(attribute.name))})["n"]:
            return _Bins(attribute)
        if attribute.type == "numeric":
            parts = equal_parts(rows, attribute.name, self.intervals)
            return _Bins(attribute, cuts=parts.ends[:-1])
        found = value_counts(rows, attribute.name)
        frequent = sorted(found, key=lambda v: (-found[v], v))[:MOST_VALUES]
        return _Bins(attribute, words=tuple(sorted(v for v in frequent if found[v] >= least)))

    def _counted(self, rows: TrainingRows, bins: Sequence[_Bins]) -> tuple[Matrix, Matrix]:
        """Counts rows, and rows with the value, for each combination of bins."""
        names = [f"bin {i + 1}" for i in range(len(bins))]
        has_value = exp.EQ(this=column(self.target.name), expression=text(self.value))
        positive = exp.Sum(
            this=exp.Case(ifs=[exp.If(this=has_value, true=double(1))], default=double(0))
        )
        aggregates: dict[str, exp.Expression] = {
            "rows": exp.Count(this=exp.Star()),
            "positives": positive,
        }

        def counted(block: Block) -> Block:
            wanted = {name: b.number() for name, b in zip(names, bins, strict=True)}
            binned = over(block).extend({**wanted}).layered() if wanted else block
            return over(grouped(binned, names, aggregates))

        shape = tuple(b.attribute.bins + 1 for b in bins)
        totals, positives = np.zeros(shape), np.zeros(shape)
        found = rows.computed([self.target.name], counted)
        for batch in found.batches([*names, "rows", "positives"]):
            place = tuple(batch[name].astype(np.intp) for name in names)
            totals[place] = batch["rows"] if names else batch["rows"][0]
            positives[place] = batch["positives"] if names else np.nan_to_num(batch["positives"][0])
        return totals, positives


_MEASURES = ("conditions", "size", "positives", "coverage", "share", "lift", "quality")
