"""The operator that selects features by the weights of a linear support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from miningflow.declare import Selection, TrainingRows, integer, number, operator
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.selection.ranking import ranked
from miningflow.learn.selection.rankings import rank_by_normal

from .selection_ranked import RankedSelection


@operator
class FeatureSelectionByNormal(RankedSelection):
    """Keeps the features with the largest weights in a linear support vector machine.

    The weights are learned from at most `sample_size` rows; a model on fewer features can then
    learn from more rows, which is where the gain lies (J. Brank et al., 2002). Attributes are
    standardised. With `sparsity`, features are kept until a row has that many values other than 0
    on average.
    """

    alias: ClassVar[str] = "SelectNormal"
    finds: ClassVar[tuple[str, ...]] = (
        "weights",
        "coefficients",
        "select from model",
        "feature importance",
    )
    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionByNormal
      input: Customer
      target: lapsed
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """
    contestant: ClassVar[Contestant | None] = Contestant("normal", rank_by_normal, effort=3)

    sparsity: float | None = number(
        "how many values other than 0 a row has, on average, in the kept features",
        default=None,
        minimum=1e-9,
    )
    C: float = number("the cost of training errors", default=1.0, minimum=1e-9)
    sample_size: int = integer("how many rows to learn from, at most", default=20_000, minimum=10)
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    def limits(self) -> Mapping[str, Any]:
        """Returns the parameters that limit how many features are kept."""
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
        ranking = ranked(selector.scores_, filled, self.number_to_keep(), None, self.sparsity)
        return self.selection(ranking, "weight")
