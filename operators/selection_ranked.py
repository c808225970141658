"""What selections share that relate numeric features to a class label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from miningflow.declare import (
    Concept,
    Feature,
    FeatureSelection,
    LearningError,
    Notes,
    Selection,
    feature,
    features,
    integer,
    literal,
    operator,
)
from miningflow.declare.selection import Trial
from miningflow.learn.selection.ranking import Ranked

from .classes import two_classes


@operator
class RankedSelection(FeatureSelection):
    """What selections share that relate numeric features to a class label."""

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str | None = literal(
        "the positive class; without it, each class is taken against the rest",
        default=None,
    )
    attributes: tuple[Feature, ...] = features(
        "the superset that features may be dropped from", types=["numeric"], minimum=1
    )
    keep: int | None = integer("how many of the attributes to keep", default=None, minimum=1)

    def limits(self) -> Mapping[str, Any]:
        """Gives the parameters that say how many features remain."""
        return {"keep": self.keep}

    def outline(self, notes: Notes) -> Concept:
        """Wants exactly one limit, and not more features than there are."""
        given = [name for name, value in self.limits().items() if value is not None]
        names = " or ".join(f"'{name}'" for name in self.limits())
        if len(given) != 1:
            notes.mistake("", f"{type(self).__name__} needs {names}, and one of them only")
        if self.keep is not None and self.keep > len(self.attributes):
            notes.mistake(
                "keep", f"'keep' is {self.keep}, and there are {len(self.attributes)} attributes"
            )
        return super().outline(notes)

    def least(self) -> int:
        """Keeps as many as were asked for."""
        return self.keep or 1

    def names(self) -> list[str]:
        """Names the attributes."""
        return [f.name for f in self.attributes]

    def few(self) -> int | None:
        """Gives how many to keep, where earlier deselection left fewer than were asked for."""
        return None if self.keep is None else min(self.keep, len(self.attributes))

    def selection(self, ranking: Sequence[Ranked], measure: str) -> Selection:
        """Turns a ranking into what the compiler needs."""
        names = self.names()
        kept = [names[r.feature] for r in ranking if r.kept]
        dropped = tuple(n for n in names if n not in kept)
        kept_in_order = tuple(n for n in names if n in kept)
        trace = tuple(
            Trial(rank + 1, tuple(kept[: rank + 1]), names[r.feature], r.score, r.kept)
            for rank, r in enumerate(ranking)
        )
        worst = min((r.score for r in ranking if r.kept), default=0.0)
        reason = f"{measure}: the best {len(kept)} of {len(names)}, from {worst:.4g} on"
        scores = {names[r.feature]: r.score for r in ranking}
        return Selection(kept_in_order, dropped, reason, scores, trace, measure)

    def check_classes(self, classes: Sequence[str]) -> None:
        """Refuses rows with one class, or with other than two where one of them is the positive."""
        if self.positive is not None:
            two_classes(np.array(classes, dtype=object), self.target, self.positive)
        elif len(classes) < 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes in the rows to learn from; "
                "at least two are needed",
                "are the others all held out, filtered away or incomplete?",
            )

    def check_two_classes(self, classes: Sequence[str]) -> None:
        """Refuses more than two classes."""
        if len(classes) > 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes; two are needed",
                "bring them to two with Mapping, for example",
            )
