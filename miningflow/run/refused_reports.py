"""Refuses the report of a step whose parameters name a value that the data do not have."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from miningflow.compile import Piece
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError
from miningflow.resolve import BoundStep
from miningflow.sql.block import Naming, grouped, over
from miningflow.sql.conditions import is_known
from miningflow.sql.dialect import render
from miningflow.sql.literals import column


def refuse_report(
    step: BoundStep,
    piece: Piece,
    pieces: Mapping[str, Piece],
    session: Session,
    table: str,
    naming: Naming,
    dialect: str,
) -> None:
    """Raises an error if the operator refuses the rows of its report, and its input agrees."""
    names = list(piece.presence.concept.features)  # without what needs a deselected feature
    shown = ", ".join(render(column(name), dialect) for name in names)
    rows = session.rows(f"SELECT {shown} FROM {table}")
    refused = step.operator.refusal([dict(zip(names, row, strict=True)) for row in rows])
    if refused is None:
        return
    source = over(pieces[step.inputs[0]].source()).filter(is_known(column(refused.feature)))
    counted = grouped(source, [refused.feature], {"n": exp.Count(this=exp.Star())})
    block = counted.prune([refused.feature, "n"])
    found = session.rows(render(block.select(naming, dialect), dialect))
    if any(value == refused.value for value, _ in found):
        return
    values = ", ".join(f"{value!r} ({n})" for value, n in sorted(found)[:8])
    raise RunError(
        Diagnostic(
            f"the {refused.parameter} value {refused.value!r} of {refused.feature!r} never occurs",
            step.place(refused.parameter),
            f"its values are {values}",
        )
    )
