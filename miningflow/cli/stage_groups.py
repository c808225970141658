"""Stages as people see them: a step of the case is one line, however many turns it has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from miningflow.errors import listed
from miningflow.resolve import BoundCase
from miningflow.resolve.lookup import written_name

TURNS_SHOWN = 3


class AnyStage(Protocol):
    """A stage of a plan or of a report."""

    @property
    def name(self) -> str:
        """Returns the name of the source or step."""

    @property
    def action(self) -> str:
        """Returns whether it runs: run, reuse or skip."""

    @property
    def reason(self) -> str:
        """Returns why."""


SomeStage = TypeVar("SomeStage", bound=AnyStage)


class StageGroup(Generic[SomeStage]):
    """A source, a step, or all turns of a step that repeats."""

    def __init__(self, bound: BoundCase, stages: Sequence[SomeStage]) -> None:
        self.stages = tuple(stages)
        self.last = stages[-1]
        self._turns = {s.name: bound.steps[s.name].turn for s in stages if s.name in bound.steps}
        turns = f" ({len(stages)} turns)" if len(stages) > 1 else ""
        self.name = written_name(self.last.name, bound) + turns

    @property
    def action(self) -> str:
        """Returns what is done with any of the turns."""
        actions = {stage.action for stage in self.stages}
        return next(action for action in ("run", "skip", "reuse") if action in actions)

    @property
    def reason(self) -> str:
        """Returns why, and which turns it is about if not all."""
        meant = [stage for stage in self.stages if stage.action == self.action]
        reasons = list(dict.fromkeys(stage.reason for stage in meant))
        # turns after the first run because the one before does
        said = reasons[0]
        if len(meant) == len(self.stages):
            return said
        return f"{listed((self._turns[s.name] for s in meant), TURNS_SHOWN)}: {said}"


def stage_groups(bound: BoundCase, stages: Sequence[SomeStage]) -> list[StageGroup[SomeStage]]:
    """Groups the turns of each loop; all other stages are groups of one."""
    grouped = groupby(stages, key=lambda stage: written_name(stage.name, bound))
    return [StageGroup(bound, list(group)) for _, group in grouped]
