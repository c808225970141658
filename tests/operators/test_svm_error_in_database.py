"""The ξα-estimate from all rows of a database, against the one in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from support.database_machines import module, training_rows

from miningflow.engines import Session, open_engine
from miningflow.learn.selection.estimates import XiAlphaEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import LinearKernel

N = 1500
TYPES = {
    "id": "key",
    "a": "numeric",
    "b": "numeric",
    "c": "numeric",
    "flat": "numeric",
    "kind": "nominal",
    "label": "binary",
}
NAMES = ["a", "b", "c", "flat", "kind"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    random = np.random.default_rng(9)
    a, b, c = random.normal(size=N) * 3 + 1, random.normal(size=N), random.exponential(size=N)
    kind = random.choice(["p", "q", "r"], N)
    side = a / 3 - b + (kind == "q") + 0.7 * random.normal(size=N)
    label = np.where(side > 0.6, "yes", "no")
    flat = np.full(N, 2.0)
    columns = {"id": np.arange(N), "a": a, "b": b, "c": c, "flat": flat, "kind": kind}
    engine = open_engine("duckdb:///store.duckdb", tmp_path_factory.mktemp("store"))
    with engine.session() as opened:
        opened.register("given", pa.table({**columns, "label": label}))
        opened.execute('CREATE TABLE "T" AS FROM given')
        yield opened
    engine.close()


@pytest.mark.parametrize("farthest", [1000, 20])
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.slow
def test_it_is_the_estimate_in_memory(
    session: Session, C: float, farthest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = module("xi_alpha_error")
    monkeypatch.setattr(there, "FARTHEST", farthest)
    training = training_rows(session, types=TYPES)
    features = training.concept.features
    learn = module("learned_encoding")
    complete = learn.count_complete(training, [features[n] for n in NAMES], features["label"])
    found = learn.learn_encoding_in_database(training, complete, [features[n] for n in NAMES])
    target = module("training_columns").Classes("label", "yes")
    columns = training.fetch([*NAMES, "label"])
    signs = np.where(columns["label"] == "yes", 1.0, -1.0)
    smaller = int(min((signs > 0).sum(), (signs < 0).sum()))
    error = there.ErrorInDatabase(
        training, found.encoding, found.constant, target, complete.count, smaller, C, 2.0
    )
    X = found.encoding.encode({name: columns[name] for name in NAMES})
    groups = ColumnGroups.of(X, found.encoding.groups, LinearKernel())
    estimate = XiAlphaEstimate(signs, C, 2.0, 1e-4)
    # Without signal α is not unique, and so the estimate is not.
    for subset in [(0, 1, 2, 3, 4), (0, 1), (1, 3, 4), (1,), (3,), ()]:
        right = smaller / N if subset in ((3,), ()) else estimate(groups.subset(subset))
        assert error(subset) == pytest.approx(right, abs=3 / N)
