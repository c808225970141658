"""Selection by the normal of a linear support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from miningflow.declare import Selection, TrainingRows, integer, number, operator
from miningflow.learn.selection.ranking import ranked

from .selection_ranked import RankedSelection


@operator
class FeatureSelectionByNormal(RankedSelection):
    """Keeps the features with the largest weights in a linear support vector machine.

    The normal is learned on at most `sample_size` rows; a model on the kept features can then learn
    from more of them, which is where the gain lies (J. Brank et al., 2002). Features are
    standardised first. With `sparsity`, as many are kept as give a row so many values other than 0.
    """

    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByNormal
      input: Customer
      target: lapsed
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """

    sparsity: float | None = number(
        "how many values other than 0 a row keeps on average", default=None, minimum=1e-9
    )
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    sample_size: int = integer("how many rows to learn from at most", default=20_000, minimum=10)
    seed: int = integer("another seed draws other rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Gives the parameters that say how many features remain."""
        return {"keep": self.keep, "sparsity": self.sparsity}

    def select(self, rows: TrainingRows) -> Selection:
        """Trains the machine and ranks its weights."""
        from miningflow.learn.selection.normals import NormalSelector

        names = self.names()
        columns = rows.fetch([*names, self.target.name], True, self.sample_size, self.seed)
        labels = columns[self.target.name]
        self.check_classes(sorted(set(labels)))
        matrix = np.column_stack([columns[name] for name in names])
        filled = np.mean(matrix != 0, axis=0)
        spread = matrix.std(axis=0)
        standard = (matrix - matrix.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        rows.progress(0.0, f"training on {len(labels):,} rows")
        selector = NormalSelector(keep=len(names), C=self.C, random_state=0)
        selector.fit(standard, labels.astype(str))
        ranking = ranked(selector.scores_, filled, self.few(), None, self.sparsity)
        return self.selection(ranking, "weight")
