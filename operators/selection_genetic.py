"""Selection by genetic search, alone or after a statistical one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from miningflow.declare import Selection, TrainingRows, integer, number, operator
from miningflow.declare.selection import Trial

from .selection_by_correlation import correlated, correlation_reason
from .selection_with_svm import SubsetSearch


@operator
class GeneticFeatureSelection(SubsetSearch):
    """Breeds subsets of features until a support vector machine errs little with them.

    A population of subsets is judged by the estimated error of a machine; of equal ones, fewer
    features are better. The two best live on. The others are replaced by children of parents that
    won a tournament, which take each feature from the one or the other parent, and change some by
    chance. All attributes together are in the first population, so the end is never worse than
    they are. The search finds features that tell only together, which a search step by step may
    miss; it tries many subsets, so the estimate of the best one is too low. The same seed breeds
    the same subsets. (In MiningMart: the operator of the same name.)
    """

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
        "how many subsets live at a time", default=30, minimum=2, maximum=10_000
    )
    generations: int = integer(
        "how often a new population is bred", default=20, minimum=1, maximum=10_000
    )
    mutation: float | None = number(
        "the chance of a feature to be changed; by default 1 / number of attributes",
        default=None,
        minimum=0,
        maximum=1,
    )
    crossover: float = number(
        "the chance of a child to have two parents", default=0.9, minimum=0, maximum=1
    )

    def selector(self, machine: Mapping[str, Any]) -> Any:
        """Gives the estimator that breeds."""
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

    def way(self) -> str:
        """Names the search."""
        return "genetic"

    def done(self, trial: Any, tried: int) -> float:
        """Says how far the search is."""
        return float(trial.level / self.generations)

    def feature_scores(self, trace: tuple[Trial, ...]) -> dict[str, float]:
        """Scores attributes by the least error of a subset that has them; the first has all."""
        return {name: min(t.value for t in trace if name in t.kept) for name in trace[0].kept}


@operator
class SGFeatureSelection(GeneticFeatureSelection):
    """Drops features that repeat others, and breeds subsets of the rest.

    First statistical, as StatisticalFeatureSelection: a numeric attribute stays if its correlation
    with each that stayed before is at most `threshold`. Then genetic, as GeneticFeatureSelection:
    with fewer attributes the same number of subsets is a more thorough search. So list first what
    you would rather keep. (In MiningMart: the operator of the same name.)
    """

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
        "the highest correlation, up or down, that is borne", default=0.9, minimum=0, maximum=1
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the one selection and then the other."""
        numeric = [f.name for f in self.attributes if f.type == "numeric"]
        others = [n for n in self.names() if n not in numeric]
        known = [*others, self.target.name]
        compared = correlated(rows, numeric, self.threshold, known) if numeric else ()
        repeating = {t.changed for t in compared if not t.accepted}
        rest = tuple(f for f in self.attributes if f.name not in repeating)
        found = GeneticFeatureSelection.select(replace(self, attributes=rest), rows)
        return Selection(
            found.kept,
            tuple(n for n in self.names() if n not in found.kept),
            f"{len(repeating)} {correlation_reason(self.threshold)}; then {found.reason}",
            found.scores,
            (*compared, *found.trace),
            f"correlation, then {found.measure}",
        )
