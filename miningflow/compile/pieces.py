"""Pieces: each step as a block of SQL, with what is present in its output.

A step runs in each segment of its input by itself (`compile.segments`); this file compiles it in
one, which outside of segmentations is all there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from miningflow.compile.statements import null
from miningflow.declare.concept import Concept
from miningflow.declare.construction import FeatureConstruction
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import Segment
from miningflow.declare.selection import Selection
from miningflow.errors import CompileError, Diagnostic
from miningflow.resolve import BoundStep, Presence
from miningflow.resolve.deselection import derive, pass_through, reduce
from miningflow.sql.block import Block, Scan, Source, over


@dataclass(frozen=True)
class Piece:
    """A compiled source or step."""

    name: str
    presence: Presence
    block: Block
    inline: bool
    operator: Operator | None = None
    parts: tuple[Part, ...] = ()
    """What it is in each segment, if it is segmented."""
    reads: Source | None = None
    """The rows of one segment, if that is what it stands for."""

    def source(self) -> Source:
        """Returns what a later block reads: the block itself if it is fused, otherwise a scan."""
        if self.reads is not None:
            return self.reads
        if self.inline:
            return self.block
        return Scan(self.name, tuple(self.presence.concept.columns))


@dataclass(frozen=True)
class Part:
    """A step in one segment."""

    segment: Segment
    piece: Piece
    alone: bool
    """Whether the block has the rows of this segment only."""


def compile_source(concept: Concept) -> Piece:
    """Compiles a source concept: all its features, nothing deselected."""
    block = over(Scan(concept.name, tuple(concept.features)))
    return Piece(concept.name, Presence.whole(concept), block, inline=False)


def bind_present(step: BoundStep, pieces: Mapping[str, Piece]) -> Operator:
    """Binds a step to the features that are present; raises what the four rules forbid."""
    diagnostics: list[Diagnostic] = []
    presences = {name: pieces[name].presence for name in step.inputs}
    operator = reduce(step, presences, diagnostics)
    if diagnostics:
        raise CompileError(*diagnostics)
    return operator


def compile_plain(
    step: BoundStep, pieces: Mapping[str, Piece], artifact: Any, inline: bool, owner: str = ""
) -> Piece:
    """Compiles a step on the pieces of its inputs and what it learned, in one segment.

    `owner` is what the literal tables of the step are named after.
    """
    presences = {name: pieces[name].presence for name in step.inputs}
    if is_left_out(step, pieces):
        block = over(pieces[step.inputs[0]].source())
        return Piece(step.name, pass_through(step, presences), block, inline)
    operator = bind_present(step, pieces)
    dropped: dict[str, str] = {}
    if isinstance(artifact, Selection):
        dropped = dict.fromkeys(artifact.dropped, artifact.reason)
    presence = derive(step, operator, dropped, presences)
    inputs = {name: pieces[name].source() for name in step.inputs}
    if operator.learns is not None and artifact is None:
        block = _unlearned(step, operator, presence, inputs)
        return Piece(step.name, presence, block, inline, operator)
    block = operator.emit(inputs, artifact)
    names = [name for name in presence.concept.columns if name in block.columns]
    block = block.project(names).owned_by(owner or step.name)
    if operator.applies_model and (inline or (step.asked_for and step.builds == "view")):
        block = block.layered()  # what reads it mentions columns, not the model
    return Piece(step.name, presence, block, inline, operator)


def is_left_out(step: BoundStep, pieces: Mapping[str, Piece]) -> bool:
    """Returns whether this turn of a loop is about a feature that was deselected."""
    if step.loop_over is None:
        return False
    return step.loop_over in pieces[step.inputs[0]].presence.deselected


def _unlearned(
    step: BoundStep, operator: Operator, presence: Presence, inputs: Mapping[str, Source]
) -> Block:
    """Passes on the rows of a segment that nothing was learned in: what would be made is NULL."""
    block = over(inputs[step.inputs[0]])
    features = presence.concept.features.values()
    made = {f.name for f in features if f.name not in block.columns}
    if isinstance(operator, FeatureConstruction):
        made.add(operator.constructed())
    if any(f.type == "key" for f in features if f.name in made):  # its rows are others
        block = block.filter(exp.false())
    columns = presence.concept.columns
    made |= set(columns) - set(block.columns)  # what would name the segment
    return block.extend({name: null(columns[name]) for name in made}).project(columns)
