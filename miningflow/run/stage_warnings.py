"""Warnings about a stage that was just built, from what it learned and a query or two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from miningflow.compile import Piece
from miningflow.declare.concept import Concept, Feature
from miningflow.declare.construction import FeatureConstruction
from miningflow.declare.operator import Operator, ScoreNeeds
from miningflow.declare.segmentation import Segment, SegmentingOperator, artifacts_of
from miningflow.declare.selection import Selection
from miningflow.engines import Session
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.evaluated_models import group_feature
from miningflow.run.scored_rows import scored_row_counts, scored_rows
from miningflow.run.training_rows import learned_rows
from miningflow.sql.block import Block, Naming, Scan, Source, grouped, over
from miningflow.sql.compared_values import compared_values
from miningflow.sql.conditions import is_known, when
from miningflow.sql.dialect import render
from miningflow.sql.literals import column, text, unused
from miningflow.sql.sampling import in_share
from miningflow.warn import ResultWarning
from miningflow.warn.of_evaluations import HELD_OUT, Evaluated, warnings_of
from miningflow.warn.of_learning import one_interval, selection_warnings, small_segments
from miningflow.warn.of_named_values import named_value_warnings
from miningflow.warn.of_predictors import predictor_warnings, suspected_constant
from miningflow.warn.of_scores import run_warnings

MOST_GROUPS = 1000
MOST_VALUES = 1000


@dataclass(frozen=True)
class StageWarnings:
    """Looks for what is suspicious in a stage; queries read predictors, never a model."""

    bound: BoundCase
    session: Session
    naming: Naming
    dialect: str

    def of(
        self, step: BoundStep, pieces: Mapping[str, Piece], piece: Piece, artifact: Any
    ) -> Iterator[ResultWarning]:
        """Returns the warnings about one step."""
        name = step.written_name
        for segment, learned in artifacts_of(artifact):
            if isinstance(learned, Selection):
                asked: int | None = getattr(step.operator, "keep", None)
                found = learned.kept, learned.dropped, asked, str(segment)
                yield from selection_warnings(name, *found)
        operator = piece.operator
        if operator is None:
            return
        if operator.learns is None and not step.within:
            yield from self._named_values(name, operator, pieces, step.inputs)
        if artifact is not None and not step.within:
            yield from self._learned(name, operator, pieces[step.inputs[0]], artifact)
            source = pieces[step.learn_on or step.inputs[0]]
            yield from self._predictors(name, operator, source, artifact)
        if isinstance(step.operator, SegmentingOperator) and not step.operator.repeats:
            yield from self._segments(step, piece)
        divided = step.output.segmentations or group_feature(operator) is not None
        if operator.reports and not divided:
            yield from self._evaluation(step, operator, pieces[step.inputs[0]], piece)

    def _named_values(
        self, step: str, operator: Operator, pieces: Mapping[str, Piece], inputs: Sequence[str]
    ) -> Iterator[ResultWarning]:
        """Looks for values that a step compares features with, and that these do not have."""
        scans = {n: Scan(n, tuple(pieces[n].presence.concept.columns)) for n in inputs}
        block = operator.emit(scans, None)
        for (name, feature), named in compared_values({step: block}, self.dialect).items():
            found = pieces[name].presence.concept.features.get(feature) if name in pieces else None
            if found is None or found.type not in ("nominal", "binary"):
                continue
            rows = grouped(over(pieces[name].source()), [feature], {})
            values = self._rows(replace(rows.prune([feature]), limit=MOST_VALUES + 1))
            if len(values) <= MOST_VALUES:
                known = {value for (value,) in values if value is not None}
                spelling = operator.reports  # a model may predict one class only
                yield from named_value_warnings(step, feature, named, known, spelling)

    def _learned(
        self, step: str, operator: Operator, source: Piece, artifact: Any
    ) -> Iterator[ResultWarning]:
        if isinstance(operator, FeatureConstruction):
            target: Feature | None = getattr(operator, "target", None)
            tree = operator.expression(artifact)
            single = isinstance(tree, exp.Case) and len(tree.args["ifs"]) == 1
            if operator.constructed_type() == "nominal" and single and _is_number(target):
                yield one_interval(step, operator.constructed())
        needs = operator.score_needs(artifact) if operator.scores else None
        if needs is not None:
            counts = self._aggregate(over(source.source()), scored_row_counts(needs))
            yield from run_warnings(step, scored_rows(needs, counts))

    def _predictors(
        self, step: str, operator: Operator, source: Piece, artifact: Any
    ) -> Iterator[ResultWarning]:
        needs = operator.score_needs(artifact) if operator.scores else None
        if needs is None:
            return
        rows = learned_rows(source.source(), source.presence.concept)
        constant = self._constant(rows, needs)
        yield from predictor_warnings(step, needs.encoding, needs.rows, constant)

    def _constant(self, rows: Block, needs: ScoreNeeds) -> list[str]:
        suspected = suspected_constant(needs.encoding)
        if not suspected:
            return []
        ends: dict[str, exp.Expression] = {}
        for i, name in enumerate(suspected):
            ends[f"low {i}"] = exp.Min(this=column(name))
            ends[f"high {i}"] = exp.Max(this=column(name))
        found = self._aggregate(rows, ends)
        return [n for i, n in enumerate(suspected) if found[f"low {i}"] == found[f"high {i}"]]

    def _segments(self, step: BoundStep, piece: Piece) -> Iterator[ResultWarning]:
        """Counts the rows of each segment, if a later step learns in them."""
        here = step.output.segmentations[-1]
        later = self.bound.steps.values()
        if not any(s.learns is not None and here in s.within for s in later):
            return
        names = [s.feature for s in step.output.segmentations]
        rows = learned_rows(piece.source(), piece.presence.concept)
        counted = grouped(rows, names, {"rows in it": exp.Count(this=exp.Star())})
        found = self._rows(counted.prune([*names, "rows in it"]))[:MOST_GROUPS]
        segments = {
            str(Segment(tuple(zip(names, labels, strict=True)))): int(n) for *labels, n in found
        }
        yield from small_segments(step.written_name, segments)

    def _evaluation(
        self, step: BoundStep, operator: Operator, source: Piece, piece: Piece
    ) -> Iterator[ResultWarning]:
        actual: Feature | None = getattr(operator, "actual", None)
        predicted: Feature | None = getattr(operator, "predicted", None)
        if actual is None or self._is_written_in_case(step.inputs[0], predicted):
            return
        names = list(piece.presence.concept.features)
        measured = over(piece.source()).prune(names)
        rows = [dict(zip(measured.columns, row, strict=True)) for row in self._rows(measured)]
        constants = self._constants(source.source(), source.presence.concept, actual)
        positive: str | None = getattr(operator, "positive", None)
        yield from warnings_of(
            [
                Evaluated(step.name, row["part"], row, positive, *constants.get(row["part"], ()))
                for row in rows
                if "part" in row
            ]
        )

    def _is_written_in_case(self, name: str, predicted: Feature | None) -> bool:
        """Returns whether a prediction is one value for all rows, such as that of a baseline."""
        while predicted is not None and name in self.bound.steps:
            step = self.bound.steps[name]
            made = step.operator
            if isinstance(made, FeatureConstruction) and made.constructed() == predicted.name:
                return made.learns is None and made.expression(None).find(exp.Column) is None
            name = step.inputs[0]
        return False

    def _constants(self, source: Source, concept: Concept, actual: Feature) -> dict[str, Any]:
        """Returns by part the most frequent class and its share, or the deviation of a number."""
        held_out = [
            in_share(r.feature, r.holdout.seed, r.holdout.share)
            for r in concept.holdouts
            if r.holdout is not None
        ]
        part, n = unused("part", [actual.name]), unused("n", [actual.name])
        named: exp.Expression = text("all")
        if held_out:
            named = when(exp.or_(*held_out), text(HELD_OUT), text("learned"))
        rows = over(source).filter(is_known(column(actual.name))).extend({part: named})
        rows = rows.project([actual.name, part]).layered()
        if actual.type == "numeric":
            spread = exp.Cast(
                this=exp.VariancePop(this=column(actual.name)), to=exp.DataType.build("double")
            )
            found = self._rows(grouped(rows, [part], {n: spread}).prune([part, n]))
            return {p: (None, float(v) ** 0.5) for p, v in found if v is not None}
        counted = grouped(rows, [part, actual.name], {n: exp.Count(this=exp.Star())})
        by_part: dict[str, dict[str, int]] = {}
        for p, label, count in self._rows(counted.prune([part, actual.name, n])):
            by_part.setdefault(p, {})[label] = int(count)
        most = {p: max(c.items(), key=lambda entry: entry[1]) for p, c in by_part.items()}
        return {
            p: ((label, count / sum(by_part[p].values())), None)
            for p, (label, count) in most.items()
        }

    def _aggregate(self, rows: Block, expressions: Mapping[str, exp.Expression]) -> dict[str, Any]:
        names = list(expressions)
        found = self._rows(grouped(rows, (), expressions).prune(names))[0]
        return dict(zip(names, found, strict=True))

    def _rows(self, block: Block) -> list[tuple[Any, ...]]:
        sql = render(block.select(self.naming, self.dialect), self.dialect)
        return self.session.rows(sql)


def _is_number(target: Feature | None) -> bool:
    return target is not None and target.type == "numeric"
