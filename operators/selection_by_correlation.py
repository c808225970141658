"""Selection that drops features which repeat others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from miningflow.declare import (
    Feature,
    FeatureSelection,
    LearningError,
    Selection,
    TrainingRows,
    features,
    number,
    operator,
)
from miningflow.declare.rows import finite
from miningflow.declare.selection import Trial
from miningflow.learn.selection.class_sums import ClassSums


@operator
class StatisticalFeatureSelection(FeatureSelection):
    """Drops features that are correlated with one that stays.

    The attributes are gone through in the order they are listed: one stays if its correlation with
    every one that stayed before is at most `threshold`, up or down. So list first what you would
    rather keep. A constant feature is correlated with nothing, and stays. The correlations come
    from sums that are streamed from all rows in which all attributes are known.
    """

    example: ClassVar[str] = """
    different:
      operator: StatisticalFeatureSelection
      input: Customer
      attributes: [age, income, household]
      threshold: 0.9
    """

    attributes: tuple[Feature, ...] = features(
        "the superset that features may be dropped from", types=["numeric"], minimum=1
    )
    threshold: float = number(
        "the highest correlation, up or down, that is borne", default=0.9, minimum=0, maximum=1
    )

    def learn(self, rows: TrainingRows) -> Selection:
        """Streams the sums, then goes through the attributes."""
        names = [f.name for f in self.attributes]
        sums = ClassSums(len(names))
        for batch in rows.batches(names):
            finite(batch, names)
            matrix = np.column_stack([batch[name] for name in names])
            sums.add(matrix, np.full(len(matrix), "all", dtype=object))
            rows.progress(0.0, f"{sums.rows:,.0f} rows read")
        if sums.rows < 2:
            raise LearningError(
                "fewer than two rows to learn from have all attributes known",
                "fill missing values first, for example with AssignAverageValue",
            )
        correlations = np.abs(sums.gram()) / sums.rows
        kept: list[int] = []
        trace: list[Trial] = []
        for i, name in enumerate(names):
            highest = max((float(correlations[i, k]) for k in kept), default=0.0)
            stays = highest <= self.threshold
            if stays:
                kept.append(i)
            trace.append(Trial(i + 1, tuple(names[k] for k in kept), name, highest, stays))
        dropped = tuple(n for i, n in enumerate(names) if i not in kept)
        reason = f"correlated by more than {self.threshold:g} with a feature that stays"
        scores = {t.changed: t.value for t in trace}
        chosen = tuple(names[k] for k in kept)
        return Selection(chosen, dropped, reason, scores, tuple(trace), "correlation")
