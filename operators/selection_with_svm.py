"""Selection by a search for the features with which a support vector machine errs least."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from miningflow.declare import (
    Concept,
    Notes,
    Selection,
    TrainingRows,
    boolean,
    choice,
    integer,
    literal,
    number,
    operator,
)
from miningflow.declare.selection import Trial

from .classes import positive_rows
from .predictors import fetch_predictors
from .selection_learned import ClassSelection

MEASURES = {
    "xi_alpha": "ξα error",
    "span": "span error",
    "cross_validation": "cross-validated error",
    "nested_cross_validation": "cross-validated error",
}


@operator
class SubsetSearch(ClassSelection):
    """What searches share: one machine for each subset, and an estimate of its error.

    Attributes are standardised; nominal ones become indicators that stay together.
    """

    positive: str = literal("the value of the target that is the positive class")
    kernel: str = choice("the kernel of the machine", ["linear", "radial"], default="linear")
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    gamma: float | None = number(
        "the width of the radial kernel; by default 1 / number of columns",
        default=None,
        minimum=1e-12,
    )
    epsilon: float = number("the tolerance of the solver", default=1e-3, minimum=1e-9)
    estimate: str | None = choice(
        "the estimate of the error; by default ξα, and cross-validation of the whole search if a "
        "guided one is to find the number of features",
        ["xi_alpha", "span", "cross_validation"],
        default=None,
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

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Gives the estimator that searches with such a machine."""
        raise NotImplementedError

    def way(self) -> str:
        """Names the search."""
        raise NotImplementedError

    def done(self, trial: Any, tried: int) -> float:
        """Says how far the search is; a greedy one tries half the square of the attributes."""
        return tried * 2 / (len(self.attributes) * (len(self.attributes) + 1))

    def feature_scores(self, trace: tuple[Trial, ...]) -> dict[str, float]:
        """Scores attributes by the error of the first subset without them, or with them."""
        first: dict[str, float] = {}
        for trial in trace[1:]:
            for name in set(trace[0].kept) ^ set(trial.kept):
                first.setdefault(name, trial.value)
        return first

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the search."""
        names = self.names()
        data = fetch_predictors(rows, self.attributes, self.target, self.sample_size, self.seed)
        labels = positive_rows(data.columns[self.target.name], self.target, self.positive)
        machine = {
            "kernel": self.kernel,
            "C": self.C,
            "gamma": self.gamma,
            "tolerance": self.epsilon,
            "estimate": self.estimate,
            "rho": self.rho,
            "screen": None if self.screen is None else min(self.screen, len(names)),
            "groups": np.asarray(data.encoding.groups),
            "callback": self._telling(rows),
        }
        selector = self.selector(machine).fit(data.matrix, labels)
        kept = tuple(names[g] for g in np.flatnonzero(selector.group_support_))
        measure = MEASURES[selector.estimate_]
        told = f"{len(labels)} rows"
        return self._selected(
            rows, self.way(), selector.trace_, kept, selector.error_, measure, told
        )

    def _selected(
        self,
        rows: TrainingRows,
        way: str,
        trials: Sequence[Any],
        kept: tuple[str, ...],
        error: float,
        measure: str,
        judged: str,
    ) -> Selection:
        """Tells what came out of a search."""
        names = self.names()
        dropped = tuple(n for n in names if n not in kept)
        trace = tuple(_trial(t, names) for t in trials)
        reason = (
            f"{way} search: {measure} {trace[0].value:.3f} with {len(trace[0].kept)} → "
            f"{error:.3f} with {len(kept)} features"
        )
        rows.note(f"{reason}; {len(trace)} subsets tried on {judged}")
        return Selection(kept, dropped, reason, self.feature_scores(trace), trace, measure)

    def _telling(self, rows: TrainingRows) -> Callable[[Any], None]:
        """Tells of each subset."""
        tried, least = 0, float("inf")

        def tell(trial: Any) -> None:
            nonlocal tried, least
            tried, least = tried + 1, min(least, trial.error)
            size = len(trial.subset)
            rows.progress(
                min(1.0, self.done(trial, tried)),
                f"{tried} subsets tried, {size} features, least error so far {least:.3f}",
            )

        return tell


@operator
class StepwiseSearch(SubsetSearch):
    """What searches share that change one attribute at a time."""

    def search(self) -> Mapping[str, Any]:
        """Gives how to search, in the words of the estimator."""
        raise NotImplementedError

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Gives the estimator that goes step by step."""
        from miningflow.learn.selection import XiAlphaSelector

        return XiAlphaSelector(**machine, **self.search())

    def way(self) -> str:
        """Names the search."""
        return f"{self.search()['direction']} {self.search()['search']}".removesuffix(" greedy")

    def done(self, trial: Any, tried: int) -> float:
        """Says how far the search is; a guided one tries each number of attributes once."""
        if self.search()["search"] == "guided":
            return tried / len(self.attributes)
        return super().done(trial, tried)


@operator
class FeatureSelectionWithSVM(StepwiseSearch):
    """Searches for the features with which a support vector machine errs least.

    `guided`, the default backward, tries the three attributes that weigh least in the machine,
    removes one, and goes on down to one; the number to keep is that with the least error of
    searches without a fold of the rows, which then tests them. `greedy`, the default forward and
    MiningMart's search (T. Euler, 2002), tries every attribute at each step, and stops where the
    estimate gets no better. Its ξα-estimate needs one training per subset: the share of examples
    with ρ·α·R² + ξ ≥ 1, which bounds the leave-one-out error from above (T. Joachims).
    `accept_equal` lets it go on while the estimate is equal, which finds smaller sets. `floating`
    also takes steps back, `beam` follows several subsets at once: both lower the estimate, which
    need not lower the error on new rows.

    A sample of `sample_size` rows judges the subsets. With `use_db_svm: always` all rows do, inside
    the database, each subset by a linear machine and its ξα-estimate; a search is then greedy,
    floating or beam.
    (In MiningMart: TheTargetAttribute, PositiveTargetValue, TheAttributes, SearchDirection.)
    """

    example: ClassVar[str] = """
    relevant:
      operator: FeatureSelectionWithSVM
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      direction: backward
    """

    direction: str = choice("where the search starts", ["backward", "forward"], default="backward")
    strategy: str | None = choice(
        "how to search; by default guided if backward, greedy if forward",
        ["guided", "greedy", "floating", "beam"],
        default=None,
    )
    beam_width: int = integer("how many subsets a beam follows", default=3, minimum=1, maximum=100)
    accept_equal: bool = boolean(
        "a greedy or beam search goes on while the estimate is equal", default=False
    )
    use_db_svm: str = choice(
        "whether each subset is estimated on all rows inside the database; `auto`: above "
        "`sample_size` rows, where that can be",
        ["auto", "always", "never"],
        default="never",
    )

    def outline(self, notes: Notes) -> Concept:
        """Wants a direction that the strategy can go, and what the database can do."""
        if self.strategy == "guided" and self.direction == "forward":
            notes.mistake(
                "strategy", "a guided search goes backward", "choose greedy, floating or beam"
            )
        if self.use_db_svm == "always":
            for parameter, problem in self._not_in_database().items():
                notes.mistake(parameter, problem, "leave it out, or leave `use_db_svm` out")
        return super().outline(notes)

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the search, on a sample in memory or on all rows in the database."""
        if self.use_db_svm == "never" or self._not_in_database():
            return super().select(rows)
        # The machinery of searches takes scikit-learn, which a case that is only read needs not.
        from .selection_in_database import Question, search_in_database

        question = Question(
            self.attributes,
            self.target,
            self.positive,
            self.C,
            self.rho,
            self.direction == "forward",
            self.strategy or "greedy",
            self.beam_width,
            self.accept_equal,
        )
        least = self.sample_size if self.use_db_svm == "auto" else 0
        found = search_in_database(rows, question, self._telling(rows), least)
        if found is None:
            return super().select(rows)
        names, subset = self.names(), found.chosen.subset
        way = f"{self.direction} {question.strategy}".removesuffix(" greedy")
        told = f"all {found.rows:,} rows, in the database (use_db_svm: {self.use_db_svm})"
        kept = tuple(names[g] for g in subset)
        measure = MEASURES["xi_alpha"]
        return self._selected(rows, way, found.trials, kept, found.chosen.error, measure, told)

    def _not_in_database(self) -> dict[str, str]:
        """Says by parameter what a search inside the database cannot do."""
        found = {
            "kernel": self.kernel != "linear",
            "estimate": self.estimate not in (None, "xi_alpha"),
            "strategy": self.strategy == "guided",
            "screen": self.screen is not None,
        }
        return {
            name: f"a search inside the database has no {name} {getattr(self, name)!r}"
            for name, wrong in found.items()
            if wrong
        }

    def search(self) -> Mapping[str, Any]:
        """Gives how to search, in the words of the estimator."""
        return {
            "direction": self.direction,
            "search": self.strategy or ("guided" if self.direction == "backward" else "greedy"),
            "beam_width": self.beam_width,
            "accept_equal": self.accept_equal,
        }


@operator
class SearchGivenNoOfAttributes(StepwiseSearch):
    """What searches share that go on to a given number of attributes."""

    course: ClassVar[Mapping[str, str]]

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
        return {**self.course, "keep": min(self.keep, len(self.attributes))}


@operator
class SimpleForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds the attribute that helps a support vector machine most, until there are enough."""

    course: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "greedy"}
    example: ClassVar[str] = """
    relevant:
      operator: SimpleForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class SimpleBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes the attribute that a support vector machine misses least, until few enough remain."""

    course: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "greedy"}
    example: ClassVar[str] = """
    relevant:
      operator: SimpleBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class FloatingForwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Adds attributes and removes again those that the later ones made useless."""

    course: ClassVar[Mapping[str, str]] = {"direction": "forward", "search": "floating"}
    example: ClassVar[str] = """
    relevant:
      operator: FloatingForwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


@operator
class FloatingBackwardFeatureSelectionGivenNoOfAttributes(SearchGivenNoOfAttributes):
    """Removes attributes and takes back those that are missed after all."""

    course: ClassVar[Mapping[str, str]] = {"direction": "backward", "search": "floating"}
    example: ClassVar[str] = """
    relevant:
      operator: FloatingBackwardFeatureSelectionGivenNoOfAttributes
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      keep: 2
    """


def _trial(trial: Any, names: list[str]) -> Trial:
    return Trial(
        trial.level,
        tuple(names[g] for g in trial.subset),
        "" if trial.changed is None else names[trial.changed],
        float(trial.error),
        bool(trial.accepted),
    )
