"""What machine to learn, and what was learned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from miningflow.declare import Feature
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import KernelModel, KernelName
from miningflow.learn.machines import LinearModels
from miningflow.train.row_weights import Weighting

Model = LinearModels | KernelModel
Loss = Literal["hinge", "squared_hinge"]
UseDatabase = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class MachineSpec:
    """What machine to learn, and where."""

    predictors: tuple[Feature, ...]
    target: Feature
    kernel: KernelName
    C: float
    gamma: float | None
    degree: int
    constant: float
    loss: Loss
    """The squared hinge loss is for two classes with a linear kernel."""
    epsilon: float
    """Errors of a predicted number up to this size cost nothing."""
    tolerance: float
    use_db_svm: UseDatabase
    """Whether to learn inside the database; `auto` does so if there are more rows than a sample."""
    sample_size: int
    seed: int
    weighting: Weighting = field(default_factory=Weighting)
    """How much rows weigh: their weight times C is the cost of an error about them."""


@dataclass(frozen=True)
class Learned:
    """A machine, what it was learned from, and how."""

    encoding: Encoding
    model: Model
    rows: int
    how: str
    negative: str = ""
    """The class that is not the positive one, if there are two."""
    class_weights: dict[str, float] = field(default_factory=dict)
    """The weight of each class, if they have any."""


class NotInDatabase(Exception):
    """A machine cannot be learned inside the database; has the reason and a remedy."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


def describe_passes(passes: int, before: int) -> str:
    """Returns the number of passes over all rows, and of those in an interrupted run, in words."""
    count = f"{passes} pass{'' if passes == 1 else 'es'}"
    return f"{count} after {before} of an interrupted run" if before else count
