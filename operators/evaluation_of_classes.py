"""Operators that compare predicted classes with the truth, class by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, feature, operator
from miningflow.sql.block import Append, Block, Source, grouped, over
from miningflow.sql.conditions import is_known, when
from miningflow.sql.counting import over_groups, plus, row_count, share, times
from miningflow.sql.literals import column, double

from .measures import ACTUAL, PART, PREDICTED
from .truth import WithTruth

MOST_ROWS = 200
CLASS = "class"


@operator
class ByClass(WithTruth):
    """Shared by operators that compare the classes of the truth with those of a prediction."""

    actual: Feature = feature("the feature with the truth", types=["binary", "nominal"])
    predicted: Feature = feature("the feature with the prediction", types=["binary", "nominal"])

    def cells(self, inputs: Mapping[str, Source]) -> Block:
        """Counts the rows of each pair of classes."""
        rows = self.in_parts(inputs, {ACTUAL: self.actual, PREDICTED: self.predicted})
        for name in (ACTUAL, PREDICTED):
            rows = rows.filter(is_known(column(name)))
        return grouped(rows, [PART, ACTUAL, PREDICTED], {"rows": row_count()})


@operator
class ConfusionMatrix(ByClass):
    """Counts how often each class was predicted as each class.

    There is a row for each pair that occurs, at most 200, those with the most rows. `share` is the
    share of all rows, `share_of_actual` that of the rows with this truth (for a right prediction,
    the recall of the class), `share_of_predicted` that of the rows with this prediction (for a
    right one, the precision). Rows without truth or prediction are left out. Held-out rows and
    others have separate matrices.
    """

    alias: ClassVar[str] = "Confusion"
    finds: ClassVar[tuple[str, ...]] = ("confusion matrix", "crosstab", "mistakes")
    example: ClassVar[str] = """
    confused:
      operator: ConfusionMatrix
      input: Scored
      actual: lapsed
      predicted: risk_label
    """

    def outline(self, notes: Notes) -> Concept:
        """Returns a row for each part and pair of classes."""
        numbers = ["rows", "share", "share_of_actual", "share_of_predicted"]
        return self.table_of(
            {ACTUAL: "nominal", PREDICTED: "nominal", **dict.fromkeys(numbers, "numeric")}
        )

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Counts the pairs, and divides by the sums of a part, a truth and a prediction."""
        cells, rows = self.cells(inputs).layered(), column("rows")
        whole = {
            "share": [PART],
            "share_of_actual": [PART, ACTUAL],
            "share_of_predicted": [PART, PREDICTED],
        }
        cells = cells.extend(
            {
                name: share(rows, over_groups(exp.Sum(this=rows.copy()), map(column, groups)))
                for name, groups in whole.items()
            }
        )
        order = [exp.Neg(this=rows.copy()), *map(column, (PART, ACTUAL, PREDICTED))]
        return cells.layered().first(MOST_ROWS, order)


@operator
class ClassFigures(ByClass):
    """Measures precision, recall and F1 of each class.

    There is a row for each class that occurs in the truth or in the prediction, at most 200, those
    with the most rows. `rows` counts the rows of the class, `predicted_rows` those predicted as it,
    `right` those that are both. The precision of a class that is never predicted is NULL, and so is
    the recall of one that never occurs. Rows without truth or prediction are left out. Held-out
    rows and others have separate tables.
    """

    alias: ClassVar[str] = "ClassReport"
    finds: ClassVar[tuple[str, ...]] = ("classification_report", "per class", "support")
    example: ClassVar[str] = """
    by_class:
      operator: ClassFigures
      input: Scored
      actual: lapsed
      predicted: risk_label
    """

    def outline(self, notes: Notes) -> Concept:
        """Returns a row for each part and class."""
        numbers = ["rows", "predicted_rows", "right", "precision", "recall", "f1"]
        return self.table_of({CLASS: "nominal", **dict.fromkeys(numbers, "numeric")})

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds up the pairs of classes by their truth and by their prediction."""
        cells, rows, nothing = self.cells(inputs), column("rows"), double(0)
        hit = exp.EQ(this=column(ACTUAL), expression=column(PREDICTED))
        of_truth = {
            PART: column(PART),
            CLASS: column(ACTUAL),
            "rows": rows,
            "predicted_rows": nothing,
            "right": when(hit, rows.copy(), double(0)),
        }
        of_prediction = {
            PART: column(PART),
            CLASS: column(PREDICTED),
            "rows": double(0),
            "predicted_rows": rows.copy(),
            "right": double(0),
        }
        sides = Append((cells.derive(of_truth), cells.derive(of_prediction)))
        counts = {n: exp.Sum(this=column(n)) for n in ("rows", "predicted_rows", "right")}
        classes = grouped(over(sides), [PART, CLASS], counts)
        right, there, said = column("right"), column("rows"), column("predicted_rows")
        order = [exp.Neg(this=there.copy()), column(PART), column(CLASS)]
        return (
            classes.layered()
            .extend(
                {
                    "precision": share(right, said),
                    "recall": share(right, there),
                    "f1": share(times(double(2), right), plus(there, said)),
                }
            )
            .layered()
            .first(MOST_ROWS, order)
        )
