"""Selection by a search for the features with which a support vector machine errs least."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

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
class SubsetSearch(FeatureSelection):
    """What searches share: one machine for each subset, and an estimate of its error.

    Rows with NULL in an attribute or in the target are not used. Attributes are standardised;
    nominal ones become indicators that stay together.
    """

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
    estimate: str = choice(
        "the estimate of the error", ["xi_alpha", "span", "cross_validation"], default="xi_alpha"
    )
    rho: float = number(
        "the factor ρ of the ξα-estimate; 1 is MiningMart's, 2 never is too low",
        default=2.0,
        minimum=1e-9,
    )
    screen: int | None = integer(
        "look only at this many attributes, those with the best alignment", default=None, minimum=1
    )
    sample_size: int = integer("how many examples to learn from at most", default=500, minimum=10)
    seed: int = integer("another seed draws other examples", default=0)

    def search(self) -> Mapping[str, Any]:
        """Gives how to search, in the words of the estimator."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Selection:
        """Runs the search."""
        from miningflow.learn.selection import XiAlphaSelector

        names = [f.name for f in self.attributes]
        data = fetch_predictors(rows, self.attributes, self.target, self.sample_size, self.seed)
        labels = positive_rows(data.columns[self.target.name], self.target, self.positive)
        settings: dict[str, Any] = dict(self.search())
        selector = XiAlphaSelector(
            kernel=self.kernel,  # type: ignore[arg-type]  # the choices are those of the estimator
            C=self.C,
            gamma=self.gamma,
            tolerance=self.epsilon,
            estimate=self.estimate,  # type: ignore[arg-type]  # as above
            rho=self.rho,
            screen=None if self.screen is None else min(self.screen, len(names)),
            groups=np.asarray(data.encoding.groups),
            callback=_telling(rows, len(names)),
            **settings,
        )
        selector.fit(data.matrix, labels)
        kept = tuple(names[g] for g in np.flatnonzero(selector.group_support_))
        trace = tuple(_trial(t, names) for t in selector.trace_)
        first = {t.changed: t.value for t in trace if t.level == 1}
        way = f"{settings['direction']} {settings['search']}".removesuffix(" greedy")
        measure = "ξα error" if self.estimate == "xi_alpha" else f"{self.estimate} error"
        reason = (
            f"{way} search: {measure} {trace[0].value:.3f} with {len(trace[0].kept)} → "
            f"{selector.error_:.3f} with {len(kept)} features"
        )
        rows.note(f"{reason}; {len(trace)} subsets tried on {len(labels)} rows")
        dropped = tuple(n for n in names if n not in kept)
        return Selection(kept, dropped, reason, first, trace, measure)


@operator
class FeatureSelectionWithSVM(SubsetSearch):
    """Searches for the features with which a support vector machine errs least.

    The error is estimated from one training per subset by the ξα-estimate: the share of examples
    with ρ·α·R² + ξ ≥ 1, which bounds the leave-one-out error from above (T. Joachims; for feature
    selection T. Euler, MiningMart, 2002). `backward` starts with all attributes and removes one
    after the other, `forward` starts with none and adds. `accept_equal` goes on while the estimate
    does not get worse, which finds smaller sets. `floating` also takes steps back, `beam` follows
    several subsets at once: both lower the estimate, which need not lower the error on new rows.
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

    direction: str = choice("where the search starts", ["backward", "forward"], default="backward")
    strategy: str = choice("how to search", ["greedy", "floating", "beam"], default="greedy")
    beam_width: int = integer("how many subsets a beam follows", default=3, minimum=1, maximum=100)
    accept_equal: bool = boolean("go on while the estimate is equal", default=False)

    def search(self) -> Mapping[str, Any]:
        """Gives how to search, in the words of the estimator."""
        return {
            "direction": self.direction,
            "search": self.strategy,
            "beam_width": self.beam_width,
            "accept_equal": self.accept_equal,
        }


@operator
class SearchGivenNoOfAttributes(SubsetSearch):
    """What searches share that go on to a given number of attributes."""

    way: ClassVar[Mapping[str, str]]

    keep: int = integer("how many of the attributes to keep", minimum=1)

    def least(self) -> int:
        """Keeps as many as were asked for."""
        return self.keep

    def outline(self, notes: Notes) -> Concept:
        """Wants not more features than there are, nor than are looked at."""
        if self.keep > len(self.attributes):
            notes.mistake(
                "keep", f"'keep' is {self.keep}, and there are {len(self.attributes)} attributes"
            )
        if self.screen is not None and self.screen < self.keep:
            notes.mistake("screen", f"'screen' is {self.screen}, less than 'keep': {self.keep}")
        return super().outline(notes)

    def search(self) -> Mapping[str, Any]:
        """Gives how to search; earlier deselection may have left fewer than were asked for."""
        return {**self.way, "keep": min(self.keep, len(self.attributes))}


@operator
class SimpleForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds the attribute that helps a support vector machine most, until there are enough."""

    way: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "greedy"}
    example: ClassVar[str] = """
    relevant:
      operator: SimpleForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      keep: 2
    """


@operator
class SimpleBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes the attribute that a support vector machine misses least, until few enough remain."""

    way: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "greedy"}
    example: ClassVar[str] = """
    relevant:
      operator: SimpleBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      keep: 2
    """


@operator
class FloatingForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds attributes and removes again those that the later ones made useless."""

    way: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "floating"}
    example: ClassVar[str] = """
    relevant:
      operator: FloatingForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      keep: 2
    """


@operator
class FloatingBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes attributes and takes back those that are missed after all."""

    way: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "floating"}
    example: ClassVar[str] = """
    relevant:
      operator: FloatingBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      keep: 2
    """


def _telling(rows: TrainingRows, width: int) -> Callable[[Any], None]:
    """Tells of each subset; a greedy search tries at most half the square of the attributes."""
    most = width * (width + 1) // 2
    tried, least = 0, float("inf")

    def tell(trial: Any) -> None:
        nonlocal tried, least
        tried, least = tried + 1, min(least, trial.error)
        rows.progress(
            min(1.0, tried / most),
            f"{tried} subsets tried, {len(trial.subset)} features, least error so far {least:.3f}",
        )

    return tell


def _trial(trial: Any, names: list[str]) -> Trial:
    return Trial(
        trial.level,
        tuple(names[g] for g in trial.subset),
        "" if trial.changed is None else names[trial.changed],
        float(trial.error),
        bool(trial.accepted),
    )
