"""Machines with fewer support vectors, if hardly a label changes."""

from __future__ import annotations

from dataclasses import replace

from miningflow.declare import LearningError, TrainingRows, number, operator
from miningflow.learn.compression import compressed
from miningflow.learn.kernels import KernelModel
from miningflow.learn.threads import single_blas_thread

from .predictors import fetch_encoded
from .svm_machine import SupportVectorMachine
from .svm_saved import SavedMachine


@operator
class Compressible(SupportVectorMachine):
    """What machines with labels share: they may be made smaller."""

    compress: float | None = number(
        "replace the support vectors by fewer ones, such that at most this share of labels changes "
        "on rows held out from it; refused if that cannot be",
        default=None,
        minimum=0.0,
        maximum=0.5,
    )

    def compressed(self, rows: TrainingRows, saved: SavedMachine) -> SavedMachine:
        """Gives the smallest machine that was found within the bound."""
        assert self.compress is not None
        model = saved.machine.model
        if not isinstance(model, KernelModel):
            rows.note("compress: a linear machine has no support vectors; it stays as it is")
            return saved
        data = fetch_encoded(rows, saved.encoding, None, self.sample_size, self.seed)
        rows.progress(0.9, f"compressing {len(model.support):,} support vectors")
        with single_blas_thread():
            found = compressed(saved.machine, data.matrix, self.compress, self.seed)
        if found.machine is None:
            raise LearningError(
                f"compress: {self.compress:g} does not hold: {found.why}",
                "allow more changed labels, give a larger `sample_size`, or leave `compress` out",
            )
        rows.note(found.why)
        return replace(saved, machine=found.machine, how=f"{saved.how}; {found.why}")
