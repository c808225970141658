"""The operator: parameters as fields, and three verbs: outline, learn, emit."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

import numpy as np
import numpy.typing as npt

from miningflow.declare.compared import Compared
from miningflow.declare.concept import Concept
from miningflow.declare.estimates import Amount, ConceptEstimate, carried
from miningflow.declare.kinds.features import FeatureList, FeatureName, NewFeature
from miningflow.declare.parameters import Parameter, parameters_of
from miningflow.declare.rows import TrainingRows
from miningflow.learn.encoding import Encoding
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

BASELINE = "baseline_"
"""What stands before a measure in the name of its baseline, in the rows of a report."""


@dataclass
class Notes:
    """Collects what outline finds wrong with the parameters: (parameter, message, hint)."""

    diagnostics: list[tuple[str, str, str]] = field(default_factory=list)

    def error(self, parameter: str, message: str, hint: str = "") -> None:
        """Notes an error in the value of a parameter."""
        self.diagnostics.append((parameter, message, hint))


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
class ScoreNeeds:
    """What a model needs of a row to give it a score, and what it learned from."""

    encoding: Encoding
    rows: int
    """How many rows it learned from."""
    used: frozenset[str]
    """The predictors that it reads."""
    null_is_fine: bool
    """Whether a row with NULL gets a score."""
    standardized: bool
    """Whether the encoding has the means and deviations of the predictors."""


@dataclass(frozen=True)
class Refused:
    """A value of a parameter that should occur in a feature of the input, and perhaps does not."""

    parameter: str
    feature: str
    value: str


@dataclass(frozen=True)
class Operator:
    """What every operator is. Declare parameters as fields, then write the verbs.

    `outline` derives the output concept and needs no data. `learn`, if the operator learns, turns
    training rows into an artifact, a frozen dataclass that is stored. `emit` turns the inputs and
    the artifact into a block of SQL whose columns are exactly the features of the outline.
    An operator sees only features that are present: deselected ones are gone from its parameters.
    """

    family: ClassVar[Family]
    alias: ClassVar[str] = ""
    """A short name that a case may write instead. Like `finds`, it is not inherited."""
    finds: ClassVar[tuple[str, ...]] = ()
    """What people search for who need the operator, such as `impute`."""
    example: ClassVar[str]
    """A step in YAML over the concepts Customer and Claim; the docs and the tests use it."""
    version: ClassVar[int] = 1
    """Part of the fingerprint: raise it when the same parameters give a different result."""
    learns: ClassVar[type[Any] | None] = None
    """The class of the artifact, for operators that learn."""
    learns_numbers_itself: ClassVar[bool] = False
    """Whether `learn` refuses NaN and infinity, or has a use for them; where it does not, they are
    refused before it is called."""
    fuses: ClassVar[bool] = False
    """Whether the block only adds columns to its input, so that a run of steps is one SELECT."""
    builds: ClassVar[Literal["view", "table"]] = "view"
    applies_model: ClassVar[bool] = False
    """Whether the block computes a model for each row: the step becomes a table, since engines
    compute the columns of a view again at each mention."""
    reports: ClassVar[bool] = False
    """Whether the rows of the output belong into the summary of a run."""
    whole_numbers: ClassVar[frozenset[str]] = frozenset()
    """Features of the output that count something, although they are stored as doubles."""
    scores: ClassVar[bool] = False
    """Whether the step applies a model, so that `miningflow score` can stop at it."""

    draws: ClassVar[bool] = False
    """Whether a hash of the key, or of all features without one, decides on rows or values."""

    def __init_subclass__(cls) -> None:
        if "alias" not in vars(cls):
            cls.alias = ""
        if "finds" not in vars(cls):
            cls.finds = ()

    def outline(self, notes: Notes) -> Concept:
        """Derives the output concept from the parameters."""
        raise NotImplementedError

    def revision(self, learns_elsewhere: bool) -> int:
        """Returns the version that the fingerprint of a step holds.

        It may be higher than `version` for steps with some parameters, or with `learn_on`, so that
        no others are built again.
        """
        return self.version

    def learn(self, rows: TrainingRows) -> Any:
        """Learns the artifact from training rows."""
        raise NotImplementedError

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Returns the SQL over the inputs, which are found by the name of their concept."""
        raise NotImplementedError

    def refusal(self, rows: Sequence[Mapping[str, Any]]) -> Refused | None:
        """Returns what the rows of a report show to be wrong; the run then looks at the input."""
        return None

    def compared(self, inputs: Mapping[str, Source]) -> Compared | None:
        """Returns the rows that an evaluation compares; None: the operator evaluates nothing."""
        return None

    def score_needs(self, artifact: Any) -> ScoreNeeds | None:
        """Returns what a model needs of the rows it is applied to; None: nothing is known."""
        return None

    def prediction_features(self) -> tuple[str, ...]:
        """Names the features that hold what a model predicts."""
        return ()

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected | None:
        """Computes what the SQL should predict from these training features; None: no model."""
        return None

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Describes, by topic, the model that was learned, or that will be."""
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
            made = self.made_features()
            return carried(given[0].rows, given, output).without_knowledge(made)
        return carried(Amount(), given, output).without_knowledge(output.features)

    def made_features(self) -> set[str]:
        """Names the features that are new, or replaced where no new name is given."""
        made = set(self.prediction_features())
        for parameter in self.parameters():
            if isinstance(parameter.kind, NewFeature):
                name = getattr(self, parameter.name)
                made.add(name or getattr(getattr(self, "target", None), "name", ""))
        return made

    def training_features(self) -> tuple[str, ...]:
        """Names the features that `learn` reads; by default those of the feature parameters."""
        names: list[str] = []
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            if isinstance(parameter.kind, FeatureName) and value is not None:
                names.append(value.name)
            elif isinstance(parameter.kind, FeatureList) and value is not None:
                names += [f.name for f in value]
        return tuple(dict.fromkeys(names))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Returns the declared parameters, in order."""
        return parameters_of(cls)

    @classmethod
    def doc(cls) -> str:
        """Returns the docstring as clean text."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def purpose(cls) -> str:
        """Returns the first line of the docstring: in a sentence, what the operator does."""
        return cls.doc().partition("\n")[0]


T = TypeVar("T")


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(dataclasses.field,),
)
def operator(cls: type[T]) -> type[T]:
    """Makes a frozen dataclass of an operator class, so that its parameters become fields."""
    return dataclass(frozen=True, kw_only=True)(cls)
