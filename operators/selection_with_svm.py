"""The operator that searches for the features with the least error of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from miningflow.declare import (
    Concept,
    Notes,
    Selection,
    TrainingRows,
    boolean,
    choice,
    integer,
    operator,
)
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.selection.rankings import rank_by_machine_error
from miningflow.train.row_weights import Weighting

from .selection_search import MEASURES, StepwiseSearch
from .weights import WeightOfClasses, note_class_weights, weight_of_classes


@operator
class FeatureSelectionWithSVM(StepwiseSearch):
    """Searches for the features with which a support vector machine has the least error.

    `guided`, the default for `backward`, tries the three attributes with the least weight in the
    machine, removes one of them, and continues until one is left. The number of attributes to keep
    is the one with the least error in cross-validation of the whole search. `greedy`, the default
    for `forward` and the search of MiningMart (T. Euler, 2002), tries every attribute at each step,
    and stops when the estimate no longer improves. Its ξα-estimate needs one training per subset:
    it is the share of rows with ρ·α·R² + ξ ≥ 1, an upper bound of the leave-one-out error (T.
    Joachims). With `accept_equal` the search continues while the estimate is equal, which finds
    smaller sets. `floating` also takes steps back, and `beam` follows several subsets at once; both
    lower the estimate, but not necessarily the error on new rows.

    Subsets are judged on a sample of `sample_size` rows. With `use_db_svm: always` they are judged
    on all rows, inside the database, each by a linear machine and its ξα-estimate; the search is
    then greedy, floating or beam. With `class_weight`, machines learn from weights of classes, and
    errors count by them; a search inside the database does not support it. (In MiningMart:
    TheTargetAttribute, PositiveTargetValue, TheAttributes, SearchDirection.)
    """

    alias: ClassVar[str] = "SelectSVM"
    finds: ClassVar[tuple[str, ...]] = (
        "wrapper",
        "recursive feature elimination",
        "RFE",
        "feature importance",
    )
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
    contestant: ClassVar[Contestant | None] = Contestant(
        "svm",
        rank_by_machine_error,
        effort=5,
        two_classes=True,
        settings=(("strategy", "guided"),),
        most_rows=500,
    )

    direction: str = choice(
        "the direction: `backward` starts with all attributes, `forward` with none",
        ["backward", "forward"],
        default="backward",
    )
    strategy: str | None = choice(
        "how to search; by default `guided` backward and `greedy` forward",
        ["guided", "greedy", "floating", "beam"],
        default=None,
    )
    beam_width: int = integer(
        "how many subsets a beam search follows", default=3, minimum=1, maximum=100
    )
    accept_equal: bool = boolean(
        "whether a greedy or beam search continues while the estimate is equal", default=False
    )
    keep: int | None = integer(
        "how many attributes to keep; by default the search chooses the number",
        default=None,
        minimum=1,
        later=True,
    )
    class_weight: WeightOfClasses = weight_of_classes()
    use_db_svm: str = choice(
        "whether to judge subsets on all rows inside the database; `auto`: if there are more than "
        "`sample_size` rows and it is possible",
        ["auto", "always", "never"],
        default="never",
    )

    def least(self) -> int:
        """Returns `keep`, or 1 if it is not given."""
        return self.keep or 1

    def outline(self, notes: Notes) -> Concept:
        """Checks that strategy, direction, number and the database fit together."""
        most = len(self.attributes) if self.screen is None else self.screen
        if self.keep is not None and self.keep > min(most, len(self.attributes)):
            limit = "number of attributes" if most == len(self.attributes) else "value of 'screen'"
            notes.error("keep", f"'keep' must be at most {most}, the {limit}, got {self.keep}")
        if self.strategy == "guided" and self.direction == "forward":
            notes.error(
                "strategy", "a guided search is always backward", "choose greedy, floating or beam"
            )
        if self.use_db_svm == "always":
            for parameter, problem in self._not_in_database().items():
                notes.error(parameter, problem, "leave it out, or leave `use_db_svm` out")
        note_class_weights(notes, self.class_weight, self.positive, None)
        return super().outline(notes)

    def select(self, rows: TrainingRows) -> Selection:
        """Runs the search, on a sample in memory or on all rows in the database."""
        if self.use_db_svm == "never" or self._not_in_database():
            return super().select(rows)
        # Searches import scikit-learn, which is not needed to read a case.
        from miningflow.train.subset_search import SearchSpec, Strategy, search_subsets

        spec = SearchSpec(
            self.attributes,
            self.target,
            self.positive,
            self.C,
            self.rho,
            self.direction == "forward",
            cast(Strategy, self.strategy or "greedy"),
            self.beam_width,
            self.accept_equal,
        )
        least = self.sample_size if self.use_db_svm == "auto" else 0
        found = search_subsets(rows, spec, self.reporter(rows), least)
        if found is None:
            return super().select(rows)
        names, subset = self.names(), found.chosen.subset
        search_name = f"{self.direction} {spec.strategy}".removesuffix(" greedy")
        judged_on = f"all {found.rows:,} rows, in the database (use_db_svm: {self.use_db_svm})"
        kept = tuple(names[g] for g in subset)
        measure = MEASURES["xi_alpha"]
        return self.selection(
            rows, search_name, found.trials, kept, found.chosen.error, measure, judged_on
        )

    def _not_in_database(self) -> dict[str, str]:
        """Returns, by parameter, what a search inside the database does not support."""
        unsupported = {
            "kernel": self.kernel != "linear",
            "estimate": self.estimate not in (None, "xi_alpha"),
            "strategy": self.strategy == "guided",
            "screen": self.screen is not None,
            "keep": self.keep is not None,
            "class_weight": self.class_weight is not None,
        }
        return {
            name: f"a search inside the database does not support {name} {getattr(self, name)!r}"
            for name, is_given in unsupported.items()
            if is_given
        }

    def machine_weights(self, rows: TrainingRows, labels: npt.NDArray[Any]) -> Mapping[str, Any]:
        """Returns the weights of the two classes, True and False to the estimator; notes them."""
        names, counts = np.unique(labels.astype(str), return_counts=True)
        weighting = Weighting(self.class_weight)
        found = weighting.of_classes(
            self.target, dict(zip(names.tolist(), counts.tolist(), strict=True)), rows.segment
        )
        if not found:
            return {}
        rows.note(weighting.described(found)["weights"])
        return {"class_weight": {name == self.positive: weight for name, weight in found.items()}}

    def search(self) -> Mapping[str, Any]:
        """Returns how to search, as parameters of the estimator."""
        return {
            "direction": self.direction,
            "search": self.strategy or ("guided" if self.direction == "backward" else "greedy"),
            "beam_width": self.beam_width,
            "accept_equal": self.accept_equal,
            "keep": None if self.keep is None else min(self.keep, len(self.attributes)),
        }
