"""Counts the rows of a step, and refuses a join whose result has a key that repeats."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from miningflow.compile import Piece
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError
from miningflow.resolve import BoundStep
from miningflow.sql.block import Block, Scan
from miningflow.sql.dialect import render
from miningflow.sql.literals import column


def count_rows(
    session: Session,
    step: BoundStep,
    piece: Piece,
    table: exp.Table,
    dialect: str,
    known: Mapping[str, int | None],
) -> int:
    """Counts the rows that a step made; `known` are the numbers of rows of what it reads.

    Only a join can repeat a key, since sources are checked when they are loaded. One that keeps
    every row of its first input repeats none if the number of rows stays the same, which costs
    nothing to find out; after any other, the different keys are counted with the rows.
    """
    key = piece.presence.concept.key
    rows = exp.Count(this=exp.Star())
    if key is None or step.within or not _joins(piece.block):
        return _number(session, table, [rows], dialect)[0]
    kept = _kept_rows(piece.block)
    if kept is not None and known.get(kept) is not None:
        count = _number(session, table, [rows], dialect)[0]
        if count == known[kept]:
            return count
    keys = exp.Count(this=column(key))
    different = exp.Count(this=exp.Distinct(expressions=[column(key)]))
    count, filled, distinct = _number(session, table, [rows, keys, different], dialect)
    if distinct < filled:
        raise RunError(_repeated(session, step, key, table, dialect, (filled, distinct)))
    return count


def _joins(block: Block) -> bool:
    """Returns whether a block, or one inside it, finds rows of an input by a condition."""
    inside = [source for source in block.inputs.values() if isinstance(source, Block)]
    return any(join.on is not None for join in block.joins) or any(map(_joins, inside))


def _kept_rows(block: Block) -> str | None:
    """Names the source or step whose rows a block keeps, all of them, at least once."""
    first = next(iter(block.inputs.values()))
    plain = not (block.where or block.group or block.limit is not None)
    if not plain or not isinstance(first, Scan):
        return None
    return first.name if all(join.kind == "left" for join in block.joins) else None


def _number(
    session: Session, table: exp.Table, counts: list[exp.Count], dialect: str
) -> tuple[int, ...]:
    query = exp.Select(expressions=counts, from_=exp.From(this=table.copy()))
    return tuple(int(value) for value in session.rows(render(query, dialect))[0])


def _repeated(
    session: Session,
    step: BoundStep,
    key: str,
    table: exp.Table,
    dialect: str,
    counts: tuple[int, int],
) -> Diagnostic:
    times = exp.Count(this=exp.Star())
    query = exp.Select(
        expressions=[column(key), times],
        from_=exp.From(this=table.copy()),
        where=exp.Where(this=exp.Not(this=exp.Is(this=column(key), expression=exp.Null()))),
        group=exp.Group(expressions=[column(key)]),
        order=exp.Order(
            expressions=[
                exp.Ordered(this=times.copy(), desc=True, nulls_first=False),
                exp.Ordered(this=column(key), nulls_first=False),
            ]
        ),
        limit=exp.Limit(expression=exp.Literal.number(1)),
    )
    value, often = session.rows(render(query, dialect))[0]
    filled, distinct = counts
    return Diagnostic(
        f"step {step.written_name!r} repeats rows: the key {key!r} of its result has {filled:,} "
        f"values, of which {distinct:,} are different; {value!r} occurs {int(often)} times",
        step.place(),
        f"a concept that it joins ({', '.join(step.inputs)}) has several rows with one key, as "
        "after a Union of concepts that share rows: keep one of them with RemoveDuplicates",
    )
