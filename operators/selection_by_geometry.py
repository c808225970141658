"""The operator that selects groups of features by the geometry of their rows."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, ClassVar, cast

import numpy as np

from miningflow.declare import (
    Concept,
    Feature,
    LearningError,
    Notes,
    Selection,
    TrainingRows,
    choice,
    integer,
    literal_map,
    number,
    operator,
)
from miningflow.declare.selection import Trial
from miningflow.learn.selection.standard_columns import standardized

from .selection_learned import ClassSelection, superset


@operator
class FeatureSelectionByGeometry(ClassSelection):
    """Selects groups of features by how well they separate the classes geometrically.

    Every set of groups is judged, for every division of the classes into two. The judge `geometry`
    uses six ratios of dimensions of affine hulls and learns nothing (C. Stambaugh et al., Analytic
    Feature Selection for Support Vector Machines). It was made for text, with hundreds of columns
    of 0 and 1, and fails with continuous or few columns, as the paper itself says. The judge `svm`
    uses the accuracy of a linear machine that learns from one half of the rows and predicts the
    other; it is about as fast, and works with any numbers. Of the sets that most divisions suggest,
    the one with the best score is kept, or the smallest one.

    `groups` maps the name of each group to its features or patterns, separated by commas. An
    attribute that is in no group forms a group by itself. k groups make 2^k - 1 sets.
    """

    alias: ClassVar[str] = "SelectGeometry"
    finds: ClassVar[tuple[str, ...]] = ("groups of features", "convex hull")
    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByGeometry
      input: Customer
      target: lapsed
      attributes: [age, income, household]
      nulls: drop_rows
      judge: svm
    """

    attributes: tuple[Feature, ...] = superset("numeric")
    groups: dict[str, str | None] | None = literal_map(
        "a map of group names to features or patterns; by default each attribute is a group",
        default=None,
    )
    judge: str = choice("how to judge a set of groups", ["geometry", "svm"], default="geometry")
    choose: str = choice(
        "which of the suggested sets to keep", ["score", "smallest"], default="score"
    )
    C: float = number("the cost of training errors of `svm`", default=1.0, minimum=1e-9)
    max_sets: int = integer("how many sets to judge, at most", default=10_000, minimum=1)
    sample_size: int = integer("how many rows to use, at most", default=2_000, minimum=10)
    seed: int = integer(
        "the random seed; a different seed draws different rows and halves", default=0
    )

    def outline(self, notes: Notes) -> Concept:
        """Checks that groups match attributes, do not overlap, and are not too many."""
        for name, patterns in (self.groups or {}).items():
            for pattern in _patterns(patterns) or [""]:
                if not any(fnmatchcase(n, pattern) for n in self.names()):
                    notes.error(
                        "groups",
                        f"group {name!r} names {pattern!r}, which matches no attribute",
                        "name attributes or patterns, such as 'temperature_*, humidity'",
                    )
        for attribute in self.names():
            groups = self._groups_of(attribute)
            if len(groups) > 1:
                notes.error(
                    "groups",
                    f"attribute {attribute!r} is in two groups, {groups[0]!r} and {groups[1]!r}",
                    "groups are kept or dropped as a whole, so they must not overlap",
                )
        count = len(set(self._group_names()))
        if 2**count - 1 > self.max_sets:
            notes.error("groups" if self.groups else "attributes", *self._too_many(count, 2))
        return super().outline(notes)

    def select(self, rows: TrainingRows) -> Selection:
        """Judges every set of groups."""
        from miningflow.learn.selection import GeometrySelector

        columns = rows.fetch([*self.names(), self.target.name], True, self.sample_size, self.seed)
        labels = columns[self.target.name].astype(str)
        classes = sorted(set(labels))
        self.check_classes(classes)
        group_names, members = np.unique(self._group_names(), return_inverse=True)
        sets = (2 ** (len(classes) - 1) - 1) * (2 ** len(group_names) - 1)
        if sets > self.max_sets:
            raise LearningError(*self._too_many(len(group_names), len(classes)))
        matrix = np.column_stack([columns[name] for name in self.names()])
        judged = 0

        def report(judgement: Any) -> None:
            nonlocal judged
            judged += 1
            rows.progress(judged / sets, f"{judged} of {sets} sets of groups judged")

        selector = GeometrySelector(
            members,
            choose=cast(Any, self.choose),
            judge=cast(Any, self.judge),
            C=self.C,
            max_sets=self.max_sets,
            random_state=self.seed % 2**32,
            callback=report,
        )
        # To `geometry`, 0 means that a word does not occur; a machine needs equal scales.
        selector.fit(standardized(matrix) if self.judge == "svm" else matrix, labels)
        return self._selection(selector, [str(name) for name in group_names], members)

    def _selection(self, selector: Any, group_names: list[str], members: Any) -> Selection:
        names = self.names()
        chosen = tuple(int(g) for g in np.flatnonzero(selector.group_support_))
        kept = tuple(n for n, stays in zip(names, selector.get_support(), strict=True) if stays)
        trace = tuple(
            Trial(
                len(judged.groups),
                tuple(n for n, g in zip(names, members, strict=True) if g in judged.groups),
                " + ".join(group_names[g] for g in judged.groups),
                float(judged.score),
                judged.groups == chosen,
            )
            for judged in selector.trace_
        )
        alone = {
            g: float(np.mean([j.score for j in selector.trace_ if j.groups == (g,)]))
            for g in range(len(group_names))
        }
        reason = (
            f"{self.judge} suggested {len(selector.suggestions_)} of {len(trace)} sets of groups; "
            f"kept: {', '.join(group_names[g] for g in chosen)}"
        )
        dropped = tuple(n for n in names if n not in kept)
        scores = {n: alone[int(g)] for n, g in zip(names, members, strict=True)}
        return Selection(kept, dropped, reason, scores, trace, f"{self.judge} score")

    def _groups_of(self, attribute: str) -> list[str]:
        return [
            name
            for name, patterns in (self.groups or {}).items()
            if any(fnmatchcase(attribute, pattern) for pattern in _patterns(patterns))
        ]

    def _group_names(self) -> list[str]:
        """Returns the group of each attribute."""
        return [(self._groups_of(name) or [name])[0] for name in self.names()]

    def _too_many(self, groups: int, classes: int) -> tuple[str, str]:
        sets = (2 ** (classes - 1) - 1) * (2**groups - 1)
        return (
            f"{groups} groups and {classes} classes make {sets:,} sets to judge, more than "
            f"`max_sets` ({self.max_sets:,})",
            "put the attributes into fewer `groups`, or raise `max_sets`",
        )


def _patterns(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]
