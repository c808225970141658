"""Selection by kernel-target alignment, from sums that are streamed from all rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np

from miningflow.declare import Selection, TrainingRows, boolean, choice, number, operator
from miningflow.declare.rows import finite
from miningflow.declare.selection import Trial
from miningflow.learn.selection.alignment_path import AlignmentPath
from miningflow.learn.selection.class_sums import ClassSums

from .selection_ranked import RankedSelection


@operator
class FeatureSelectionByAlignment(RankedSelection):
    """Chooses features by the alignment of their linear kernel with the class label.

    Alignment is the cosine between the kernel matrix of the chosen features and that of the labels.
    `one_shot` ranks features by their own alignment; `incremental` adds the feature that raises it
    most, `decremental` removes those whose removal does not lower it. Only sums of products are
    needed, which are streamed from all rows; no row is kept. Features are standardised.
    """

    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByAlignment
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      method: incremental
      keep: 2
    """

    method: str = choice(
        "how to search", ["incremental", "decremental", "one_shot"], default="incremental"
    )
    explained: float | None = number(
        "keep the fewest features that reach this share of the highest alignment",
        default=None,
        minimum=1e-9,
        maximum=1,
    )
    balanced: bool = boolean("count both classes alike, however many rows they have", default=False)

    def limits(self) -> Mapping[str, Any]:
        """Gives the parameters that say how many features remain."""
        return {"keep": self.keep, "explained": self.explained}

    def learn(self, rows: TrainingRows) -> Selection:
        """Streams the sums of products, then searches."""
        from miningflow.learn.selection.alignment_statistics import align_from_statistics

        names = self.names()
        sums = ClassSums(len(names))
        for batch in rows.batches([*names, self.target.name]):
            finite(batch, names)
            matrix = np.column_stack([batch[name] for name in names])
            sums.add(matrix, batch[self.target.name])
            rows.progress(0.0, f"{sums.rows:,.0f} rows read")
        self.check_classes(sums.classes)
        moments, norm = sums.moments(self.positive, self.balanced)
        path = align_from_statistics(
            sums.gram(),
            moments,
            norm,
            method=cast(Any, self.method),
            keep=self.few(),
            explained=self.explained,
        )
        return self._found(path)

    def _found(self, path: AlignmentPath) -> Selection:
        names = self.names()
        kept = tuple(n for n, chosen in zip(names, path.support, strict=True) if chosen)
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(
            Trial(
                step.step,
                (),
                ", ".join(names[i] for i in np.atleast_1d(step.changed)),
                float(step.alignment),
                i < path.taken,
            )
            for i, step in enumerate(path.steps)
        )
        last = trace[max(0, path.taken - 1)].value if trace else 0.0
        reason = (
            f"{self.method} search: alignment {last:.4f} with {len(kept)} of {len(names)} features"
        )
        scores = dict(zip(names, (float(s) for s in path.scores), strict=True))
        return Selection(kept, dropped, reason, scores, trace, "alignment")
