"""The choice of SQL for a model, and what it is expected to cost."""

from __future__ import annotations

import numpy as np
import pytest

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial, Sigmoid
from miningflow.learn.machines import LinearModels
from miningflow.sql.models.cost import Shape, choose


def _model(kernel: Kernel, vectors: int, width: int, outputs: int = 1) -> KernelModel:
    random = np.random.default_rng(vectors)
    support, coefficients = random.normal(size=(vectors, width)), np.ones((outputs, vectors))
    return KernelModel(support, coefficients, np.zeros(outputs), kernel)


def _chosen(kernel: Kernel, vectors: int, width: int, outputs: int = 1) -> Shape:
    return choose(_model(kernel, vectors, width, outputs), width)


def test_weights_become_sums() -> None:
    one = choose(LinearModels(np.ones((1, 20)), np.zeros(1)), 20)
    five = choose(LinearModels(np.ones((5, 20)), np.zeros(5)), 20)
    assert (one.name, five.name) == ("one sum", "5 sums")
    assert 0.02 < one.seconds_per_million < 0.1
    assert 2 < five.seconds_per_million / one.seconds_per_million < 5


@pytest.mark.parametrize("kernel", [Radial(0.1), Sigmoid(0.1, 0.0)])
def test_one_output_is_summed_over_blocks(kernel: Kernel) -> None:
    few, many = _chosen(kernel, 1_000, 10), _chosen(kernel, 5_000, 10)
    assert (few.name, few.kind, few.block) == ("support vectors in blocks of 8", "blocks", 8)
    assert "1,000 kernel values" in few.why
    assert many.seconds_per_million / few.seconds_per_million == pytest.approx(5, rel=0.1)


@pytest.mark.parametrize(
    ("vectors", "block"), [(1, 1), (3, 3), (9, 5), (95, 5), (100, 5), (104, 8), (199, 8), (201, 8)]
)
def test_few_support_vectors_leave_few_places_empty(vectors: int, block: int) -> None:
    assert _chosen(Radial(0.1), vectors, 4).block == block


def test_values_that_are_used_again_are_kept_in_lists() -> None:
    assert _chosen(Radial(0.1), 100, 4, outputs=2).kind == "lists"
    far = _chosen(Radial(1e4), 100, 4)
    assert (far.kind, far.far) == ("lists", True)
    assert far.seconds_per_million > _chosen(Radial(0.1), 100, 4).seconds_per_million


@pytest.mark.parametrize(("width", "pieces"), [(1, 1), (30, 1), (47, 1), (64, 2), (200, 6)])
def test_long_vectors_are_cut(width: int, pieces: int) -> None:
    assert _chosen(Radial(0.001), 20, width).pieces == pieces


@pytest.mark.parametrize(
    ("degree", "width", "vectors", "kind"),
    [
        (2, 10, 1_000, "monomials"),
        (3, 10, 1_000, "monomials"),
        (3, 20, 1_000, "monomials"),
        (3, 20, 50, "lists"),  # 1,771 monomials cost more than 50 support vectors
        (3, 30, 5_000, "lists"),  # 5,456 are too many to plan
        (31, 1, 1_000, "lists"),  # too many levels
    ],
)
def test_monomials_are_taken_where_they_are_cheaper(
    degree: int, width: int, vectors: int, kind: str
) -> None:
    assert _chosen(Polynomial(degree, 0.1, 1.0), vectors, width).kind == kind


def test_monomials_that_would_overflow_are_not_taken() -> None:
    model = _model(Polynomial(3, 1.0, 1.0), 100, 2)
    model.support[0, 0] = 1e120
    assert choose(model, 2).kind == "lists"


def test_without_support_vectors_there_is_nothing_to_compute() -> None:
    empty = KernelModel(np.zeros((0, 2)), np.zeros((1, 0)), np.zeros(1), Radial(1.0))
    assert choose(empty, 2).name == "constant"
