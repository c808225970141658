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
from miningflow.sql.models.columns import new_names
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.folding import folded

from .predictors import PREDICTOR_TYPES, fetch_predictors

MOST_CLUSTERS = 100


@dataclass(frozen=True, eq=False)
class Clusters:
    """The centres of clusters, in the encoding of the predictors, the largest cluster first."""

    encoding: Encoding
    centres: npt.NDArray[np.float64]


@operator
class SegmentationWithKMeans(SegmentingOperator):
    """Makes a segment of each cluster that k-means finds.

    Numbers are brought to equal deviation, and categories become indicators, so that all predictors
    weigh alike. With `optimize`, which is the default, the number of clusters is found: from 2 to
    `at_most`, the one with the greatest ratio of the variance between clusters to that within
    (Caliński and Harabasz). Otherwise there are `at_most` clusters. They are called 1, 2, 3 and so
    on, the largest first. A row belongs to the nearest centre, in the database as well, so new rows
    find their segment without Python. A row in which a predictor is NULL is in the rest, whose
    segment is NULL. From here on every step runs in each segment by itself, until `Unsegment`.
    """

    example: ClassVar[str] = """
    kinds:
      operator: SegmentationWithKMeans
      input: Customer
      predictors: [income, household]
      at_most: 3
    """
    learns: ClassVar[type[Any] | None] = Clusters

    predictors: tuple[Feature, ...] = features("what clusters are made by", types=PREDICTOR_TYPES)
    at_most: int = integer(
        "how many clusters at most", default=10, minimum=2, maximum=MOST_CLUSTERS
    )
    optimize: bool = boolean("find the number of clusters", default=True)
    sample_size: int = integer("how many rows to learn from at most", default=10_000, minimum=2)
    seed: int = integer("another seed starts elsewhere", default=0)

    def learn(self, rows: TrainingRows) -> Clusters:
        """Learns the centres from complete rows."""
        found = fetch_predictors(rows, self.predictors, None, self.sample_size, self.seed)
        centres = cluster(found.matrix, self.at_most, self.optimize, self.seed, rows.progress)
        sizes = np.bincount(nearest(found.matrix, centres), minlength=len(centres))
        shares = ", ".join(f"{size / len(found.matrix):.0%}" for size in sizes)
        rows.note(f"{len(centres)} clusters with {shares} of the rows")
        return Clusters(found.encoding, centres)

    def labels(self, artifact: Any) -> tuple[Label, ...]:
        """Numbers the clusters; the rest comes last."""
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
