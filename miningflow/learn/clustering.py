"""Clusters of points: k-means, with a number of clusters that is given or found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix

Progress = Callable[[float, str], None]

# Lloyd's algorithm ends in a local optimum; the best of this many starts is taken.
STARTS = 10


def cluster(
    points: Matrix,
    at_most: int,
    optimize: bool,
    seed: int,
    progress: Progress = lambda done, message: None,
) -> Matrix:
    """Returns the centres of clusters, the largest cluster first.

    With `optimize`, the number of clusters from 2 up is the one with the greatest variance ratio
    (Caliński and Harabasz, 1974): variance between over variance within, each per degree of
    freedom. Without it, there are `at_most` clusters. There are never more than distinct points.
    """
    from miningflow.learn.scikit_learn import KMeans

    distinct = len(np.unique(points, axis=0))
    most = min(at_most, distinct)
    tried = range(2, most + 1) if optimize else [most]
    total = float(((points - points.mean(axis=0)) ** 2).sum())
    best: tuple[float, KMeans] | None = None
    for k in tried:
        progress((k - 2) / max(1, most - 1), f"{k} clusters")
        model = KMeans(k, n_init=STARTS, random_state=seed).fit(points)
        ratio = _variance_ratio(total, float(model.inertia_), k, len(points))
        if best is None or ratio > best[0]:
            best = ratio, model
    if best is None:  # all points are the same one
        return points[:1].copy()
    _, chosen = best
    sizes = np.bincount(chosen.labels_, minlength=chosen.n_clusters)
    centres: Matrix = chosen.cluster_centers_
    order = np.lexsort([*centres.T[::-1], -sizes])
    return centres[order]


def nearest(points: Matrix, centres: Matrix) -> NDArray[np.int64]:
    """Returns the number of the nearest centre of each point, the first of equally near ones."""
    distances = ((points[:, np.newaxis, :] - centres[np.newaxis]) ** 2).sum(axis=2)
    found: NDArray[np.int64] = distances.argmin(axis=1)
    return found


def _variance_ratio(total: float, within: float, k: int, n: int) -> float:
    if n <= k or within <= 0:
        return np.inf
    return (total - within) / (k - 1) / (within / (n - k))
