"""Operators that select features by genetic search, alone or after a statistical selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from miningflow.declare import Selection, TrainingRows, integer, number, operator
from miningflow.declare.selection import Trial
from miningflow.train.correlations import correlation_reason, drop_correlated

from .selection_search import SubsetSearch


@operator
class GeneticFeatureSelection(SubsetSearch):
    """Breeds subsets of features with which a support vector machine has a low error.

    Each subset of a population is judged by the estimated error of a machine; if errors are equal,
    fewer features are better. The two best subsets survive. The others are replaced by children of
    parents that won a tournament: a child takes each feature from one of its parents, and some
    features are changed at random. The first population contains the set of all attributes, so the
    result is never worse than that. The search finds features that are informative only together,
    which a stepwise search may miss. It tries many subsets, so the estimate of the best one is too
    low. The same seed breeds the same subsets. (In MiningMart: the operator of the same name.)
    """

    alias: ClassVar[str] = "SelectGenetic"
    finds: ClassVar[tuple[str, ...]] = ("evolutionary", "genetic algorithm", "wrapper")
    example: ClassVar[str] = """
    relevant:
      operator: GeneticFeatureSelection
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: drop_rows
      population: 6
      generations: 4
    """

    population: int = integer(
        "how many subsets a population has", default=30, minimum=2, maximum=10_000
    )
    generations: int = integer(
        "how many populations to breed", default=20, minimum=1, maximum=10_000
    )
    mutation: float | None = number(
        "the probability that a feature is changed; by default 1 / number of attributes",
        default=None,
        minimum=0,
        maximum=1,
    )
    crossover: float = number(
        "the probability that a child has two parents", default=0.9, minimum=0, maximum=1
    )

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Returns the estimator that searches genetically."""
        from miningflow.learn.selection.genetic import GeneticSelector

        return GeneticSelector(
            **machine,
            population=self.population,
            generations=self.generations,
            mutation=self.mutation,
            crossover=self.crossover,
            # scikit-learn takes 32 bits, and seeds may be below 0
            random_state=self.seed % 2**32,
        )

    def search_name(self) -> str:
        """Returns the name of the search."""
        return "genetic"

    def done(self, trial: Any, tried: int) -> float:
        """Returns the share of the generations that are done."""
        return float(trial.level / self.generations)

    def feature_scores(self, trace: tuple[Trial, ...]) -> dict[str, float]:
        """Scores attributes by the least error of a subset that contains them."""
        return {name: min(t.value for t in trace if name in t.kept) for name in trace[0].kept}


@operator
class SGFeatureSelection(GeneticFeatureSelection):
    """Drops features that are correlated with others, then breeds subsets of the rest.

    The first part works like StatisticalFeatureSelection: a numeric attribute stays if the absolute
    value of its correlation with every attribute that already stays is at most `threshold`. So list
    the features that you prefer to keep first. The second part works like GeneticFeatureSelection;
    with fewer attributes, the same number of subsets is a more thorough search. (In MiningMart: the
    operator of the same name.)
    """

    alias: ClassVar[str] = "SelectUncorrelatedGenetic"
    finds: ClassVar[tuple[str, ...]] = (
        "correlation",
        "redundant",
        "genetic algorithm",
        "evolutionary",
    )
    example: ClassVar[str] = """
    relevant:
      operator: SGFeatureSelection
      input: Customer
      target: lapsed
      positive: 'yes'
      attributes: [age, income, household]
      nulls: impute
      threshold: 0.8
      population: 6
      generations: 4
    """

    threshold: float = number(
        "the highest absolute correlation that is allowed", default=0.9, minimum=0, maximum=1
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the statistical selection, then the genetic one."""
        numeric = [f.name for f in self.attributes if f.type == "numeric"]
        others = [n for n in self.names() if n not in numeric]
        known = [*others, self.target.name]
        compared = drop_correlated(rows, numeric, self.threshold, known) if numeric else ()
        correlated = {t.changed for t in compared if not t.accepted}
        rest = tuple(f for f in self.attributes if f.name not in correlated)
        found = GeneticFeatureSelection.select(replace(self, attributes=rest), rows)
        return Selection(
            found.kept,
            tuple(n for n in self.names() if n not in found.kept),
            f"{len(correlated)} {correlation_reason(self.threshold)}; then {found.reason}",
            found.scores,
            (*compared, *found.trace),
            f"correlation, then {found.measure}",
        )
