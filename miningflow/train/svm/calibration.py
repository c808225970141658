"""Probabilities of classes, learned from decisions about rows that were held out in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from miningflow.declare import LearningError, TrainingRows
from miningflow.learn.platt import fit_sigmoids
from miningflow.learn.svm import kernel_of
from miningflow.learn.threads import single_blas_thread
from miningflow.train.class_shares import applied_shares
from miningflow.train.predictors import fetch_encoded
from miningflow.train.svm.multiclass import classes_of, fit_machine
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.svm.training import MachineSpec

FOLDS = 5


def calibrated(rows: TrainingRows, spec: MachineSpec, saved: SavedMachine) -> SavedMachine:
    """Adds a sigmoid for each decision value to a machine.

    The machine is learned again without each of five folds, from at most `sample_size` rows, and
    decides about the rows of that fold. Weights of classes only move decisions: sigmoids are fitted
    to rows without them, so that probabilities are those of the rows. Weights of a feature say how
    many rows each row stands for, to sigmoids too.
    """
    weighting = spec.weighting
    data = fetch_encoded(
        rows, saved.encoding, spec.target, spec.sample_size, spec.seed, weighting.features
    )
    classes = classes_of(saved.machine)
    codes = np.array([classes.index(label) for label in data.labels], dtype=np.intp)
    counts = np.bincount(codes, minlength=len(classes))
    folds = min(FOLDS, int(counts.min()))
    if folds < 2:
        rare = classes[int(counts.argmin())]
        raise LearningError(
            f"class {rare!r} of {spec.target.name!r} has {counts.min()} training rows; "
            "probabilities need at least two",
            "leave `probability` out, or provide more rows",
        )
    kernel = kernel_of(spec.kernel, spec.gamma, spec.degree, spec.constant, data.matrix)
    price = spec.C * saved.rows / len(codes)  # errors of a sample weigh as those of all rows
    costs = weighting.of_rows(data.columns, data.labels, saved.class_weights)
    weights = weighting.given(data.columns)

    def decide(learned: np.ndarray, held_out: np.ndarray, fold: int) -> np.ndarray:
        rows.progress(fold / folds, f"probabilities: without fold {fold + 1} of {folds}")
        X, known = data.matrix[learned], codes[learned]
        paid = None if costs is None else costs[learned]
        sampled = saved.rows > len(codes)
        machine = fit_machine(X, known, classes, kernel, spec, price, paid, sampled)
        return machine.decide(data.matrix[held_out]).decisions

    with single_blas_thread():
        sigmoids = fit_sigmoids(codes, len(classes), folds, spec.seed, decide, weights)
    heavy = np.bincount(codes, weights, minlength=len(classes)).tolist()
    prior = applied_shares(rows, spec.target, dict(zip(classes, heavy, strict=True)))
    if prior is not None:
        sigmoids = tuple(
            sigmoid.shifted(prior.log_odds_ratio(name))
            for sigmoid, name in zip(sigmoids, classes[-len(sigmoids) :], strict=True)
        )
    return replace(saved, sigmoids=sigmoids)
