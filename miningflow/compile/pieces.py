"""Pieces: each step as a block of SQL, with what is present in its output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.declare.concept import Concept
from miningflow.declare.operator import Operator
from miningflow.declare.selection import Selection
from miningflow.errors import CompileError, Mistake
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

    def source(self) -> Source:
        """Gives what a later block reads: the block itself if it is fused, otherwise a scan."""
        if self.inline:
            return self.block
        return Scan(self.name, tuple(self.presence.concept.features))


@dataclass(frozen=True)
class Compiled:
    """The case as SQL: a piece per step, and why the others have none yet."""

    pieces: Mapping[str, Piece]
    missing: Mapping[str, str]


def compile_source(concept: Concept) -> Piece:
    """Compiles a source concept: all its features, nothing deselected."""
    block = over(Scan(concept.name, tuple(concept.features)))
    return Piece(concept.name, Presence.whole(concept), block, inline=False)


def bind_present(step: BoundStep, pieces: Mapping[str, Piece]) -> Operator:
    """Binds a step to the features that are present; raises what the four rules forbid."""
    mistakes: list[Mistake] = []
    presences = {name: pieces[name].presence for name in step.inputs}
    operator = reduce(step, presences, mistakes)
    if mistakes:
        raise CompileError(*mistakes)
    return operator


def compile_step(
    step: BoundStep, pieces: Mapping[str, Piece], artifact: Any, inline: bool
) -> Piece:
    """Compiles a step on the pieces of its inputs and what it learned."""
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
    block = operator.emit(inputs, artifact).project(presence.concept.features).owned_by(step.name)
    return Piece(step.name, presence, block, inline, operator)


def is_left_out(step: BoundStep, pieces: Mapping[str, Piece]) -> bool:
    """Says whether this turn of a loop is about a feature that was deselected."""
    if step.loop_over is None:
        return False
    return step.loop_over in pieces[step.inputs[0]].presence.deselected
