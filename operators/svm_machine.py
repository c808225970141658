"""Shared by support vector machines: predictors, kernel, missing values, and their SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    LearningError,
    Notes,
    Operator,
    ScoreNeeds,
    TrainingRows,
    choice,
    concept,
    features,
    integer,
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.declare.output_notes import note_copied, note_taken
from miningflow.learn.kernels import SCIKIT_LEARN_NAMES, KernelModel, KernelName
from miningflow.sql.block import Block, Source, over
from miningflow.sql.conditions import is_null, when
from miningflow.sql.failing import failing
from miningflow.sql.literals import column, unused
from miningflow.sql.models.cost import choose
from miningflow.sql.models.decisions import decided
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.train.predictors import PREDICTOR_TYPES
from miningflow.train.row_weights import NO_WEIGHTS, Weighting, weighted
from miningflow.train.svm.machine_spec import Loss, MachineSpec, UseDatabase
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.typical_values import typical_values

# Names of kernels in MiningMart, and their names here.
HISTORICAL = {"dot": "linear", "neural": "sigmoid"}


@operator
class SupportVectorMachine(Operator):
    """Shared by all machines: predictors, kernel, and the decision function as SQL."""

    family: ClassVar[Family] = "learning"
    scores: ClassVar[bool] = True
    applies_model: ClassVar[bool] = True
    learns_numbers_itself: ClassVar[bool] = True
    version: ClassVar[int] = 3
    learns: ClassVar[type[Any] | None] = SavedMachine

    input: Concept = concept("the concept to learn from and to predict for")
    predictors: tuple[Feature, ...] = features(
        "the features to predict from", types=PREDICTOR_TYPES, minimum=1
    )
    kernel: str = choice(
        "the kernel: x·s, (γ x·s + c)^degree, exp(−γ‖x−s‖²), tanh(γ x·s + c); MiningMart's `dot` "
        "and `neural` are `linear` and `sigmoid`",
        ["linear", "polynomial", "radial", "sigmoid", *HISTORICAL],
        default="radial",
        synonyms=SCIKIT_LEARN_NAMES,
    )
    gamma: float | None = number(
        "the factor γ of the kernel; by default 1 / number of encoded columns",
        default=None,
        minimum=1e-12,
    )
    degree: int = integer("the degree of a polynomial kernel", default=3, minimum=1, maximum=20)
    constant: float | None = number(
        "the constant c of the kernel; by default 1 for `polynomial` and 0 for `sigmoid`",
        default=None,
    )
    nulls: str = choice(
        "what a row with NULL in a predictor gets: `propagate`: NULL; `error`: the query fails; "
        "`impute`: the prediction with the mean or the most frequent category of the training "
        "rows instead",
        ["propagate", "error", "impute"],
        default="propagate",
    )
    sample_size: int = integer(
        "how many rows to learn from in memory, at most", default=10_000, minimum=10
    )
    seed: int = integer("the random seed; a different seed draws different rows", default=0)

    @property
    def weighting(self) -> Weighting:
        """How much rows weigh: all the same, unless a subclass has parameters for it."""
        return NO_WEIGHTS

    @property
    def kernel_name(self) -> str:
        """The current name of the kernel."""
        return HISTORICAL.get(self.kernel, self.kernel)

    @property
    def kernel_constant(self) -> float:
        """The constant of the kernel."""
        if self.constant is None:
            return 1.0 if self.kernel_name == "polynomial" else 0.0
        return self.constant

    def check(self, notes: Notes, outputs: Sequence[str], target: Feature | None = None) -> None:
        """Notes a target among the predictors, existing outputs, and unused kernel parameters."""
        if target is not None:
            note_copied(notes, target, self.predictors, "machine")
        note_taken(notes, self.input, {"output": outputs}, "choose a different name")
        given = {"degree": self.degree != 3, "constant": self.constant is not None}
        used = {"polynomial": {"degree", "constant"}, "sigmoid": {"constant"}}
        for name, is_given in given.items():
            if is_given and name not in used.get(self.kernel_name, set()):
                notes.error(
                    name, f"a {self.kernel_name} kernel has no {name}", f"leave {name!r} out"
                )

    def prepared(
        self, rows: TrainingRows, target: Feature | None = None
    ) -> tuple[TrainingRows, dict[str, str | float]]:
        """Returns the rows to learn from, and the values that replace NULL in them."""
        if target is not None:
            rows = weighted(rows, self.weighting, target)
        if self.nulls == "error":
            self._refuse_nulls(rows)
        if self.nulls != "impute":
            return rows, {}
        values = typical_values(rows, self.predictors)
        return rows.filled(values), values

    def spec(
        self,
        target: Feature,
        C: float,
        use_db_svm: str,
        tolerance: float,
        loss: str = "hinge",
        epsilon: float = 0.0,
        weighting: Weighting = NO_WEIGHTS,
    ) -> MachineSpec:
        """Returns which machine to learn, where, and from which weights of rows."""
        return MachineSpec(
            predictors=self.predictors,
            target=target,
            kernel=cast(KernelName, self.kernel_name),
            C=C,
            gamma=self.gamma,
            degree=self.degree,
            constant=self.kernel_constant,
            loss=cast(Loss, loss),
            epsilon=epsilon,
            tolerance=tolerance,
            use_db_svm=cast(UseDatabase, use_db_svm),
            sample_size=self.sample_size,
            seed=self.seed,
            weighting=weighting,
        )

    def decided(
        self, inputs: Mapping[str, Source], saved: SavedMachine, outputs: Sequence[str]
    ) -> Block:
        """Adds the decision values, and the label if there are classes, to the input."""
        rows = over(inputs[self.input.name])
        columns = encoded(saved.encoding, rows, saved.filling)
        if self.nulls == "error":
            columns = self._guarded(columns)
        return decided(saved.machine, columns, outputs)

    def score_needs(self, artifact: Any) -> ScoreNeeds:
        """Returns the encoding of the predictors, all of which are read."""
        saved: SavedMachine = artifact
        used = frozenset(predictor.name for predictor in saved.encoding.predictors)
        return ScoreNeeds(saved.encoding, saved.rows, used, self.nulls == "impute", True)

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Describes what was learned, and how it is computed."""
        if artifact is None:
            return {"learning": self.where_it_learns()} | self.weighting.described({})
        saved: SavedMachine = artifact
        model = saved.machine.model
        shape = choose(model, saved.encoding.width)
        topics = {
            "machine": saved.described(),
            "learned": f"from {saved.rows:,} rows, {saved.how}",
            "columns": f"{len(self.predictors)} predictors, encoded as {saved.encoding.width}",
            "shape": f"{shape.name}: {shape.why}",
            "expected cost": f"{shape.seconds_per_million:.2g} CPU seconds per million rows "
            "(DuckDB, by the measurements in docs/scoring.md)",
            "NULL": self.nulls,
            **self.weighting.described(saved.class_weights),
        }
        if isinstance(model, KernelModel):
            topics["support vectors"] = f"{len(model.support):,}"
        return topics

    def where_it_learns(self) -> str:
        """Describes where the machine will learn."""
        return f"in memory, from at most {self.sample_size:,} rows"

    def _refuse_nulls(self, rows: TrainingRows) -> None:
        known = {f.name: exp.Count(this=column(f.name)) for f in self.predictors}
        every = unused("rows", known)
        counts = rows.aggregate({every: exp.Count(this=exp.Star()), **known})
        missing = {name: counts[every] - counts[name] for name in known}
        shown = [f"{name!r} ({count:,} rows)" for name, count in missing.items() if count]
        if shown:
            raise LearningError(
                f"the training rows have NULL in {', '.join(shown)}, and `nulls` is `error`",
                "fill them in an earlier step, or set `nulls: propagate` or `nulls: impute`",
            )

    def _guarded(self, columns: ModelInputs) -> ModelInputs:
        """Makes the first predictor fail where any is NULL: every decision reads it."""
        message = f"{self.input.name}: a predictor is NULL, and the machine has `nulls: error`"
        missing = [is_null(column(f.name)) for f in self.predictors]
        first = self.predictors[0].name
        guarded = when(exp.or_(*missing, copy=False), failing(message), column(first))
        return columns.reading(first, guarded)


def where_machine_learns(use_db_svm: str, sample_size: int) -> str:
    """Describes where a machine will learn that can learn in the database."""
    match use_db_svm:
        case "always":
            return "in the database, from all complete rows (use_db_svm: always)"
        case "never":
            return f"in memory, from at most {sample_size:,} rows (use_db_svm: never)"
    return (
        f"in memory if at most {sample_size:,} rows are complete; otherwise in the database from "
        "all of them, or in memory from a sample if that is faster (use_db_svm: auto)"
    )
