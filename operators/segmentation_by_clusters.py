"""The operator that makes a segment of each cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    Feature,
    SegmentingOperator,
    TrainingRows,
    boolean,
    features,
    integer,
    operator,
)
from miningflow.declare.segmentation import Label
from miningflow.learn.clustering import cluster, nearest
from miningflow.learn.encoding import Encoding
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import text
from miningflow.sql.models.classes import by_greatest
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.folding import folded
from miningflow.sql.models.model_inputs import new_names
from miningflow.train.predictors import PREDICTOR_TYPES, fetch_predictors

MOST_CLUSTERS = 100


@dataclass(frozen=True, eq=False)
class Clusters:
    """The centres of the clusters, in the encoding of the predictors, largest cluster first."""

    encoding: Encoding
    centres: npt.NDArray[np.float64]

    def check_parts(self) -> None:
        """Refuses stored centres that do not fit the predictors."""
        if self.centres.ndim != 2 or self.centres.shape[1] != self.encoding.width:
            raise ValueError("the centres do not fit the predictors")


@operator
class SegmentationWithKMeans(SegmentingOperator):
    """Divides rows into segments, one for each cluster that k-means finds.

    Numbers are standardised and categories become indicators, so that all predictors have equal
    weight. With `optimize`, the default, the number of clusters is chosen between 2 and `at_most`,
    so that the ratio of the variance between clusters to the variance within them is greatest
    (Caliński and Harabasz). Otherwise there are `at_most` clusters. They are named 1, 2, 3 and so
    on, largest first. A row belongs to the nearest centre, which the database computes, so new rows
    need no Python. Rows with NULL in a predictor form the rest, whose segment is NULL. Every later
    step runs in each segment separately, until `Unsegment`.
    """

    alias: ClassVar[str] = "KMeans"
    finds: ClassVar[tuple[str, ...]] = ("cluster", "clustering", "k-means", "customer segments")
    example: ClassVar[str] = """
    kinds:
      operator: SegmentationWithKMeans
      input: Customer
      predictors: [income, household]
      at_most: 3
    """
    learns: ClassVar[type[Any] | None] = Clusters
    applies_model: ClassVar[bool] = True
    learns_numbers_itself: ClassVar[bool] = True

    predictors: tuple[Feature, ...] = features("the features to cluster by", types=PREDICTOR_TYPES)
    at_most: int = integer(
        "how many clusters to make, at most", default=10, minimum=2, maximum=MOST_CLUSTERS
    )
    optimize: bool = boolean("whether to choose the number of clusters", default=True)
    sample_size: int = integer("how many rows to learn from, at most", default=10_000, minimum=2)
    seed: int = integer(
        "the random seed; a different seed starts from different centres", default=0
    )

    def learn(self, rows: TrainingRows) -> Clusters:
        """Learns the centres from complete rows."""
        found = fetch_predictors(rows, self.predictors, None, self.sample_size, self.seed)
        centres = cluster(found.matrix, self.at_most, self.optimize, self.seed, rows.progress)
        sizes = np.bincount(nearest(found.matrix, centres), minlength=len(centres))
        shares = ", ".join(f"{size / len(found.matrix):.0%}" for size in sizes)
        rows.note(f"{len(centres)} clusters with {shares} of the rows")
        return Clusters(found.encoding, centres)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Numbers the clusters, and names the rest last."""
        count = 0 if artifact is None else len(artifact.centres)
        return (*(str(i + 1) for i in range(count)), None)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds the number of the nearest centre.

        |x - c|² is least where c·x - |c|²/2 is greatest, and that is linear in x.
        """
        columns = encoded(artifact.encoding, over(inputs[self.input.name]))
        centres = artifact.centres
        names = list(columns.rows.columns)
        scores = new_names("nearness", len(centres), [*names, self.output])
        near = [folded(columns.values, centre, -float(centre @ centre) / 2) for centre in centres]
        rows = columns.rows.extend(dict(zip(scores, near, strict=True))).layered()
        labels: list[exp.Expression] = [text(str(i + 1)) for i in range(len(centres))]
        nearest_one = by_greatest(scores, labels, scores)
        return rows.extend({self.output: nearest_one}).project([*self.input.features, self.output])
