"""Shared by machines with labels: their support vectors can be reduced."""

from __future__ import annotations

from dataclasses import replace

from miningflow.declare import LearningError, TrainingRows, number, operator
from miningflow.learn.compression import compressed
from miningflow.learn.kernels import KernelModel
from miningflow.learn.threads import single_blas_thread
from miningflow.train.predictors import fetch_encoded
from miningflow.train.svm.saved_machine import SavedMachine

from .svm_machine import SupportVectorMachine


@operator
class Compressible(SupportVectorMachine):
    """Shared by machines with labels: their support vectors can be reduced."""

    compress: float | None = number(
        "the share of labels that may change when the support vectors are replaced by fewer; it is "
        "measured on rows held out for that; refused if it cannot be met",
        default=None,
        minimum=0.0,
        maximum=0.5,
    )

    def compressed(self, rows: TrainingRows, saved: SavedMachine) -> SavedMachine:
        """Returns the smallest machine found within the bound."""
        assert self.compress is not None
        model = saved.machine.model
        if not isinstance(model, KernelModel):
            rows.note("compress: a linear machine has no support vectors, so it is unchanged")
            return saved
        data = fetch_encoded(rows, saved.encoding, None, self.sample_size, self.seed)
        rows.progress(0.9, f"compressing {len(model.support):,} support vectors")
        with single_blas_thread():
            found = compressed(saved.machine, data.matrix, self.compress, self.seed)
        if found.machine is None:
            raise LearningError(
                f"compress: {self.compress:g} cannot be met: {found.why}",
                "allow more changed labels, set a larger `sample_size`, or leave `compress` out",
            )
        rows.note(found.why)
        return replace(saved, machine=found.machine, how=f"{saved.how}; {found.why}")
