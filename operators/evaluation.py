"""The operator that evaluates predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from sqlglot import exp

from miningflow.declare import (
    PREDICTED_CLASS,
    Concept,
    Feature,
    Notes,
    Operator,
    concept,
    feature,
    literal,
    number,
    operator,
)
from miningflow.declare.compared import Compared
from miningflow.declare.operator import Family, Refused
from miningflow.sql.block import Block, Source, grouped, over
from miningflow.sql.conditions import is_known, when
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.sampling import in_share

PART = "part"
RANK = "rank"


@operator
class ComputeSVMError(Operator):
    """Compares a prediction with the truth, separately for training rows and held-out rows.

    For classes it reports rows, accuracy and error; with `positive` also the confusion matrix,
    precision, recall and F1; with `decision` also the area under the ROC curve, where ties count
    half. For numbers it reports the mean absolute error, the root mean squared error and the mean
    error beyond epsilon. Rows in which the truth or the prediction is NULL are counted as `unknown`
    and not compared. The run fails if no row has the value `positive`.
    """

    family: ClassVar[Family] = "evaluation"
    builds: ClassVar[Literal["view", "table"]] = "table"
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
        "confusion matrix",
        "metrics",
        "score a model",
    )
    example: ClassVar[str] = """
    quality:
      operator: ComputeSVMError
      input: Scored
      actual: lapsed
      predicted: risk_label
      positive: 'yes'
      decision: risk
    """

    input: Concept = concept("the concept with the truth and the prediction")
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
        if self.decision is not None and self.positive is None:
            notes.error("decision", "the area under the ROC curve also needs 'positive'")
        self._check_decision(notes)
        measures = [Feature(name, "numeric") for name in self._measures()]
        features = {f.name: f for f in [Feature(PART, "nominal"), *measures]}
        return Concept(self.input.name, features)

    def _check_decision(self, notes: Notes) -> None:
        """Notes a decision whose high values do not speak for the positive class."""
        if self.decision is None or self.positive is None:
            return
        favoured = self.decision.rises_with
        if favoured is None or favoured == self.positive:
            return
        name = self.decision.name
        if favoured == PREDICTED_CLASS:
            notes.error(
                "decision",
                f"{name!r} is about the predicted class, whichever it is, so it cannot rank rows "
                f"by {self.positive!r}",
                f"give the model `positive: {self.positive}`, or leave 'decision' out",
            )
        else:
            notes.error(
                "decision",
                f"high values of {name!r} speak for {favoured!r}, and 'positive' is "
                f"{self.positive!r}",
                f"set `positive: {favoured}` here, or make {self.positive!r} the positive class of "
                "the model",
            )

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
        """Aggregates the comparison for each part."""
        names = [f.name for f in (self.actual, self.predicted, self.decision) if f is not None]
        part, rank = (unused(name, names) for name in (PART, RANK))
        compared = over(inputs[self.input.name]).extend({part: self._part()})
        compared = compared.project([*dict.fromkeys(names), part])
        if self._with_auc():
            compared = compared.layered().extend({rank: self._rank(part)})
        return grouped(compared, {PART: part}, self._measures(rank))

    def compared(self, inputs: Mapping[str, Source]) -> Compared:
        """Returns all rows of the input, with their part."""
        rows = over(inputs[self.input.name])
        part = unused(PART, rows.columns)
        return Compared(
            rows.extend({part: self._part()}),
            part,
            self.actual.name,
            self.predicted.name,
            self.actual.type == "numeric",
            self.positive,
            None if self.decision is None else self.decision.name,
        )

    def _part(self) -> exp.Expression:
        held_out = [
            in_share(r.feature, r.holdout.seed, r.holdout.share)
            for r in self.input.holdouts
            if r.holdout is not None
        ]
        if not held_out:
            return text("all")
        return when(exp.or_(*held_out), text("held out"), text("learned"))

    def _with_auc(self) -> bool:
        return self.decision is not None and self.positive is not None

    def _measures(self, rank: str = RANK) -> dict[str, exp.Expression]:
        actual, predicted = column(self.actual.name), column(self.predicted.name)
        known = exp.And(this=_is_known(actual), expression=_is_known(predicted))
        found: dict[str, exp.Expression] = {
            "rows": _number(exp.Count(this=exp.Star())),
            "unknown": exp.Sub(this=_number(exp.Count(this=exp.Star())), expression=_sum_if(known)),
        }
        if self.actual.type == "numeric":
            return {**found, **self._numeric_measures(exp.Sub(this=predicted, expression=actual))}
        right = exp.EQ(this=actual, expression=predicted)
        accuracy = _share(_sum_if(right), _sum_if(known))
        found["accuracy"] = accuracy
        found["error"] = exp.Sub(this=double(1), expression=accuracy.copy())
        if self.positive is not None:
            found.update(self._class_measures(actual, predicted, rank))
        return found

    def _class_measures(
        self, actual: exp.Expression, predicted: exp.Expression, rank: str
    ) -> dict[str, exp.Expression]:
        yes, said = (
            exp.EQ(this=side.copy(), expression=text(self.positive or ""))
            for side in (actual, predicted)
        )
        no, denied = (
            exp.NEQ(this=side.copy(), expression=text(self.positive or ""))
            for side in (actual, predicted)
        )
        hits = _sum_if(exp.And(this=yes.copy(), expression=said.copy()))
        false_alarms = _sum_if(exp.And(this=no.copy(), expression=said.copy()))
        misses = _sum_if(exp.And(this=yes.copy(), expression=denied.copy()))
        quiet = _sum_if(exp.And(this=no.copy(), expression=denied.copy()))
        both = exp.Mul(this=double(2), expression=hits.copy())
        harmonic = exp.Add(
            this=exp.Add(this=both.copy(), expression=false_alarms.copy()), expression=misses.copy()
        )
        found: dict[str, exp.Expression] = {
            "precision": _share(hits, exp.Add(this=hits.copy(), expression=false_alarms.copy())),
            "recall": _share(hits.copy(), exp.Add(this=hits.copy(), expression=misses.copy())),
            "f1": _share(both, harmonic),
        }
        if self._with_auc():
            found["auc"] = self._auc(yes, no, rank)
        found["true_positives"] = hits.copy()
        found["false_positives"] = false_alarms.copy()
        found["false_negatives"] = misses.copy()
        found["true_negatives"] = quiet
        return found

    def _rank(self, part: str) -> exp.Expression:
        """Ranks rows by decision value within their part; ties share their mean rank."""
        decision = column(self.decision.name if self.decision else "")
        counted = _is_ranked(column(self.actual.name), decision)
        within = [column(part), counted]
        rank = exp.Window(
            this=exp.Anonymous(this="RANK"),
            partition_by=[p.copy() for p in within],
            order=exp.Order(expressions=[exp.Ordered(this=decision.copy(), nulls_first=False)]),
        )
        peers = exp.Window(
            this=exp.Count(this=exp.Star()),
            partition_by=[*(p.copy() for p in within), decision.copy()],
        )
        half = exp.Sub(this=_number(peers), expression=double(1)) * double(0.5)
        return exp.Add(this=_number(rank), expression=half)

    def _auc(self, yes: exp.Expression, no: exp.Expression, rank: str) -> exp.Expression:
        """Returns the Mann-Whitney statistic: how often a positive row outranks a negative one."""
        decision = column(self.decision.name if self.decision else "")
        ranked = _is_known(decision)
        positive = exp.And(this=yes.copy(), expression=ranked)
        count = _sum_if(positive)
        negatives = _sum_if(exp.And(this=no.copy(), expression=ranked.copy()))
        ranks = exp.Sum(this=when(positive.copy(), column(rank)))
        least = exp.Mul(
            this=count,
            expression=exp.Paren(this=exp.Add(this=count.copy(), expression=double(1))),
        ) * double(0.5)
        above = exp.Paren(this=exp.Sub(this=ranks, expression=least))
        return _share(above, exp.Mul(this=count.copy(), expression=negatives))

    def _numeric_measures(self, difference: exp.Expression) -> dict[str, exp.Expression]:
        absolute = exp.Abs(this=difference)
        squared = exp.Paren(this=difference.copy()) * exp.Paren(this=difference.copy())
        beyond = exp.Case(
            ifs=[
                exp.If(
                    this=absolute > double(self.epsilon),
                    true=absolute - double(self.epsilon),
                ),
                exp.If(this=_is_known(absolute), true=double(0)),
            ]
        )
        return {
            "mean_absolute_error": exp.Avg(this=absolute),
            "root_mean_squared_error": exp.Sqrt(this=exp.Avg(this=squared)),
            "mean_error_beyond_epsilon": exp.Avg(this=beyond),
        }


def _is_known(tree: exp.Expression) -> exp.Expression:
    return is_known(tree.copy())


def _is_ranked(actual: exp.Expression, decision: exp.Expression) -> exp.Expression:
    return exp.Paren(this=exp.And(this=_is_known(actual), expression=_is_known(decision)))


def _number(tree: exp.Expression) -> exp.Expression:
    return exp.Cast(this=tree, to=exp.DataType.build("double"))


def _sum_if(condition: exp.Expression) -> exp.Expression:
    ifs = [exp.If(this=condition.copy(), true=double(1))]
    return exp.Sum(this=exp.Case(ifs=ifs, default=double(0)))


def _share(part: exp.Expression, whole: exp.Expression) -> exp.Expression:
    top = exp.Paren(this=part) if isinstance(part, exp.Binary) else part
    return exp.Div(this=top, expression=exp.Nullif(this=whole, expression=double(0)))
