"""Operators that say how good a prediction is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sqlglot import exp

from miningflow.declare import (
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
from miningflow.declare.operator import Family
from miningflow.sql.block import Block, Source, grouped, over
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.sampling import in_share

PART = "part"
RANK = "rank"


@operator
class ComputeSVMError(Operator):
    """Compares a prediction with the truth, apart for rows learned from and rows held out.

    For classes: rows, accuracy and error; with `positive` also the confusion matrix, precision,
    recall and F1; with `decision` also the area under the ROC curve, ties counted by half. For
    numbers: mean absolute and root mean squared error, and the mean error beyond epsilon. Rows in
    which the truth or the prediction is NULL are counted as `unknown` and not compared.
    """

    family: ClassVar[Family] = "evaluation"
    builds: ClassVar[Literal["view", "table"]] = "table"
    reports: ClassVar[bool] = True
    example: ClassVar[str] = """
    quality:
      operator: ComputeSVMError
      input: Scored
      actual: lapsed
      predicted: risk_label
      positive: 'yes'
      decision: risk
    """

    input: Concept = concept("the concept that holds truth and prediction")
    actual: Feature = feature("the truth", types=["binary", "nominal", "numeric"])
    predicted: Feature = feature("the prediction", types=["binary", "nominal", "numeric"])
    positive: str | None = literal("the positive class", default=None)
    decision: Feature | None = feature(
        "the value of the decision function, for the area under the curve",
        types=["numeric"],
        default=None,
    )
    epsilon: float = number(
        "for numbers: errors up to this size count as none", default=0.1, minimum=0
    )

    def outline(self, notes: Notes) -> Concept:
        """Has a row for each part, and a feature for each measure."""
        numeric = self.actual.type == "numeric"
        if numeric != (self.predicted.type == "numeric"):
            notes.mistake(
                "predicted",
                f"{self.predicted.name!r} is {self.predicted.type} and "
                f"{self.actual.name!r} is {self.actual.type}: they cannot be compared",
            )
        if self.decision is not None and self.positive is None:
            notes.mistake("decision", "the area under the curve also needs 'positive'")
        measures = [Feature(name, "numeric") for name in self._measures()]
        features = {f.name: f for f in [Feature(PART, "nominal"), *measures]}
        return Concept(self.input.name, features)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Aggregates the comparison per part."""
        names = [f.name for f in (self.actual, self.predicted, self.decision) if f is not None]
        part, rank = (unused(name, names) for name in (PART, RANK))
        compared = over(inputs[self.input.name]).extend({part: self._part()})
        compared = compared.project([*dict.fromkeys(names), part])
        if self._with_auc():
            compared = compared.layered().extend({rank: self._rank(part)})
        return grouped(compared, {PART: part}, self._measures(rank))

    def _part(self) -> exp.Expression:
        held = [
            in_share(r.feature, r.holdout.seed, r.holdout.share)
            for r in self.input.holdouts
            if r.holdout is not None
        ]
        if not held:
            return text("all")
        return exp.Case(
            ifs=[exp.If(this=exp.or_(*held), true=text("held out"))], default=text("learned")
        )

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
        """Ranks rows by decision value within their part; equal ones share their mean rank."""
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
        half = exp.Mul(
            this=exp.Paren(this=exp.Sub(this=_number(peers), expression=double(1))),
            expression=double(0.5),
        )
        return exp.Add(this=_number(rank), expression=half)

    def _auc(self, yes: exp.Expression, no: exp.Expression, rank: str) -> exp.Expression:
        """Gives the Mann-Whitney statistic: how often a positive row ranks above a negative one."""
        decision = column(self.decision.name if self.decision else "")
        ranked = _is_known(decision)
        positive = exp.And(this=yes.copy(), expression=ranked)
        count = _sum_if(positive)
        negatives = _sum_if(exp.And(this=no.copy(), expression=ranked.copy()))
        ranks = exp.Sum(this=exp.Case(ifs=[exp.If(this=positive.copy(), true=column(rank))]))
        least = exp.Mul(
            this=exp.Mul(
                this=count,
                expression=exp.Paren(this=exp.Add(this=count.copy(), expression=double(1))),
            ),
            expression=double(0.5),
        )
        above = exp.Paren(this=exp.Sub(this=ranks, expression=least))
        return _share(above, exp.Mul(this=count.copy(), expression=negatives))

    def _numeric_measures(self, difference: exp.Expression) -> dict[str, exp.Expression]:
        absolute = exp.Abs(this=difference)
        squared = exp.Mul(
            this=exp.Paren(this=difference.copy()), expression=exp.Paren(this=difference.copy())
        )
        beyond = exp.Case(
            ifs=[
                exp.If(
                    this=exp.GT(this=absolute.copy(), expression=double(self.epsilon)),
                    true=exp.Sub(this=absolute.copy(), expression=double(self.epsilon)),
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
    return exp.Not(this=exp.Is(this=tree.copy(), expression=exp.Null()))


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
