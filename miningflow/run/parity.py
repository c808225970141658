"""Compares what SQL predicts with what the model itself predicts, on rows of the result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.compile import Piece
from miningflow.compile.segments import is_in, learned_in
from miningflow.declare.operator import Expected
from miningflow.engines import Session
from miningflow.errors import Diagnostic, Place, RunError
from miningflow.repository import ParityRecord
from miningflow.run.arrays import as_array
from miningflow.sql.dialect import render
from miningflow.sql.literals import column

ROWS = 1_000
# Relative to the largest value; a greater difference is worth a warning.
TOLERATED = 1e-9


def compared(
    piece: Piece, artifact: Any, session: Session, built: exp.Table, dialect: str, place: Place
) -> ParityRecord | None:
    """Compares the first rows of what was built; a label that differs ends the run.

    Models of several segments are each compared with its own rows.
    """
    if not piece.parts:
        return _compared(piece, artifact, session, built, None, dialect, place)
    found = [
        _compared(part.piece, learned, session, built, is_in(part.segment), dialect, place)
        for part in piece.parts
        if (learned := learned_in(artifact, part.segment)) is not None
    ]
    records = [record for record in found if record is not None]
    return together(records) if records else None


def together(records: Sequence[ParityRecord]) -> ParityRecord:
    """Sums up several comparisons."""
    return ParityRecord(
        sum(r.compared_rows for r in records),
        max(r.largest_difference for r in records),
        sum(r.labels for r in records),
        sum(r.labels_too_close for r in records),
    )


def _compared(
    piece: Piece,
    artifact: Any,
    session: Session,
    built: exp.Table,
    where: exp.Expression | None,
    dialect: str,
    place: Place,
) -> ParityRecord | None:
    if piece.operator is None or not piece.operator.prediction_features():
        return None
    concept = piece.presence.concept
    present = [n for n in piece.operator.training_features() if n in concept.features]
    predicted = [n for n in piece.operator.prediction_features() if n in concept.features]
    select = exp.Select(
        expressions=[column(name) for name in dict.fromkeys([*present, *predicted])],
        from_=exp.From(this=built),
        where=None if where is None else exp.Where(this=where),
        limit=exp.Limit(expression=exp.Literal.number(ROWS)),
    )
    table = session.arrow(render(select, dialect))
    numeric = {f.name for f in concept.of_type("numeric")}
    columns = {n: as_array(table.column(n), n in numeric) for n in table.column_names}
    expected = piece.operator.expected({n: columns[n] for n in present}, artifact)
    if expected is None:
        return None
    return _parity(piece.name, columns, expected, predicted, place)


def _parity(
    step: str,
    columns: Mapping[str, npt.NDArray[Any]],
    expected: Expected,
    predicted: Sequence[str],
    place: Place,
) -> ParityRecord:
    known = expected.known
    difference, labels, close = 0.0, 0, 0
    for name in predicted:
        found, wanted = columns[name], expected.values[name]
        if wanted.dtype == np.float64:
            missing = np.isnan(found)
            wrong = missing != ~known
            both = known & ~missing
            size = float(np.abs(wanted[both]).max(initial=expected.scale))
            off = np.abs(found[both] - wanted[both]).max(initial=0.0)
            difference = max(difference, float(off) / size)
        else:
            missing = np.array([value is None for value in found], dtype=bool)
            wrong = missing != ~known
            differs = (found != wanted) & known & ~missing
            near = expected.margins <= TOLERATED
            wrong = wrong | (differs & ~near)
            labels += int(np.count_nonzero(known))
            close += int(np.count_nonzero(differs & near))
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            by_model = wanted[first] if known[first] else None
            told = f"{_shown(found[first])} by SQL and {_shown(by_model)} by the model"
            raise RunError(
                Diagnostic(
                    f"step {step!r}: SQL and model disagree about {name!r} in "
                    f"{np.count_nonzero(wrong):,} of {len(wrong):,} rows; the first has {told}",
                    place,
                    "nothing was published; please report this mistake",
                )
            )
    return ParityRecord(len(known), difference, labels, close)


def _shown(value: Any) -> str:
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    return "NULL" if missing else repr(value)
