"""Shared by selections that rank numeric features by their relation to a class label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from miningflow.declare import Concept, Feature, Notes, Selection, integer, operator
from miningflow.declare.selection import Trial
from miningflow.learn.selection.ranking import Ranked

from .selection_learned import ClassSelection, superset


@operator
class RankedSelection(ClassSelection):
    """Shared by selections that rank numeric features by their relation to a class label."""

    attributes: tuple[Feature, ...] = superset("numeric")
    keep: int | None = integer("how many attributes to keep", default=None, minimum=1)

    def limits(self) -> Mapping[str, Any]:
        """Returns the parameters that limit how many features are kept."""
        return {"keep": self.keep}

    def outline(self, notes: Notes) -> Concept:
        """Checks that exactly one limit is given, and that there are enough attributes."""
        given = [name for name, value in self.limits().items() if value is not None]
        names = " or ".join(f"'{name}'" for name in self.limits())
        if len(given) != 1:
            notes.error("", f"{type(self).__name__} needs {names}, and only one of them")
        if self.keep is not None and self.keep > len(self.attributes):
            notes.error(
                "keep",
                f"'keep' must be at most {len(self.attributes)}, the number of attributes, "
                f"got {self.keep}",
            )
        return super().outline(notes)

    def least(self) -> int:
        """Returns `keep`, or 1 if it is not given."""
        return self.keep or 1

    def number_to_keep(self) -> int | None:
        """Returns how many to keep: `keep`, or fewer if earlier steps left fewer attributes."""
        return None if self.keep is None else min(self.keep, len(self.attributes))

    def selection(self, ranking: Sequence[Ranked], measure: str) -> Selection:
        """Returns a ranking as a selection."""
        names = self.names()
        kept = [names[r.feature] for r in ranking if r.kept]
        dropped = tuple(n for n in names if n not in kept)
        kept_in_order = tuple(n for n in names if n in kept)
        trace = tuple(
            Trial(rank + 1, tuple(kept[: rank + 1]), names[r.feature], r.score, r.kept)
            for rank, r in enumerate(ranking)
        )
        worst = min((r.score for r in ranking if r.kept), default=0.0)
        reason = f"{measure}: the best {len(kept)} of {len(names)}, score ≥ {worst:.4g}"
        scores = {names[r.feature]: r.score for r in ranking}
        return Selection(kept_in_order, dropped, reason, scores, trace, measure)
