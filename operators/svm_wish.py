"""What machine to learn, and what was learned."""

from __future__ import annotations

from dataclasses import dataclass

from miningflow.declare import Feature
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import KernelModel
from miningflow.learn.machines import LinearModels

Model = LinearModels | KernelModel


@dataclass(frozen=True)
class Wish:
    """What machine to learn, and where."""

    predictors: tuple[Feature, ...]
    target: Feature
    kernel: str
    """`linear`, `polynomial`, `radial` or `sigmoid`."""
    C: float
    gamma: float | None
    degree: int
    constant: float
    loss: str
    """`hinge`, or `squared_hinge` for two classes with a linear kernel."""
    epsilon: float
    """Errors of a predicted number up to this size cost nothing."""
    tolerance: float
    use_db_svm: str
    """`auto`, `always` or `never`."""
    sample_size: int
    seed: int


@dataclass(frozen=True)
class Learned:
    """A machine, what it was learned from, and how."""

    encoding: Encoding
    model: Model
    rows: int
    how: str
    negative: str = ""
    """The class that is not the positive one, if there are two."""


class NotInDatabase(Exception):
    """A machine cannot be learned inside the database; says why, and what would help."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


def told_passes(passes: int, before: int) -> str:
    """Says how many passes over all rows it took, and how many an interrupted run had taken."""
    told = f"{passes} pass{'' if passes == 1 else 'es'}"
    return f"{told} after {before} of an interrupted run" if before else told
