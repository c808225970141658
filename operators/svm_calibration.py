"""Probabilities of classes, learned from decisions about rows that were held out in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from miningflow.declare import LearningError, TrainingRows
from miningflow.learn.platt import fit_sigmoids
from miningflow.learn.svm import kernel_of
from miningflow.learn.threads import single_blas_thread

from .predictors import fetch_encoded
from .svm_classes import classes_of, fit_machine
from .svm_saved import SavedMachine
from .svm_training import Wish

FOLDS = 5


def calibrated(rows: TrainingRows, wish: Wish, saved: SavedMachine) -> SavedMachine:
    """Adds a sigmoid for each decision value to a machine.

    The machine learns anew without each of five folds, from at most `sample_size` rows, and decides
    about the rows of that fold.
    """
    data = fetch_encoded(rows, saved.encoding, wish.target, wish.sample_size, wish.seed)
    classes = classes_of(saved.machine)
    codes = np.array([classes.index(label) for label in data.labels], dtype=np.intp)
    counts = np.bincount(codes, minlength=len(classes))
    folds = min(FOLDS, int(counts.min()))
    if folds < 2:
        rare = classes[int(counts.argmin())]
        raise LearningError(
            f"class {rare!r} of {wish.target.name!r} has {counts.min()} rows to learn from; "
            "probabilities need two at least",
            "leave `probability` out, or give more rows",
        )
    kernel = kernel_of(wish.kernel, wish.gamma, wish.degree, wish.constant, data.matrix)
    price = wish.C * saved.rows / len(codes)  # errors of a sample weigh as those of all rows

    def decide(learned: np.ndarray, held_out: np.ndarray, fold: int) -> np.ndarray:
        rows.progress(fold / folds, f"probabilities: without fold {fold + 1} of {folds}")
        X, known = data.matrix[learned], codes[learned]
        machine = fit_machine(X, known, classes, kernel, wish, price, saved.rows > len(codes))
        return machine.decide(data.matrix[held_out]).decisions

    with single_blas_thread():
        sigmoids = fit_sigmoids(codes, len(classes), folds, wish.seed, decide)
    return replace(saved, sigmoids=sigmoids)
