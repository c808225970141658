"""A step in each segment of its inputs, and the segments side by side.

Inside a segmentation a step is compiled once for each segment, on what is present there and on what
it learned there. Where it only adds columns, these become one SELECT with a CASE by segment;
otherwise the SELECTs are appended with UNION ALL, each over the rows of its segment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from sqlglot import exp

from miningflow.compile.pieces import Part, Piece, bind_present, compile_plain
from miningflow.compile.statements import null
from miningflow.declare.concept import Concept, Feature
from miningflow.declare.presence import Deselection
from miningflow.declare.segmentation import (
    Label,
    PerSegment,
    Segment,
    SegmentingOperator,
    UnsegmentingOperator,
    artifacts_of,
)
from miningflow.declare.selection import Selection
from miningflow.resolve import BoundStep, Presence
from miningflow.sql.block import Append, Block, over
from miningflow.sql.conditions import is_null
from miningflow.sql.literals import column, text


def compile_step(
    step: BoundStep, pieces: Mapping[str, Piece], artifact: Any, inline: bool
) -> Piece:
    """Compiles a step on the pieces of its inputs and what it learned, in every segment."""
    if isinstance(step.operator, UnsegmentingOperator):
        return _together(step, step.operator, pieces, inline)
    if not step.within and not isinstance(step.operator, SegmentingOperator):
        return compile_plain(step, pieces, artifact, inline)
    runs, presence = _runs(step, pieces, artifact, inline, alone=not step.operator.fuses)
    block = _by_case(runs, presence.concept) if step.operator.fuses else None
    if block is None:
        runs, presence = _runs(step, pieces, artifact, inline, alone=True)
        block = _appended(runs, presence.concept)
    parts = _parts(step, runs, artifact)
    if isinstance(step.operator, SegmentingOperator) and step.operator.only_first:
        parts = parts[:1]
        block = over(block).filter(is_in(parts[0].segment))
    return Piece(step.name, presence, block, inline, runs[0].piece.operator, parts)


def segments_of(step: BoundStep, pieces: Mapping[str, Piece]) -> list[Segment]:
    """Returns the segments that a step runs in: one without labels where nothing is segmented."""
    found = [Segment()]
    for name in step.inputs:
        parts = pieces[name].parts
        if parts:
            both = [
                Segment((*s.labels, *(pair for pair in p.segment.labels if pair not in s.labels)))
                for s in found
                for p in parts
                if s.agrees(p.segment)
            ]
            found = list(dict.fromkeys(both))
    return found


def in_segment(
    step: BoundStep, segment: Segment, pieces: Mapping[str, Piece], alone: bool = True
) -> tuple[BoundStep, dict[str, Piece]]:
    """Returns a step and its inputs as they are in one segment.

    Unless it shall be alone, the inputs have the rows of all segments, which is enough for a step
    that adds columns row by row. In a repetition, the seed of the step is another each time.
    """
    read = [*step.inputs, *([step.learn_on] if step.learn_on else [])]
    within = {name: _in_segment(pieces[name], segment, alone) for name in read}
    return replace(step, operator=_seeded(step, segment)), within


def learned_in(artifact: Any, segment: Segment) -> Any:
    """Returns what a step learned in a segment.

    Where nothing could be selected by, what every other segment dropped is dropped.
    """
    if not isinstance(artifact, PerSegment):
        return artifact
    found = artifact.of(segment)
    known = [learned for _, learned in artifacts_of(artifact)]
    if found is None and known and all(isinstance(learned, Selection) for learned in known):
        dropped = [n for n in known[0].dropped if all(n in other.dropped for other in known)]
        return Selection((), tuple(dropped), "every segment with rows dropped it", {})
    return found


def _runs(
    step: BoundStep, pieces: Mapping[str, Piece], artifact: Any, inline: bool, alone: bool
) -> tuple[list[Part], Presence]:
    """Compiles a step in each segment; also returns what is present in any of them."""
    runs: list[Part] = []
    for number, segment in enumerate(segments_of(step, pieces)):
        here, within = in_segment(step, segment, pieces, alone)
        owner = f"{step.name} {number + 1}" if segment.labels else step.name
        found = compile_plain(here, within, learned_in(artifact, segment), inline, owner)
        runs.append(Part(segment, found, alone))
    return runs, _united(step.output, [(run.segment, run.piece.presence) for run in runs])


def _in_segment(piece: Piece, segment: Segment, alone: bool) -> Piece:
    if not piece.parts:
        return piece
    part = next(p for p in piece.parts if segment.agrees(p.segment))
    if piece.inline and part.alone:
        return replace(part.piece, reads=part.piece.block)
    rows = part.piece.block if piece.inline else piece.source()
    if alone and part.segment.labels:
        features = part.piece.presence.concept.features
        rows = over(rows).filter(is_in(part.segment)).project(features)
    return replace(part.piece, reads=rows)


def _seeded(step: BoundStep, segment: Segment) -> Any:
    """Returns the operator of a step; in the n-th repetition its seed is n - 1 more."""
    seed = getattr(step.operator, "seed", None)
    labels = dict(segment.labels)
    for segmentation in step.within:
        if segmentation.repeats and isinstance(seed, int):
            seed += int(labels[segmentation.feature] or 1) - 1
    changed: Any = step.operator
    return changed if seed is None else replace(changed, seed=seed)


def _parts(step: BoundStep, runs: Sequence[Part], artifact: Any) -> tuple[Part, ...]:
    operator = step.operator
    if not isinstance(operator, SegmentingOperator):
        return tuple(runs)
    return tuple(
        Part(run.segment.with_label(operator.output, label), run.piece, alone=False)
        for run in runs
        for label in operator.labels(learned_in(artifact, run.segment))
    )


def _together(
    step: BoundStep, operator: UnsegmentingOperator, pieces: Mapping[str, Piece], inline: bool
) -> Piece:
    """Ends a segmentation: the rows of all segments, which stand in one object already."""
    piece = pieces[step.inputs[0]]
    kept = [s.feature for s in step.output.segmentations]
    groups: dict[Segment, list[tuple[Segment, Presence]]] = {}
    for part in piece.parts or (Part(Segment(), piece, alone=True),):
        groups.setdefault(part.segment.within(kept), []).append(
            (part.segment, _ended(part.piece.presence, operator.ended, step.output))
        )
    whole = _united(step.output, [pair for pairs in groups.values() for pair in pairs])
    rows = over(piece.source())
    if operator.ended not in rows.columns:  # a test gave rows without segments
        rows = rows.extend({operator.ended: null(Feature(operator.ended, "nominal"))})
    block = rows.project(whole.concept.columns)
    made = bind_present(step, {piece.name: piece})
    parts = tuple(
        Part(segment, Piece(step.name, _united(step.output, pairs), block, inline, made), False)
        for segment, pairs in groups.items()
        if kept
    )
    return Piece(step.name, whole, block, inline, made, parts)


def _ended(presence: Presence, ended: str, output: Concept) -> Presence:
    """Returns what is present in a segment, with the name of the segment as a feature."""
    named = presence.concept.with_features(Feature(ended, "nominal"))
    return replace(presence, concept=output.only(named.features))


def _united(output: Concept, presences: Sequence[tuple[Segment, Presence]]) -> Presence:
    """Returns what is present in any of the segments; what some of them lack is NULL there."""
    present = {name for _, p in presences for name in p.concept.features}
    deselected: dict[str, Deselection] = {}
    partly: dict[str, dict[str, Deselection]] = {}
    for segment, presence in presences:
        for name, cause in presence.deselected.items():
            if name not in present:
                deselected.setdefault(name, cause)
            elif name in output.features:
                partly.setdefault(name, {})[str(segment)] = cause
    kept = [name for name in output.features if name in present]
    return Presence(output.only(kept), deselected, partly)


def _by_case(runs: Sequence[Part], concept: Concept) -> Block | None:
    """Puts what only adds columns into one SELECT; None if more than columns differs."""
    first = runs[0].piece.block
    if not all(s.feature in first.columns for s in concept.segmentations):
        return None
    if any(replace(run.piece.block, columns=first.columns) != first for run in runs[1:]):
        return None
    columns: dict[str, exp.Expression] = {}
    for name, feature in concept.features.items():
        trees = [run.piece.block.columns.get(name) or null(feature) for run in runs]
        if all(tree == trees[0] for tree in trees[1:]):
            columns[name] = trees[0]
            continue
        conditions = [is_in(run.segment, first.columns) for run in runs]
        branches = zip(conditions, trees, strict=True)
        columns[name] = exp.Case(ifs=[exp.If(this=c, true=t.copy()) for c, t in branches])
    segments = {s.feature: first.columns[s.feature] for s in concept.segmentations}
    return replace(first, columns={**columns, **segments})


def _appended(runs: Sequence[Part], concept: Concept) -> Block:
    """Appends the rows of one segment after the other, each with the name of its segment."""
    branches: list[Block] = []
    for run in runs:
        block = run.piece.block
        if block.order or block.limit is not None:
            block = block.layered()
        labels = {name: _label(label) for name, label in run.segment.labels}
        columns = {
            name: labels.get(name) or block.columns.get(name) or null(feature)
            for name, feature in concept.columns.items()
        }
        branches.append(replace(block, columns=columns))
    return branches[0] if len(branches) == 1 else over(Append(tuple(branches)))


def _label(label: Label) -> exp.Expression:
    return null(Feature("", "nominal")) if label is None else text(label)


def is_in(segment: Segment, columns: Mapping[str, exp.Expression] | None = None) -> exp.Expression:
    """Returns the condition for a row to be in a segment; `columns` holds renamed columns."""
    conditions: list[exp.Expression] = []
    for name, label in segment.labels:
        named = (columns[name] if columns else column(name)).copy()
        if label is None:
            conditions.append(is_null(named))
        else:
            conditions.append(exp.EQ(this=named, expression=text(label)))
    return reduce(lambda a, b: exp.And(this=a, expression=b), conditions or [exp.true()])
