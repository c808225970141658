"""The operator that evaluates predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureType,
    Notes,
    feature,
    literal,
    named_numbers,
    number,
    operator,
)
from miningflow.declare.compared import Compared
from miningflow.declare.operator import Refused
from miningflow.sql.block import Block, Source, grouped, over
from miningflow.sql.counting import as_double
from miningflow.sql.literals import column, double, unused

from .measures import ACTUAL, DECISION, GROUP, PART, PREDICTED, PROBABILITY, Measures
from .measures_of_classes import (
    counted_rows,
    macro_measures,
    measures_of_classes,
    measures_of_costs,
    measures_of_one_class,
    outcomes,
)
from .measures_of_numbers import measures_of_numbers
from .measures_of_scores import measures_of_probability, measures_of_ranking
from .truth import WithTruth, note_other_class

OF_OUTCOMES = ("true_positive", "false_positive", "false_negative", "true_negative")
MOST_GROUPS = 50
OF_ERRORS = ("too_low", "too_high")


@operator
class ComputeSVMError(WithTruth):
    """Compares a prediction with the truth, separately for training rows and held-out rows.

    For classes it reports rows, accuracy, error and balanced accuracy. With `positive` come the
    precision, recall and F1 of that class and the confusion matrix; without it, `macro_precision`
    and `macro_f1`, averages over the classes that occur in the truth. `decision` adds the areas
    under the ROC curve and under the curve of precision and recall (as average precision), and
    `ks`, how far the shares of both classes above a threshold get apart; equal values are one
    threshold. `probability` adds Brier score and log loss, which are NULL if a value is not between
    0 and 1. `costs` adds the cost for each row, the total, and the costs for each row of treating
    nobody and everybody as positive.

    For numbers it reports the mean absolute error, the root mean squared error, the mean error
    beyond epsilon, the mean absolute percentage error (NULL if a truth is 0) and R²; with `costs`
    also their mean, `asymmetric_loss`.

    Beside each measure stands its baseline, such as `baseline_accuracy`. For precision, recall and
    F1 it is that of choosing as many rows at random, for the other measures of classes that of
    always predicting the most frequent one, for scores that of a random order, for probabilities
    that of the share of the class, for costs the lower of nobody and everybody, for numbers that of
    the mean.

    `by` names a feature, such as a region or a sex, and gives each of its values a row of its own
    for each part: is the model as good for everyone? The feature may be one that the model does not
    use. NULL is a group; of more than 50 groups, those with the most rows are reported.

    Rows in which the truth or the prediction is NULL are counted as `unknown` and not compared.
    Measures of scores leave out rows without truth or score. A measure that is not defined for the
    rows, such as an area if there is one class only, is NULL. The run fails if no row has the value
    `positive`.
    """

    version: ClassVar[int] = 2
    reports: ClassVar[bool] = True
    whole_numbers: ClassVar[frozenset[str]] = frozenset(
        {
            "rows",
            "unknown",
            "true_positives",
            "false_positives",
            "false_negatives",
            "true_negatives",
        }
    )
    alias: ClassVar[str] = "Evaluate"
    finds: ClassVar[tuple[str, ...]] = (
        "accuracy",
        "AUC",
        "ROC",
        "F1",
        "metrics",
        "score a model",
        "precision",
        "recall",
        "average precision",
        "Brier",
        "log loss",
        "Kolmogorov-Smirnov",
        "R2",
        "RMSE",
        "MAE",
        "MAPE",
        "baseline",
        "cost",
        "fairness",
        "by group",
    )
    example: ClassVar[str] = """
    quality:
      operator: ComputeSVMError
      input: Scored
      actual: lapsed
      predicted: risk_label
      positive: 'yes'
      decision: risk
      costs: {false_negative: 10, false_positive: 1}
    """

    actual: Feature = feature("the feature with the truth", types=["binary", "nominal", "numeric"])
    predicted: Feature = feature(
        "the feature with the prediction", types=["binary", "nominal", "numeric"]
    )
    positive: str | None = literal("the positive class, for the confusion matrix", default=None)
    decision: Feature | None = feature(
        "the feature with the decision value, for the area under the ROC curve",
        types=["numeric"],
        default=None,
    )
    probability: Feature | None = feature(
        "the feature with the probability of the positive class, for Brier score and log loss",
        types=["numeric"],
        default=None,
    )
    costs: dict[str, float] | None = named_numbers(
        "what each row of an outcome costs, or for numbers each unit that a prediction is too low "
        "or too high; 0 if left out, below 0 for a gain",
        [*OF_OUTCOMES, *OF_ERRORS],
    )
    by: Feature | None = feature(
        "the feature with groups to evaluate separately; no predictor needs to be among them",
        types=["binary", "nominal"],
        default=None,
    )
    epsilon: float = number(
        "for numbers: errors up to this size count as 0", default=0.1, minimum=0
    )

    def outline(self, notes: Notes) -> Concept:
        """Returns a row for each part, and a feature for each measure."""
        numeric = self.actual.type == "numeric"
        if numeric != (self.predicted.type == "numeric"):
            notes.error(
                "predicted",
                f"{self.predicted.name!r} is {self.predicted.type} but "
                f"{self.actual.name!r} is {self.actual.type}: they cannot be compared",
            )
        self._check_given(notes, numeric)
        note_other_class("decision", self.decision, self.positive, notes)
        note_other_class("probability", self.probability, self.positive, notes)
        types: dict[str, FeatureType] = dict.fromkeys(self._all_measures().measures, "numeric")
        types = {PART: "nominal", **types}
        if self.by is not None:
            if self.by.name in types:
                message = f"{self.by.name!r} is the name of a measure, too"
                notes.error("by", message, "give the feature another name before")
            types = {self.by.name: "nominal", **types}
        return Concept(self.input.name, {name: Feature(name, t) for name, t in types.items()})

    def _check_given(self, notes: Notes, numeric: bool) -> None:
        """Notes parameters that have no meaning for this truth."""
        fitting = OF_ERRORS if numeric else OF_OUTCOMES
        wrong = [name for name in self.costs or {} if name not in fitting]
        if wrong:
            kind = "is a number" if numeric else "has classes"
            notes.error(
                "costs",
                f"{wrong[0]!r} costs nothing where {self.actual.name!r} {kind}",
                f"what may cost something: {', '.join(fitting)}",
            )
        if self.positive is not None:
            return
        needs = {
            "decision": "the area under the ROC curve also needs 'positive'",
            "probability": "Brier score and log loss also need 'positive'",
        }
        if not numeric:
            needs["costs"] = "the costs of outcomes also need 'positive'"
        for name, message in needs.items():
            if getattr(self, name) is not None:
                notes.error(name, message)

    def refusal(self, rows: Sequence[Mapping[str, Any]]) -> Refused | None:
        """Refuses a positive class that no row has."""
        if self.positive is None or self.actual.type == "numeric":
            return None
        compared = sum((row["rows"] or 0) - (row["unknown"] or 0) for row in rows)
        positives = sum(
            (row["true_positives"] or 0) + (row["false_negatives"] or 0) for row in rows
        )
        if not compared or positives:
            return None
        return Refused("positive", self.actual.name, self.positive)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Aggregates the comparison for each part, and makes measures of the sums."""
        given = {
            ACTUAL: self.actual,
            PREDICTED: self.predicted,
            DECISION: self.decision,
            PROBABILITY: self.probability,
            GROUP: self.by,
        }
        compared = self.in_parts(inputs, given)
        found = self._all_measures()
        if found.windows:
            compared = compared.layered().extend(found.windows)
        sums = grouped(compared, self._groups(), found.sums)
        if self.by is None:
            return sums.derive({PART: column(PART), **found.measures})
        named = {self.by.name: column(GROUP), PART: column(PART), **found.measures}
        place = unused("place", named)
        order = [exp.Neg(this=column("rows")), column(GROUP)]
        by_size = exp.Window(
            this=exp.RowNumber(),
            partition_by=[column(PART)],
            order=exp.Order(expressions=[exp.Ordered(this=o, nulls_first=False) for o in order]),
        )
        placed = sums.derive({**named, place: by_size}).layered()
        most = exp.LTE(this=as_double(column(place)), expression=double(MOST_GROUPS))
        return placed.filter(most).project(named)

    def _groups(self) -> list[str]:
        return [PART] if self.by is None else [PART, GROUP]

    def compared(self, inputs: Mapping[str, Source]) -> Compared:
        """Returns all rows of the input, with their part."""
        rows = over(inputs[self.input.name])
        part = unused(PART, rows.columns)
        return Compared(
            rows.extend({part: self.part()}),
            part,
            self.actual.name,
            self.predicted.name,
            self.actual.type == "numeric",
            self.positive,
            None if self.decision is None else self.decision.name,
        )

    def _all_measures(self) -> Measures:
        groups = [column(name) for name in self._groups()]
        found = counted_rows()
        if self.actual.type == "numeric":
            return found | measures_of_numbers(self.epsilon, self.costs or {}, groups)
        found |= measures_of_classes(groups)
        if self.positive is None:
            return found | macro_measures(groups)
        found |= measures_of_one_class(self.positive)
        if self.decision is not None:
            found |= measures_of_ranking(self.positive, groups)
        if self.probability is not None:
            found |= measures_of_probability(self.positive)
        if self.costs is not None:
            found |= measures_of_costs(self.costs)
        return found | outcomes()
