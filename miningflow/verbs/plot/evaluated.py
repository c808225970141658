"""What an evaluation compares, counted: by decision value for curves, by class for a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from miningflow.declare.compared import Compared
from miningflow.declare.segmentation import Segment
from miningflow.run.evaluated_models import HELD_OUT
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, text
from miningflow.verbs.plot.published import PublishedRows, count_if

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Decisions:
    """The different decision values of one part, and how many rows of each class have them."""

    name: str
    values: Vector
    positives: Vector
    negatives: Vector

    @property
    def has_both_classes(self) -> bool:
        """Returns whether there is anything to rank."""
        return bool(self.positives.sum() and self.negatives.sum())

    def weighted(self) -> tuple[Vector, Vector, Vector]:
        """Returns classes, decision values and weights, as scikit-learn takes them."""
        classes = np.repeat([1.0, 0.0], len(self.values))
        weights = np.concatenate([self.positives, self.negatives])
        counted = weights > 0
        return classes[counted], np.tile(self.values, 2)[counted], weights[counted]


def compared(rows: PublishedRows) -> Compared:
    """Returns what the step compares."""
    inputs = {name: rows.pieces[name].source() for name in rows.step.inputs}
    found = rows.operator.compared(inputs)
    assert found is not None
    return found


def decisions(rows: PublishedRows, feature: str) -> list[Decisions]:
    """Counts rows by a decision value, for each part: held-out rows first, then the others."""
    given = compared(rows)
    actual, positive = column(given.actual), text(given.positive or "")
    known = given.block.filter(is_known(actual)).filter(is_known(column(feature)))
    counts = {
        "positives": count_if(exp.EQ(this=actual.copy(), expression=positive)),
        "negatives": count_if(exp.NEQ(this=actual.copy(), expression=positive.copy())),
    }
    within = {f"segment {s.feature}": s.feature for s in rows.step.within}
    by = {"part": given.part, "value": feature, **within}
    table = rows.grouped(known, by, counts)
    found: list[Decisions] = []
    for name, own in _by_part(table, within):
        value, positives, negatives = (
            np.asarray(own.column(each).to_numpy(), dtype=float)
            for each in ("value", "positives", "negatives")
        )
        usable = np.isfinite(value)
        found.append(Decisions(name, value[usable], positives[usable], negatives[usable]))
    return sorted(found, key=lambda each: (not each.name.startswith(HELD_OUT), each.name))


def _by_part(table: pa.Table, within: Mapping[str, str]) -> Iterator[tuple[str, pa.Table]]:
    """Divides rows by their part and segment, which give them their name."""
    keys = ["part", *within]
    for labels in table.select(keys).group_by(keys).aggregate([]).to_pylist():
        own = table
        for key, label in labels.items():
            column_of = own.column(key)
            is_here = pc.is_null(column_of) if label is None else pc.equal(column_of, label)
            own = own.filter(is_here)
        segments = [str(Segment(((within[key], labels[key]),))) for key in within]
        yield ", ".join([str(labels["part"]), *segments]), own


def confusion(rows: PublishedRows) -> tuple[str, list[str], npt.NDArray[np.int64]]:
    """Counts rows by truth and prediction; of several parts only those that are held out."""
    given = compared(rows)
    known = given.block.filter(is_known(column(given.actual)))
    known = known.filter(is_known(column(given.predicted)))
    by = {"part": given.part, "actual": given.actual, "predicted": given.predicted}
    table = rows.grouped(known, by, {"rows": exp.Count(this=exp.Star())}).to_pydict()
    parts = set(table["part"])
    part = HELD_OUT if HELD_OUT in parts else next(iter(parts), "")
    counts: dict[tuple[str, str], int] = {}
    for own, truth, said, count in zip(*table.values(), strict=True):
        if own == part:
            counts[str(truth), str(said)] = int(count)
    classes = sorted({name for pair in counts for name in pair}, key=_class_order(given))
    matrix = np.array([[counts.get((a, b), 0) for b in classes] for a in classes], dtype=np.int64)
    return part, classes, matrix


def differences(rows: PublishedRows) -> Iterator[tuple[str, Vector]]:
    """Streams how far predictions of numbers are above the truth, by part."""
    given = compared(rows)
    for batch in rows.batches(given.block, [given.part, given.actual, given.predicted]):
        parts, actual, predicted = (batch.column(i) for i in range(3))
        difference = _numbers(predicted) - _numbers(actual)
        names = np.asarray(parts.to_pylist(), dtype=object)
        for name in set(names):
            own = difference[names == name]
            yield str(name), own[np.isfinite(own)]


def _class_order(given: Compared) -> Any:
    return lambda name: (name != given.positive, name)


def _numbers(values: Any) -> Vector:
    found = values.to_numpy(zero_copy_only=False)
    return np.asarray(found, dtype=float)
