"""What selections share that relate numeric features to a class label, and keep some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from miningflow.declare import Concept, Feature, Notes, Selection, integer, operator
from miningflow.declare.selection import Trial
from miningflow.learn.selection.ranking import Ranked

from .selection_learned import ClassSelection, superset


@operator
class RankedSelection(ClassSelection):
    """What selections share that relate numeric features to a class label, and keep some."""

    attributes: tuple[Feature, ...] = superset("numeric")
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
