"""The operator: parameters as fields, and three verbs: outline, learn, emit."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

import numpy as np
import numpy.typing as npt

from miningflow.declare.concept import Concept
from miningflow.declare.estimates import Amount, ConceptEstimate, carried
from miningflow.declare.parameters import Parameter, parameters_of
from miningflow.declare.rows import TrainingRows
from miningflow.sql.block import Block, Source

Family = Literal[
    "rows",
    "joining",
    "aggregation",
    "segmentation",
    "series",
    "construction",
    "selection",
    "learning",
    "patterns",
    "evaluation",
]


@dataclass
class Notes:
    """Collects what outline finds wrong with the parameters: (parameter, message, hint)."""

    mistakes: list[tuple[str, str, str]] = field(default_factory=list)

    def mistake(self, parameter: str, message: str, hint: str = "") -> None:
        """Notes a mistake in the value of a parameter."""
        self.mistakes.append((parameter, message, hint))


@dataclass(frozen=True, eq=False)
class Expected:
    """What a model itself predicts for some rows, to compare its SQL with."""

    values: Mapping[str, npt.NDArray[Any]]
    """Prediction feature → a number or a class for each row."""
    known: npt.NDArray[np.bool_]
    """Which rows have a prediction; the others have NULL."""
    margins: npt.NDArray[np.float64]
    """How much a decision would have to change for another class, relative to the largest one."""
    scale: float
    """The size of the numbers that decisions are made of, which rounding is relative to."""


@dataclass(frozen=True)
class Export:
    """A file that the rows of a step are written to, within the export folder of the case."""

    path: str
    format: str


@dataclass(frozen=True)
class Operator:
    """What every operator is. Declare parameters as fields, then write the verbs.

    `outline` derives the output concept and needs no data. `learn`, if the operator learns, turns
    training rows into an artifact, a frozen dataclass that is stored. `emit` turns the inputs and
    the artifact into a block of SQL whose columns are exactly the features of the outline.
    An operator sees only features that are present: deselected ones are gone from its parameters.
    """

    family: ClassVar[Family]
    example: ClassVar[str]
    """A step in YAML over the concepts Customer and Claim; the docs and the tests use it."""
    version: ClassVar[int] = 1
    """Part of the fingerprint: raise it when the same parameters would give another result."""
    learns: ClassVar[type[Any] | None] = None
    """The class of the artifact, for operators that learn."""
    fuses: ClassVar[bool] = False
    """Whether the block only adds columns to its input, so that a run of steps is one SELECT."""
    builds: ClassVar[Literal["view", "table"]] = "view"
    reports: ClassVar[bool] = False
    """Whether the rows of the output belong into the summary of a run."""
    scores: ClassVar[bool] = False
    """Whether the step applies a model, so that `miningflow score` can stop at it."""

    def outline(self, notes: Notes) -> Concept:
        """Derives the output concept from the parameters."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Any:
        """Learns the artifact from training rows."""
        raise NotImplementedError

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Gives the SQL over the inputs, which are found by the name of their concept."""
        raise NotImplementedError

    def prediction_features(self) -> tuple[str, ...]:
        """Names the features that hold what a model predicts."""
        return ()

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected | None:
        """Computes what the SQL should predict from these training features; None: no model."""
        return None

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Tells by topic about the model that was learned, or, without one, that will be."""
        return {}

    def exported(self) -> Export | None:
        """Names the file that a run writes the output to; None: there is none."""
        return None

    def estimated(self, inputs: Mapping[str, ConceptEstimate], output: Concept) -> ConceptEstimate:
        """Estimates rows, missing and different values of the output, before anything runs.

        A model keeps the rows and all features but those that it makes; of other operators nothing
        is known unless they say so.
        """
        given = list(inputs.values())
        if self.family == "learning":
            made = self._made_features()
            return carried(given[0].rows, given, output).without_knowledge(made)
        return carried(Amount(), given, output).without_knowledge(output.features)

    def _made_features(self) -> set[str]:
        """Names the features that are new, or replaced where no new name is given."""
        made = set(self.prediction_features())
        for parameter in self.parameters():
            if parameter.kind == "new_feature":
                name = getattr(self, parameter.name)
                made.add(name or getattr(getattr(self, "target", None), "name", ""))
        return made

    def training_features(self) -> tuple[str, ...]:
        """Names the features that `learn` reads; by default those of the feature parameters."""
        names: list[str] = []
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            if parameter.kind == "feature" and value is not None:
                names.append(value.name)
            elif parameter.kind == "features" and value is not None:
                names += [f.name for f in value]
        return tuple(dict.fromkeys(names))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Gives the declared parameters, in order."""
        return parameters_of(cls)

    @classmethod
    def doc(cls) -> str:
        """Gives the docstring as clean text."""
        return inspect.cleandoc(cls.__doc__ or "")


T = TypeVar("T")


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(dataclasses.field,),
)
def operator(cls: type[T]) -> type[T]:
    """Makes a frozen dataclass of an operator class, so that its parameters become fields."""
    return dataclass(frozen=True, kw_only=True)(cls)
