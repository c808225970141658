"""Operators that select features: by hand, or by what a support vector machine makes of them."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np

from miningflow.declare import (
    Concept,
    Feature,
    FeatureSelection,
    Notes,
    Selection,
    TrainingRows,
    boolean,
    choice,
    feature,
    features,
    integer,
    literal,
    number,
    operator,
)
from miningflow.declare.selection import Trial

from .classes import positive_rows
from .predictors import PREDICTOR_TYPES, fetch_predictors


@operator
class FeatureSelectionByAttributes(FeatureSelection):
    """Selects features by hand: those to drop, or those to keep of a superset.

    With `keep`, the features of `attributes` that are not kept are dropped; `attributes` are all
    features if it is not given. Keys and features of relations always stay. If an earlier step
    deselected all features that are named, nothing more is dropped.
    """

    example: ClassVar[str] = """
    slim:
      operator: FeatureSelectionByAttributes
      input: Customer
      drop: [household, since]
    """

    attributes: tuple[Feature, ...] | None = features(
        "the superset to drop from, all features if not given", default=None
    )
    keep: tuple[Feature, ...] | None = features("the features that stay", default=None)
    drop: tuple[Feature, ...] | None = features("the features that go", default=None)

    def candidates(self) -> tuple[Feature, ...]:
        """Gives exactly the features that are dropped."""
        if self.keep is None:
            return self.drop or ()
        kept = {f.name for f in self.keep} | self.input.bound_features
        superset = self.attributes or tuple(self.input.features.values())
        return tuple(f for f in superset if f.name not in kept)

    def training_features(self) -> tuple[str, ...]:
        """Reads no rows."""
        return ()

    def least(self) -> int:
        """Keeps none of what is to be dropped."""
        return 0

    def outline(self, notes: Notes) -> Concept:
        """Wants either `keep` or `drop`."""
        if (self.keep is None) == (self.drop is None):
            notes.mistake("", "FeatureSelectionByAttributes needs either 'keep' or 'drop'")
            return self.input
        if self.attributes is not None:
            superset = {f.name for f in self.attributes}
            for parameter, chosen in (("keep", self.keep), ("drop", self.drop)):
                for feature in chosen or ():
                    if feature.name not in superset:
                        notes.mistake(parameter, f"{feature.name!r} is not among the attributes")
        return super().outline(notes)

    def learn(self, rows: TrainingRows) -> Selection:
        """Reads no data: the choice is in the parameters."""
        dropped = tuple(f.name for f in self.candidates())
        kept = tuple(name for name in self.input.features if name not in dropped)
        return Selection(kept, dropped, "selected by hand", {})


@operator
class FeatureSelectionWithSVM(FeatureSelection):
    """Searches for the features with which a support vector machine errs least.

    The error is estimated from one training per subset by the ξα-estimate: the share of examples
    with ρ·α·R² + ξ ≥ 1, which bounds the leave-one-out error from above (T. Joachims; for feature
    selection T. Euler, MiningMart, 2002). `backward` starts with all attributes and removes one
    after the other, `forward` starts with none and adds. `accept_equal` goes on while the estimate
    does not get worse, which finds smaller sets. Rows with NULL in an attribute or in the target
    are not used. Attributes are standardised; nominal ones become indicators that stay together.
    (In MiningMart: TheTargetAttribute, PositiveTargetValue, TheAttributes, SearchDirection.)
    """

    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionWithSVM
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      direction: backward
    """
    version: ClassVar[int] = 1

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str = literal("the value of the target that is the positive class")
    attributes: tuple[Feature, ...] = features(
        "the superset that features may be dropped from", types=PREDICTOR_TYPES, minimum=1
    )
    kernel: str = choice("the kernel of the machine", ["linear", "radial"], default="linear")
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    gamma: float | None = number(
        "the width of the radial kernel; by default 1 / number of columns",
        default=None,
        minimum=1e-12,
    )
    epsilon: float = number("the tolerance of the solver", default=1e-3, minimum=1e-9)
    direction: str = choice("where the search starts", ["backward", "forward"], default="backward")
    accept_equal: bool = boolean("go on while the estimate is equal", default=False)
    rho: float = number(
        "the factor ρ of the estimate; 1 is MiningMart's, 2 never is too low",
        default=2.0,
        minimum=1e-9,
    )
    sample_size: int = integer("how many examples to learn from at most", default=500, minimum=10)
    seed: int = integer("another seed draws other examples", default=0)

    def learn(self, rows: TrainingRows) -> Selection:
        """Runs the search."""
        from miningflow.learn.selection.xi_alpha import XiAlphaSelector

        names = [f.name for f in self.attributes]
        data = fetch_predictors(rows, self.attributes, self.target, self.sample_size, self.seed)
        labels = positive_rows(data.columns[self.target.name], self.target, self.positive)
        most = len(names) * (len(names) + 1) // 2
        tried: list[Any] = []

        def tell(trial: Any) -> None:
            tried.append(trial)
            rows.progress(
                min(1.0, len(tried) / most),
                f"{len(tried)} subsets tried, {len(trial.subset)} features, "
                f"least error so far {min(t.error for t in tried):.3f}",
            )

        selector = XiAlphaSelector(
            kernel=cast(Any, self.kernel),
            C=self.C,
            gamma=self.gamma,
            tolerance=self.epsilon,
            direction=cast(Any, self.direction),
            accept_equal=self.accept_equal,
            rho=self.rho,
            groups=np.asarray(data.encoding.groups),
            callback=tell,
        )
        selector.fit(data.matrix, labels)
        kept = [names[g] for g in np.flatnonzero(selector.group_support_)]
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(_trial(t, names) for t in selector.trace_)
        first = {t.changed: t.value for t in trace if t.level == 1}
        reason = (
            f"{self.direction} search: ξα error {trace[0].value:.3f} with "
            f"{len(trace[0].kept)} → {selector.error_:.3f} with {len(kept)} features"
        )
        rows.note(f"{reason}; {len(trace)} subsets tried on {len(labels)} rows")
        return Selection(tuple(kept), dropped, reason, first, trace)


def _trial(trial: Any, names: list[str]) -> Trial:
    return Trial(
        trial.level,
        tuple(names[g] for g in trial.subset),
        "" if trial.changed is None else names[trial.changed],
        float(trial.error),
        bool(trial.accepted),
    )
